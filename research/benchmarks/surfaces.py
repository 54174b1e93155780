"""Frozen scores of real runs with their maxima: what the benchmarks of accuracy judge by.

Runs of 60 trials keep the score of some of their steps. The functions come in two halves: constants of the library were
chosen on the one, and tables in the docs are of the other. `python -m research.benchmarks.surfaces FILE [acquisition
…]` records both into a file, from which `python -m research.benchmarks.accuracy FILE` reads them.
"""

from research.benchmarks.timing import pin_threads

pin_threads()

import itertools  # noqa: E402
import pickle  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Iterator, Mapping  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Literal  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.truth import truth  # noqa: E402
from research.problems import find  # noqa: E402
from suffice.gp.kernels import Matern  # noqa: E402
from suffice.gp.posterior import Posterior, sample_path  # noqa: E402
from suffice.space import as_space  # noqa: E402
from suffice.types import Array, Domain, Solution, Step  # noqa: E402

TRIALS = 60
AFTER = (1, 8, 20, 40)  # observations beyond the initial design at which the score is kept, and one later for its kind
Half = Literal["chosen", "reported"]
ACQUISITIONS: dict[str, Callable[[], Any]] = {"UCB": sf.UCB, "default": sf.acquisition.LookAround}
OTHERS: dict[str, Callable[[], Any]] = {
    "EI": sf.acquisition.EI,
    "PI": sf.acquisition.PI,
    "MES": sf.acquisition.MES,
    "Thompson": sf.acquisition.Thompson,
    "KG": sf.acquisition.KG,
}
FEW = (1, 2, 3, 5, 8)  # dimensions in which the others are looked at, on one function each


@dataclass(frozen=True)
class Surface:
    """A frozen score, where it is maximized, and what is true about it."""

    name: str  # of the function
    half: Half
    acquisition: str
    kind: str | None  # what the step was for
    mixed: bool
    alpha: Any
    domain: Domain
    step: Step
    best: float  # the largest value that was found
    median: float

    @property
    def spread(self) -> float:
        return self.best - self.median


@dataclass
class Recorder:
    """A solver that keeps the scores of some steps."""

    wanted: frozenset[int]
    kept: list[tuple[Any, Domain, Step]] = field(default_factory=list)

    def __call__(self, alpha: Any, domain: Any, *, step: Step, rng: Any) -> Solution:
        if len(step.design) in self.wanted:
            self.kept.append((alpha, domain, step))
        return sf.solvers.Adaptive()(alpha, domain, step=step, rng=rng)


@dataclass(frozen=True)
class Wave:
    """A sample path of a Gaussian process with a Matérn kernel, as a function of the cube."""

    dim: int
    seed: int
    lengthscale: float

    def __call__(self, x: Any) -> float:
        return float(self._path(np.asarray(x, dtype=float)[None])[0])

    @property
    def _path(self) -> Callable[[Array], Array]:
        kernel = Matern(2.5).with_lengthscale(np.full(self.dim, self.lengthscale))
        prior = Posterior.condition(kernel, np.empty((0, self.dim)), np.empty(0), 1e-4)
        return sample_path(prior, np.random.default_rng(self.seed), 512)


def cooking(point: Mapping[str, Any]) -> float:
    """Two choices, two integers and three floats, each of which has its best value by the others."""
    pot = {"iron": 0.3, "steel": 0.0, "clay": 0.6}[point["pot"]]
    heat = {"gas": 0.0, "coal": 0.5, "electric": 0.2, "sun": 0.9}[point["heat"]]
    a, b, c = point["salt"], point["time"], point["acid"]
    n, k = point["spices"], point["stirs"]
    return (
        (a - 0.3 - 0.4 * pot) ** 2
        + 0.5 * (b - 0.7 + 0.3 * heat) ** 2
        + 0.3 * np.cos(7.0 * c + 2.0 * pot)
        + 0.02 * (n - 4.0 - 3.0 * heat) ** 2
        + 0.001 * (k - 30.0) ** 2
        + 0.3 * abs(pot - heat)
    )


COOKING = sf.Space(
    pot=sf.Choice("iron", "steel", "clay"),
    heat=sf.Choice("gas", "coal", "electric", "sun"),
    salt=sf.Float(0, 1),
    time=sf.Float(0, 1),
    acid=sf.Float(0, 1),
    spices=sf.Int(1, 12),
    stirs=sf.Int(1, 100),
)


def press(point: Mapping[str, Any]) -> float:
    """One choice, two integers on a logarithmic scale and two floats."""
    shift = {"a": 0.0, "b": 0.4, "c": -0.3, "d": 0.15, "e": 0.7}[point["mould"]]
    u, v = np.log2(point["force"]) / 10.0, np.log2(point["speed"]) / 8.0
    x, y = point["angle"], point["feed"]
    return float(np.sin(5.0 * (u + shift)) + (v - 0.5 - 0.2 * shift) ** 2 * 3.0 + np.cos(4.0 * (x - u)) + (y - v) ** 2)


PRESS = sf.Space(
    mould=sf.Choice("a", "b", "c", "d", "e"),
    force=sf.Int(1, 1024, log=True),
    speed=sf.Int(1, 256, log=True),
    angle=sf.Float(0, 3),
    feed=sf.Float(0, 1),
)

# Of a dimension: the functions that constants were chosen on, and those that tables are of.
HALVES: dict[Half, dict[int, tuple[str, ...]]] = {
    "chosen": {
        1: ("levy1", "ackley1", "wave"),
        2: ("branin", "ackley2", "wave"),
        3: ("hartmann3", "levy3"),
        5: ("styblinski_tang5", "levy5"),
        8: ("ackley8", "levy8"),
        12: ("styblinski_tang12", "levy12"),
        20: ("ackley20", "levy20"),
    },
    "reported": {
        1: ("griewank1", "rastrigin1", "wave"),
        2: ("six_hump_camel", "rastrigin2", "wave"),
        3: ("cosine_mixture3", "wave"),
        5: ("michalewicz5", "rosenbrock5"),
        8: ("griewank8", "cosine_mixture8"),
        12: ("rosenbrock12", "rastrigin12"),
        20: ("griewank20", "cosine_mixture20"),
    },
}
MIXED: dict[Half, tuple[str, ...]] = {
    "chosen": ("cooking", "reaction_small1", "which_model1", "staircase1", "many_options1"),
    "reported": ("press", "reaction2", "which_model2", "staircase2", "reaction_large2"),
}
OWN: dict[str, tuple[Callable[[Any], float], Any]] = {"cooking": (cooking, COOKING), "press": (press, PRESS)}


def function(name: str, half: Half, dim: int) -> tuple[Callable[[Any], float], Any]:
    """A function and its space."""
    if name in OWN:
        return OWN[name]
    if name == "wave":
        seed = {"chosen": 10, "reported": 77}[half] + dim
        return Wave(dim, seed, 0.2 * np.sqrt(dim)), [(0.0, 1.0)] * dim
    problem = find(name)
    return (problem.native.function, problem.native.space) if problem.native else (problem, list(problem.bounds))


def recorded(name: str, half: Half, dim: int, acquisition: str, seed: int) -> Iterator[Surface]:
    """The scores of one run, with their maxima."""
    f, given = function(name, half, dim)
    space = as_space(given)
    first = sf.Optimizer(space).settings.n_initial
    sizes = frozenset(first + k + j for k in AFTER for j in ((0, 1) if acquisition == "default" else (0,)))
    recorder = Recorder(sizes)
    make = {**ACQUISITIONS, **OTHERS}[acquisition]
    sf.minimize(f, given, first + max(AFTER) + 2, seed=seed, acquisition=make(), solver=recorder)
    mixed = any(not coordinate.smooth for coordinate in space.coordinates)
    for alpha, domain, step in recorder.kept:
        best, median = truth(alpha, domain, step.design, np.random.default_rng(seed))
        yield Surface(name, half, acquisition, alpha.kind, mixed, alpha, domain, step, best, median)


def jobs(wanted: tuple[str, ...]) -> Iterator[tuple[str, Half, int, str, int]]:
    """The runs: on all functions with the usual acquisitions, on a few with the others."""
    for (half, by_dim), acquisition in itertools.product(HALVES.items(), wanted):
        seed = 3 if half == "chosen" else 8
        usual = acquisition in ACQUISITIONS
        for dim, names in by_dim.items():
            if usual or dim in FEW:
                yield from ((name, half, dim, acquisition, seed) for name in names[: None if usual else 1])
        yield from ((name, half, 0, acquisition, seed) for name in MIXED[half][: None if usual else 2])


def load(path: str | Path) -> list[Surface]:
    """What `main` recorded."""
    with Path(path).open("rb") as file:
        found: list[Surface] = pickle.load(file)
    return found


def main(path: str, *wanted: str) -> None:
    found: list[Surface] = []
    for job in jobs(wanted or (*ACQUISITIONS, *OTHERS)):
        found += recorded(*job)
        print(f"{len(found):4} surfaces, last of {job[0]} by {job[3]}", flush=True)
        with Path(path).open("wb") as file:
            pickle.dump(found, file)


if __name__ == "__main__":
    from research.benchmarks import surfaces  # what is pickled has to be named by the module, not by the script

    surfaces.main(*sys.argv[1:])
