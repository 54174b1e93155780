"""The paper's problems, and all problems by name: Branin, Hartmann, five functions of any dimension, and AutoML.

x_1 … x_d  the columns of X (m, d); i counts from 1, as in the sources
A (4, d)   inverse squared widths of the four Hartmann bumps       P (4, d)  their centres
h (4,)     their heights

Of Hartmann the tables are those of Dixon and Szegő 1978, to which the published minima belong; some copies have 0.0381
for P_41 = 0.03815 of the 3-D function.

[SB]       Surjanovic and Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano/optimization.html

The name of a problem is that of one of the paper's problems, or of a family followed by the dimension or the seed.
`register` adds others. What runs in another process finds them there if it imports who registers them.

The AutoML task has eleven hyper-parameters of gradient boosting, judged by the validation error. The classifier and the
data are scikit-learn's: 569 tumours, 30 features, benign or malignant. One task, two forms:

SPACE, validation_error  floats, integers and choices under scikit-learn's names; the point is a dict
automl()                 the paper's box of eleven floats, as a `Problem`

Names and ranges are those of the paper's appendix. What it leaves open is settled as follows.
- Data: several sets of the repository it names are on breast cancer; this is the one that comes with scikit-learn.
- Split: one sample in four is for validation, 143 in all, stratified by class, the same in every evaluation. The
  authors' split is unknown, so their curves can be compared in shape, not in level.
- Subsamples and features are drawn by the classifier with a fixed seed: the task is deterministic. Its values are
  multiples of 1/143 and may differ between versions of scikit-learn.
- Two options are 0 and 1 in the box, rounded like an integer. `max_features`, called a float there, is such a choice.
- `criterion` is kept, since the paper counts it, and changes nothing: its two options are one formula written in two
  ways. scikit-learn says so since version 1.9, and warns whoever passes one.
- scikit-learn takes no `subsample` of 0, the open end of the paper's interval. It stands for its limit, one sample.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from suffice.errors import MissingExtra
from suffice.problems.problem import Native, Problem
from suffice.space import Choice, Float, Int, Space
from suffice.types import Array


def cube(low: float, high: float, dim: int, least: int = 1) -> tuple[tuple[float, float], ...]:
    """The same interval for each input."""
    if dim < least:
        raise ValueError(f"this function needs at least {least} inputs, got dim={dim}")
    return ((low, high),) * dim


def total(terms: Array) -> Array:
    """Sum over the inputs, (m, d) -> (m,)."""
    summed: Array = np.sum(terms, axis=1)
    return summed


def _branin(X: Array) -> Array:
    x, y = X.T
    valley = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    value: Array = valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0
    return value


# In the valley's bed the value is 10 + 10(1 − 1/8π) cos x, so cos x = −1 gives 10/8π, three times in the box.
branin = Problem(
    name="branin",
    function=_branin,
    bounds=((-5.0, 10.0), (0.0, 15.0)),
    optimum=5.0 / (4.0 * math.pi),
    minimizers=((-math.pi, 12.275), (math.pi, 2.275), (3.0 * math.pi, 2.475)),
    source="Branin 1972; Dixon and Szegő 1978; [SB]",
)


HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])  # of Hartmann's four bumps; their widths and centres are (4, d)

# A of Hartmann in six dimensions; its first four columns are those in four.
WIDTHS6 = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
# P of the same.
CENTRES6 = 1e-4 * np.array(
    [
        [1312.0, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartmann(X: Array, A: Array, P: Array) -> Array:
    """−Σ_i h_i exp(−Σ_j A_ij (x_j − P_ij)²), (m,)."""
    squared = np.sum(A * (X[:, None, :] - P) ** 2, axis=2)
    value: Array = -np.sum(HEIGHTS * np.exp(-squared), axis=1)
    return value


def _hartmann3(X: Array) -> Array:
    A = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
    P = np.array(
        [[0.3689, 0.117, 0.2673], [0.4699, 0.4387, 0.747], [0.1091, 0.8732, 0.5547], [0.03815, 0.5743, 0.8828]]
    )
    return _hartmann(X, A, P)


def _hartmann4(X: Array) -> Array:
    return _hartmann(X, WIDTHS6[:, :4], CENTRES6[:, :4])


def _hartmann6(X: Array) -> Array:
    return _hartmann(X, WIDTHS6, CENTRES6)


hartmann3 = Problem(
    name="hartmann3",
    function=_hartmann3,
    bounds=cube(0.0, 1.0, 3),
    optimum=-3.86278214782076,
    minimizers=((0.11461433859, 0.55564884997, 0.85254695352),),
    source="Hartmann 1973; Dixon and Szegő 1978; [SB]",
)
hartmann4 = Problem(
    name="hartmann4",
    function=_hartmann4,
    bounds=cube(0.0, 1.0, 4),
    optimum=-3.729840584485584,
    minimizers=((0.18739527297, 0.19415152930, 0.55791778006, 0.26477962417),),
    source="the first four columns of the six-dimensional tables",
)
hartmann6 = Problem(
    name="hartmann6",
    function=_hartmann6,
    bounds=cube(0.0, 1.0, 6),
    optimum=-3.32236801141551,
    minimizers=((0.20168951101, 0.15001069182, 0.47687397422, 0.27533243049, 0.31165161660, 0.65730053407),),
    source="Hartmann 1973; Dixon and Szegő 1978; [SB]",
)


def _at_zero(function: Callable[[Array], Array], dim: int, half: float, at: float, source: str) -> Problem:
    """The problem of a function whose minimum over [−half, half]^dim is 0, where every input is `at`."""
    name = f"{function.__name__.removeprefix('_')}{dim}"
    return Problem(name, function, cube(-half, half, dim), optimum=0.0, minimizers=((at,) * dim,), source=source)


def _rastrigin(X: Array) -> Array:
    return total(X**2 - 10.0 * np.cos(2.0 * np.pi * X) + 10.0)


def rastrigin(dim: int) -> Problem:
    """Σ x_i² − 10 cos(2π x_i) + 10: a bowl with a local minimum near every integer point [SB]."""
    return _at_zero(_rastrigin, dim, 5.12, 0.0, "Rastrigin 1974; [SB]")


def _levy(X: Array) -> Array:
    W = 1.0 + (X - 1.0) / 4.0
    first, inner, last = W[:, 0], W[:, :-1], W[:, -1]
    middle = total((inner - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * inner + 1.0) ** 2))
    end: Array = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.sin(np.pi * first) ** 2 + middle + end


def levy(dim: int) -> Problem:
    """sin²(πw_1) + Σ_{i<d} (w_i − 1)²(1 + 10 sin²(πw_i + 1)) + (w_d − 1)²(1 + sin²(2πw_d)), w = 1 + (x − 1)/4 [SB]."""
    return _at_zero(_levy, dim, 10.0, 1.0, "Levy and Montalvo 1985; [SB]")


def _michalewicz(X: Array) -> Array:
    i = np.arange(1, X.shape[1] + 1)
    return -total(np.sin(X) * np.sin(i * X**2 / np.pi) ** 20)


def _michalewicz_minimizer(i: int) -> float:
    """argmax of sin(x) sin²⁰(i x²/π) over [0, π].

    Between its zeros x = π sqrt(k/i) the function has i humps. In each of them the logarithm's derivative,
    cot(x) + 40 (i x/π) cot(i x²/π), falls strictly from +∞ to −∞, so bisection finds the one top of every hump.
    """
    edges = np.pi * np.sqrt(np.arange(i + 1) / i)
    low, high = edges[:-1].copy(), edges[1:].copy()
    for _ in range(60):  # halves an interval of length ≤ π to the last bit
        x = (low + high) / 2.0
        slope = 1.0 / np.tan(x) + 40.0 * (i * x / np.pi) / np.tan(i * x**2 / np.pi)
        low, high = np.where(slope > 0.0, x, low), np.where(slope > 0.0, high, x)
    tops = (low + high) / 2.0
    return float(tops[np.argmax(np.sin(tops) * np.sin(i * tops**2 / np.pi) ** 20)])


def michalewicz(dim: int) -> Problem:
    """−Σ sin(x_i) sin²⁰(i x_i²/π): plains cut by steep valleys; a sum over the inputs, so the minimum is exact [SB]."""
    bounds = cube(0.0, math.pi, dim)
    minimizer = tuple(_michalewicz_minimizer(i) for i in range(1, dim + 1))
    optimum = float(_michalewicz(np.array([minimizer]))[0])
    return Problem(
        name=f"michalewicz{dim}",
        function=_michalewicz,
        bounds=bounds,
        optimum=optimum,
        minimizers=(minimizer,),
        source="Michalewicz 1992; [SB]",
    )


def _ackley(X: Array) -> Array:
    root_mean_square = np.sqrt(np.mean(X**2, axis=1))
    mean_cosine = np.mean(np.cos(2.0 * np.pi * X), axis=1)
    value: Array = -20.0 * np.exp(-0.2 * root_mean_square) - np.exp(mean_cosine) + 20.0 + np.e
    return value


def ackley(dim: int) -> Problem:
    """−20 exp(−0.2 sqrt(mean x_i²)) − exp(mean cos 2πx_i) + 20 + e: a cusp at 0 amid ripples [SB]."""
    return _at_zero(_ackley, dim, 32.768, 0.0, "Ackley 1987; [SB]")


def _griewank(X: Array) -> Array:
    i = np.arange(1, X.shape[1] + 1)
    ripple: Array = np.prod(np.cos(X / np.sqrt(i)), axis=1)
    return total(X**2) / 4000.0 - ripple + 1.0


def griewank(dim: int) -> Problem:
    """Σ x_i²/4000 − Π cos(x_i/√i) + 1: a wide bowl with a fine regular ripple [SB]."""
    return _at_zero(_griewank, dim, 600.0, 0.0, "Griewank 1981; [SB]")


# What exists in any dimension.
FAMILIES: dict[str, Callable[[int], Problem]] = {
    "rastrigin": rastrigin,
    "levy": levy,
    "michalewicz": michalewicz,
    "ackley": ackley,
    "griewank": griewank,
}
# The paper's, by name.
PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        *(branin, hartmann3, hartmann4, hartmann6),
        *(rastrigin(3), levy(5), michalewicz(10), ackley(2), griewank(5)),
    )
}


Family = Callable[[int], Problem]

# What is registered beside them: problems, families by dimension, and families by seed.
MORE: dict[str, Problem] = {}
SCALABLE: dict[str, Family] = dict(FAMILIES)
SEEDED: dict[str, Family] = {}
# ---------------------------------------------------------------------- problems by name

SPELLED = {"automl": "AutoML"}  # what a capital does not turn into a title; who registers problems adds theirs


def register(problems: Iterable[Problem], scalable: Mapping[str, Family], seeded: Mapping[str, Family]) -> None:
    """Let `find` find these, too: problems, and families that make the problem of a dimension or of a seed."""
    MORE.update({problem.name: problem for problem in problems})
    SCALABLE.update(scalable)
    SEEDED.update(seeded)


def find(name: str) -> Problem:
    """The problem of this name: "branin", "levy7", "automl" (which needs scikit-learn).

    The names are those in `PROBLEMS` and, for a family that exists in any dimension or is drawn with a seed, its own
    followed by the dimension or the seed.
    """
    fixed = MORE | PROBLEMS
    if name in fixed:
        return fixed[name]
    if name == "automl":
        return automl()
    base, number = family_and_number(name)
    numbered = SCALABLE | SEEDED
    if base in numbered and number:
        return numbered[base](int(number))
    known = [*fixed, "automl"]
    near = difflib.get_close_matches(name, {*known, *(other + (number or "4") for other in numbered)})
    drawn = f"; drawn with a seed, {', '.join(SEEDED)}" if SEEDED else ""
    raise ValueError(
        f"there is no problem {name!r}; the {'nearest ' if near else ''}names are {', '.join(near or known)}; "
        f"in any dimension, with the digits at the end as in levy7, there are {', '.join(SCALABLE)}{drawn}"
    )


def title(problem: str) -> str:
    """The name of a problem, or of a family that seeds draw from, as a title: "Hartmann 6d" for hartmann6."""
    if problem in SPELLED or problem in SEEDED:
        return _spelled(problem)
    name, number = family_and_number(problem)
    if name in SEEDED:
        return f"{_spelled(name)}, seed {number}"
    return _spelled(name) + (f" {number}d" if number else "")


def _spelled(family: str) -> str:
    return SPELLED.get(family, family.capitalize().replace("_", " "))


def family(problem: str) -> str:
    """What a problem is one of: "reaction" for reaction3; a problem that no seed draws is one of itself."""
    name, _ = family_and_number(problem)
    return name if name in SEEDED else problem


def family_and_number(problem: str) -> tuple[str, str]:
    """A name and the number at its end, "" if there is none; a number does not begin with 0 unless it is 0."""
    number = re.search(r"(0|[1-9][0-9]*)\Z", problem)
    return (problem[: number.start()], number.group()) if number else (problem, "")


# ---------------------------------------------------------------------- the AutoML task

# Scikit-learn's names and usual ranges.
SPACE = Space(
    loss=Choice("log_loss", "exponential"),
    learning_rate=Float(0, 1),
    n_estimators=Int(20, 200),
    subsample=Float(0, 1),
    criterion=Choice("friedman_mse", "squared_error"),
    min_samples_split=Int(2, 10),
    min_samples_leaf=Int(1, 10),
    min_weight_fraction_leaf=Float(0, 0.5),
    max_depth=Int(1, 10),
    max_features=Choice("sqrt", "log2"),
    max_leaf_nodes=Int(2, 10),
)


def validation_error(point: Mapping[str, Any]) -> float:
    """The share of validation samples that are misclassified, 1 − accuracy, after training with these settings."""
    data = _split()
    from sklearn import ensemble

    SPACE.to_unit(point)  # refuses, by name, what is no point of the space
    settings = {name: value for name, value in point.items() if name != "criterion"}
    settings["subsample"] = max(point["subsample"], 1e-9)  # far below one of 426 samples; the least it draws is one
    model = ensemble.GradientBoostingClassifier(**settings, random_state=0).fit(data.X, data.labels)
    return float(np.mean(model.predict(data.X_validation) != data.validation_labels))


def automl() -> Problem:
    """The validation error over the paper's box; its optimum is a bound, so the regret is the error, as in the paper.

    Whether any settings classify all validation samples correctly is unknown. Raises MissingExtra now, not in a trial.
    """
    _split()
    native = Native(SPACE, validation_error)
    return Problem(
        name="automl",
        function=native,
        bounds=native.bounds,
        optimum=0.0,
        minimizers=(),
        source="the AutoML task of the paper; Friedman 2001; Street, Wolberg and Mangasarian 1993",
        native=native,
    )


class Split(NamedTuple):
    X: Array  # (426, 30), to train on
    X_validation: Array  # (143, 30)
    labels: NDArray[np.int64]  # (426,)
    validation_labels: NDArray[np.int64]  # (143,)


@cache
def _split() -> Split:
    """The data, read and split once in each process."""
    try:
        from sklearn import datasets, model_selection
    except ModuleNotFoundError as error:
        raise MissingExtra("sklearn", "scikit-learn", "the AutoML task") from error
    X, labels = datasets.load_breast_cancer(return_X_y=True)
    parts = model_selection.train_test_split(X, labels, test_size=0.25, stratify=labels, random_state=0)
    return Split(*parts)
