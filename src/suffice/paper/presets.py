"""The experiments by name: the paper's, and ours.

Regret is counted over the iterations after the initial design, which is the same for all methods of a seed.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.acquisition import UCB, SqrtLog, Thompson
from suffice.candidates import Local
from suffice.gp import GP, RBF, Matern, Prior
from suffice.lab.plan import SIX, Method, Plan, tasks
from suffice.paper.restarts import Restarts, SciPyLBFGSB
from suffice.paper.surrogate import surrogate
from suffice.problems import Problem
from suffice.solvers import SOLVERS, Enough, Fixed, Grid, Growth, Heavy, Linear, Power
from suffice.solvers.record import Work, median, ranked, record
from suffice.types import Array, Domain, Score, Solution, Solver, Step

#| -- paper.methods: The methods of the paper's experiments: the authors' four solvers on their surrogate, and ours on
#| the same footing.
#|
#| Faithful to the authors' code where it differs from their text: their local solvers have SciPy's absolute
#| tolerances.
#| One thing is ours: the grids are independent from run to run, as the theory needs; the authors seeded them with t
#| alone,
#| so that every run saw the same ones.

ACQUISITION = UCB(SqrtLog())  # with their β, whatever the default is


def on_surrogate(solver: Solver, problem: Problem) -> dict[str, Any]:
    """A solver on the authors' surrogate, with their β; points may repeat, as theirs did."""
    return {"model": surrogate(problem), "acquisition": ACQUISITION, "solver": solver, "repeat": True}


def restarts(method: Any, problem: Problem) -> dict[str, Any]:
    """Ten restarts of a SciPy minimizer in the problem's own units."""
    return on_surrogate(Restarts(method, problem.bounds), problem)


def for_regret(problem: Problem) -> dict[str, Any]:  # noqa: ARG001  the same for all
    """Everything as it comes with aim="regret", since regret is what the paper measures."""
    return {"acquisition": UCB()}


UNIFORM = Method("uniform", "Uniform", partial(on_surrogate, Grid(near=False)))
UNIFORM_FIXED = Method("uniform_fixed", "Uniform, 100 points", partial(on_surrogate, Grid(near=False, size=Fixed(100))))
L_BFGS_B = Method("lbfgsb", "L-BFGS-B", partial(restarts, "L-BFGS-B"))
NELDER_MEAD = Method("nelder_mead", "NM", partial(restarts, "Nelder-Mead"))
CONJUGATE = Method("cg", "CG", partial(restarts, "CG"))
ENOUGH = Method("enough", "Enough", partial(on_surrogate, Enough()))
UNSHIFTED = Method("uniform_plain", "Uniform, f* unknown", partial(on_surrogate, Grid(near=False)), shifted=False)
RANDOM = Method("random", "Random search", partial(on_surrogate, Grid(near=False, size=Fixed(1))))
SUFFICE = Method("suffice", "suffice", for_regret, native=True)

AUTHORS = (UNIFORM, L_BFGS_B, NELDER_MEAD, CONJUGATE)


#| -- paper.degraded: A solver that is wrong on purpose, by as much as it is told: what does inexact maximization
#| cost?
#|
#| α*   float  the largest value known: of the inner solver's point, or of a draw that is better
#| m    float  median of alpha over uniform draws
#| a    (n,)   accuracy of the draws, (alpha − m) / (α* − m): 1 is exact, 0 no better than a guess; 1 − relative gap
#|
#| The paper's ratio η is not what is aimed at: its shift makes any point look accurate.

AROUND = Local(scales=(0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4))  # a smooth peak falls by the square: by 1e-8 at the last


@dataclass(frozen=True)
class Degraded:
    """The draw whose accuracy is closest to 1 − c t^(−q), of uniform draws and draws around the maximizer.

    The maximizer of `inner` is one of the draws, and c = 0 is `inner` itself. Accumulated over T steps the relative
    gaps grow like T for q = 0, like √T for q = ½ and like log T for q = 1.
    """

    c: float = 0.5
    q: float = 0.5
    inner: Solver = Enough()
    draws: int = 2000  # uniform ones, and as many around the maximizer

    def __post_init__(self) -> None:
        if not (0.0 <= self.c <= 1.0 and self.q >= 0.0):
            raise ValueError(
                f"Degraded got c={self.c!r} and q={self.q!r}; the relative gap c·t^(−q) is a share: 0 ≤ c ≤ 1, q ≥ 0"
            )
        if self.draws < 1:
            raise ValueError(f"Degraded got draws={self.draws!r}; it chooses among its draws, so wanted at least 1")

    def target(self, t: int) -> float:
        """1 − c t^(−q), the accuracy that step t aims at."""
        gap: float = self.c * float(t) ** -self.q
        return 1.0 - gap

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        found = self.inner(alpha, domain, step=step, rng=rng)
        if self.c == 0.0:
            return found
        uniform = domain.sample(self.draws, rng)
        X = np.concatenate([found.x[None], uniform, AROUND(self.draws, domain, design=found.x[None], rng=rng)])
        values = alpha(X)
        at_random = values[1 : 1 + self.draws]
        middle = median(at_random)
        accuracy = _accuracy(values, middle)
        row = int(np.argmin(np.abs(accuracy - self.target(step.t))))
        if row == 0:
            return replace(found, n_evals=found.n_evals + len(X))
        # The tail of the uniform draws estimates α*: a report never sees what the inner solver knew, and may be too
        # careful in many dimensions. The inner solver's own facts would call the chosen point the best one.
        draws = replace(ranked(uniform, at_random, iid=True), median=middle)
        chosen = record(alpha, domain, X[row], Work(values=len(X)), draws=draws)
        return replace(chosen, n_evals=found.n_evals + chosen.n_evals, n_grads=found.n_grads)


def _accuracy(values: Array, middle: float | None) -> Array:
    """a, (n,); −∞ where alpha has no value. On a flat surface every point is exact."""
    known = np.where(np.isnan(values), -np.inf, values)
    top = float(known.max())
    if middle is None or not top > middle:
        return np.where(known == top, 1.0, -np.inf)
    accuracy: Array = (known - middle) / (top - middle)
    return accuracy


#| -- paper.variants: Methods of our own experiments: one part exchanged, everything else as it comes.
#|
#| t  int  step, from 1        d  int  dimension        q  float  how fast the accuracy grows (degraded.py)

LARGEST = 10**7  # points of a grid: never reached, 100·30³ is the largest


def exchanged(problem: Problem, **parts: Any) -> dict[str, Any]:  # noqa: ARG001  the same for all
    """These parts, on every problem."""
    return parts


def restarts_variants(method: Any, problem: Problem) -> dict[str, Any]:
    """The paper's restarts, in the problem's own units, on the default surrogate."""
    return {"acquisition": ACQUISITION, "solver": Restarts(method, problem.bounds)}


PAPER_GRID = Grid(near=False)  # as in the paper, which looks at nothing but the grid


def _variant(name: str, label: str, **parts: Any) -> Method:
    return Method(name, label, partial(exchanged, **{"acquisition": ACQUISITION, **parts}))


def _growth(name: str, label: str, size: Growth) -> Method:
    return _variant(name, label, solver=Grid(near=False, size=size))


GROWTHS = (
    _growth("fixed", "100", Fixed(100)),
    _growth("linear", "100 t", Linear(100)),
    _growth("square", "100 t²", Power(100, 2.0, LARGEST)),
    _growth("volume", "100 t^d", Power(100, None, LARGEST)),
)

KERNELS = (
    _variant("rbf", "RBF", model=GP(kernel=RBF()), solver=PAPER_GRID),
    _variant("matern32", "Matérn 3/2", model=GP(kernel=Matern(1.5)), solver=PAPER_GRID),
    _variant("matern52", "Matérn 5/2", model=GP(kernel=Matern(2.5)), solver=PAPER_GRID),
)

NORM = 10.0  # B in standardised outputs: the fitted means have norms of 4 to 7, seldom more than 10
GRID_ETA = 0.95  # η̃: of a grid of 100 t points on a path, in up to three dimensions, η is rarely smaller

THOMPSON = Thompson(SqrtLog())  # with their β, whatever the default is
WIDENED = replace(THOMPSON, B=NORM, eta=GRID_ETA)
THOMPSONS = (
    _variant("ts_grid", "TS, grid", acquisition=THOMPSON, solver=PAPER_GRID),
    _variant("ts_wide_grid", "TS widened, grid", acquisition=WIDENED, solver=PAPER_GRID),
    _variant(
        "ts_joint",
        "TS, joint draw",
        acquisition=replace(THOMPSON, exact=True, points=1000),
        solver=Grid(near=False, size=Fixed(1000)),
    ),
    _variant("ts_enough", "TS, Enough", acquisition=THOMPSON, solver=Enough()),
    _variant("ts_wide_enough", "TS widened, Enough", acquisition=replace(THOMPSON, B=NORM), solver=Enough()),
    _variant("ucb_grid", "UCB, grid", solver=PAPER_GRID),
)

EVERY_SOLVER = (
    *(_variant(name, type(make()).__name__, solver=make()) for name, make in SOLVERS.items() if name != "heavy"),
    _variant("scipy_lbfgsb", "SciPyLBFGSB", solver=SciPyLBFGSB()),
    Method("restarts_lbfgsb", "L-BFGS-B restarts", partial(restarts_variants, "L-BFGS-B")),
    Method("restarts_nm", "NM restarts", partial(restarts_variants, "Nelder-Mead")),
    Method("restarts_cg", "CG restarts", partial(restarts_variants, "CG")),
)

GRID = _variant("grid", "Grid", solver=PAPER_GRID)
ENOUGH_VARIANTS = _variant("enough", "Enough", solver=Enough())

# Outputs in their own units and prior mean 0, as the theory has it, so that regret, Σ g_t and Σ w_t can be compared;
# their variance is whatever the objective makes it.
PLAIN = GP(standardize=False, warp=False, prior=Prior(scale=None, scale_bounds=(1e-2, 1e6)))
WIDE = UCB(SqrtLog(2.0))  # with scale 1 the objective leaves μ ± βσ now and then, and with it the bound its reason


def _inexact(name: str, label: str, solver: Solver) -> Method:
    return _variant(name, label, model=PLAIN, acquisition=WIDE, solver=solver)


# Enough stops where its share of w_t is reached, and w_t is large while the variance is being learned.
INEXACT = (
    _inexact("constant", "gap ½", Degraded(0.5, q=0.0, inner=Heavy())),
    _inexact("root", "gap ½ t^(−½)", Degraded(0.5, q=0.5, inner=Heavy())),
    _inexact("inverse", "gap ½ t^(−1)", Degraded(0.5, q=1.0, inner=Heavy())),
    _inexact("exact", "exact", Heavy()),
)


QUICK = "-quick"  # at the end of a name: its runs are others than those of the whole experiment, and kept apart
QUICK_SEEDS = 2
QUICK_AUDITS = 4  # times as far apart, and of the first seed only

COMPARED = (*AUTHORS, ENOUGH, SUFFICE)


MAIN = Plan(
    name="main",
    title="The paper's main experiment: four solvers on six functions, and ours beside them",
    about=(
        "GP-UCB with the authors' surrogate, its acquisition function maximized by a random grid of 100 t points "
        "(Uniform) or by ten restarts of L-BFGS-B, Nelder–Mead (NM) or conjugate gradients (CG). The paper finds the "
        "grid's cumulative regret competitive and its time among the shortest. Initial designs have ten points for "
        "each dimension. Hartmann4 has the 120 iterations of the paper's figure, where its text says 100. Two methods "
        "are ours: Enough, the default solver of suffice on the authors' surrogate, and suffice, everything as it "
        "comes. One thing is not as in the authors' code: there the grid of step t was the same in all runs, here "
        "grids are independent, as the theory needs."
    ),
    tasks=SIX,
    methods=COMPARED,
    audit=10,
    audited=2,
)

SMALL = Plan(
    name="small",
    title="The paper's experiment with small initial designs",
    about=(
        "The main experiment with half as many initial points, five for each dimension, and fewer iterations. The "
        "paper finds the same: the grid's regret is competitive, its time far shorter. Enough and suffice are ours."
    ),
    tasks=tasks(
        5,
        ("branin", 2, 20),
        ("rastrigin3", 3, 45),
        ("hartmann3", 3, 45),
        ("hartmann4", 4, 60),
        ("levy5", 5, 50),
        ("hartmann6", 6, 90),
    ),
    methods=COMPARED,
    audit=10,
    audited=2,
)

AUTOML = Plan(
    name="automl",
    title="The paper's AutoML task: eleven hyper-parameters of gradient boosting",
    about=(
        "The validation error of gradient boosting on the breast-cancer data, over eleven hyper-parameters; regret is "
        "the error itself. The paper's methods and Enough see a box of floats, rounded before the training; suffice "
        "sees integers and choices as such. In the paper the grid has the lowest regret. It does not say how large the "
        "initial design was: here it has ten points for each dimension, the rule of the paper's other experiments. The "
        "horizon is about that of its figure. Its split of the data is unknown, so compare curves by their order, not "
        "by their level. Needs scikit-learn."
    ),
    tasks=tasks(10, ("automl", 11, 42)),
    methods=COMPARED,
    reps=12,  # a minute and a half for each seed on one core, most of it for the objective
    audit=10,
    audited=2,
)

GRID_SIZE = Plan(
    name="grid-size",
    title="The paper's ablation: a grid that grows against one of 100 points, on the AutoML task",
    about=(
        "A random grid of 100 t points against one of 100 points at every step, on the AutoML task with a longer "
        "horizon. The paper finds the growing grid slightly better. Enough is ours. The initial design, not described "
        "in the paper, has ten points for each dimension. Needs scikit-learn."
    ),
    tasks=tasks(10, ("automl", 11, 110)),
    methods=(UNIFORM, UNIFORM_FIXED, ENOUGH),
    reps=15,  # a minute for each seed
    audit=10,
    audited=2,
)

MICHALEWICZ = Plan(
    name="michalewicz",
    title="The authors' experiment on the 10-dimensional Michalewicz function",
    about=(
        "From the authors' repository, not in the paper's text: a function of plains and steep valleys on which no "
        "method gets far. The published regret is about 8 at every step, where 9.66 is that of a plain. The size of "
        "the initial design is not known: it has ten points for each dimension, as in the main experiment. Enough and "
        "suffice are ours."
    ),
    tasks=tasks(10, ("michalewicz10", 10, 300)),
    methods=COMPARED,
    reps=6,  # three minutes for each seed, more than half of it for Nelder–Mead
    audit=30,
    audited=2,
)

GROWTH = Plan(
    name="growth",
    title="How fast should the grid grow? 100, 100 t, 100 t² and 100 t^d points",
    about=(
        "The paper proves that a random grid of order t is enough for sublinear regret, with a term of T^((d−1)/d) "
        "owed to the grid; of order t² the exponent is (d−2)/d, of order t^d about log T is left. A fixed size is not "
        "covered. This experiment is ours, on the default surrogate: what does more growth buy, in accuracy, regret "
        "and time? Audits show the accuracy. No size is capped: the largest grid has 2.7 million points. On Branin "
        "the last two sizes are the same, d being 2."
    ),
    tasks=tasks(5, ("branin", 2, 40), ("hartmann3", 3, 30)),
    methods=GROWTHS,
    reps=10,
    audit=5,
    audited=3,
)

KERNELS_PRESETS = Plan(
    name="kernels",
    title="The random grid under three kernels: RBF, Matérn 3/2 and Matérn 5/2",
    about=(
        "The paper's bounds hold for the squared-exponential (RBF) kernel and for Matérn kernels with ν ≥ 2, through "
        "the information gain, which grows more slowly the smoother the kernel is; the authors' experiments use "
        "ν = 3/2, which is not covered. This experiment is ours: the paper's grid of 100 t points on the default "
        "surrogate, of which only the kernel changes."
    ),
    tasks=tasks(5, ("branin", 2, 60), ("rastrigin3", 3, 60), ("hartmann4", 4, 60), ("levy5", 5, 60)),
    methods=KERNELS,
    reps=20,
    audit=10,
    audited=2,
)

THOMPSON_PRESETS = Plan(
    name="thompson",
    title="Thompson sampling with an inexact solver: on a grid, with a wider posterior, as a joint draw",
    about=(
        "The paper bounds the regret of random-grid GP-TS, and of inexact GP-TS, whose posterior is widened by what "
        "the solver may leave; it has no experiments on either. Ours, on the default surrogate: a path maximized on "
        f"100 t uniform points, as it is and widened for B = {NORM:g} and η̃ = {GRID_ETA:g}; a joint "
        "draw on 1000 points, without a path's random features; a path maximized by Enough, as it is and widened for "
        "what Enough allowed itself in the step before; and GP-UCB on the same grid. The deviation is scaled by "
        "β_t = sqrt(log(t + 1)) throughout, as in the paper's algorithm."
    ),
    tasks=tasks(5, ("branin", 2, 40), ("hartmann3", 3, 40), ("hartmann4", 4, 40)),
    methods=THOMPSONS,
    reps=10,
    audit=10,
    audited=2,
)

SOLVERS_presets = Plan(
    name="solvers",
    title="Every solver on the same surrogate, each of its steps audited: how exact is it, and does it matter?",
    about=(
        "The paper's M_T, the accumulated inaccuracy, is not observed in its experiments. Here every step of the first "
        "seeds is solved again by a heavy solver: η_t, M_T and the relative gaps as they were, beside regret and time. "
        "The surrogate is the default one; the solvers are those of suffice, and the paper's restarts, which start "
        "anywhere, follow finite differences and stop at SciPy's absolute tolerances."
    ),
    tasks=tasks(5, ("branin", 2, 40), ("hartmann3", 3, 40), ("hartmann6", 6, 30)),
    methods=EVERY_SOLVER,
    reps=6,
    audit=1,
    audited=3,
)

DIMENSION = Plan(
    name="dimension",
    title="The random grid as the dimension grows: Levy in 1 to 10 dimensions",
    about=(
        "The part of the paper's bound that is owed to the grid is T^((d−1)/d): nothing in one dimension, almost "
        "linear in many, because the holes of the grid hardly shrink. Ours: 100 t points against Enough on the default "
        "surrogate, with audits that show what the grid leaves. `fill_distances` gives the size of the holes."
    ),
    tasks=tasks(5, *((f"levy{d}", d, 50) for d in (1, 2, 4, 6, 8, 10))),
    methods=(GRID, ENOUGH_VARIANTS),
    reps=10,
    audit=5,
    audited=3,
)

INEXACT_PRESETS = Plan(
    name="inexact",
    title="Theorem 1, tested: solvers that are wrong by as much as they are told",
    about=(
        "The paper's Theorem 1 says that the regret of GP-UCB stays sublinear if the accumulated inaccuracy M_T does. "
        "This experiment is ours. The solver returns a point whose relative gap is ½, ½ t^(−½) or ½ t^(−1), or the "
        "maximizer: gaps that add up like T, √T, log T or nothing. All steps are audited, so that regret can be seen "
        "beside M_T and both sums of the theorem's proof, R_T ≤ Σ g_t + Σ w_t: what the solver left, and "
        "w_t = 2 β_t σ(x_t). The surrogate takes the outputs in their own units with prior mean 0, the optimum, so "
        "that both sides can be compared; β_t = 2 sqrt(log(t + 1)), twice the paper's, for the inequality holds as "
        "long as the objective stays within μ ± βσ. On the first three problems it did when we tried, on Ackley, whose "
        "cone no smooth model foresees, it did not: there the bound is broken, and shown to be. The relative gap is "
        "used, and not η, because its shift makes any point look accurate."
    ),
    tasks=tasks(5, ("branin", 2, 60), ("hartmann3", 3, 60), ("hartmann4", 4, 60), ("ackley2", 2, 60)),
    methods=INEXACT,
    reps=10,
    audit=1,
    audited=10,
)

SURROGATE = Plan(
    name="surrogate",
    title="What the authors' surrogate takes for granted: the size of the domain, and the optimum's value",
    about=(
        "The authors fit one length-scale in the problem's own units, from 1, and shift the outputs by the optimum, so "
        "that the prior mean is the value looked for. No user knows that value: 'f* unknown' is the same grid on the "
        "same surrogate without the shift. On a wide domain (Griewank, 1200 across) all points are many length-scales "
        "apart, the likelihood is flat at 1 and the fit stays there: the surrogate knows nothing, and the grid's first "
        "point is as good as any. suffice scales inputs and outputs, and does not mind."
    ),
    tasks=tasks(5, ("hartmann3", 3, 60), ("griewank5", 5, 60), ("levy5", 5, 60), ("hartmann6", 6, 60)),
    methods=(RANDOM, UNIFORM, UNSHIFTED, ENOUGH, SUFFICE),
    reps=10,
)

PRESETS: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        MAIN,
        SMALL,
        AUTOML,
        GRID_SIZE,
        MICHALEWICZ,
        GROWTH,
        KERNELS_PRESETS,
        THOMPSON_PRESETS,
        SOLVERS_presets,
        DIMENSION,
        INEXACT_PRESETS,
        SURROGATE,
    )
}


def quick(plan: Plan) -> Plan:
    """The same in a few minutes: two seeds, and audits that are rare and of the first seed only."""
    return replace(
        plan,
        name=plan.name + QUICK,
        reps=min(plan.reps, QUICK_SEEDS),
        audit=QUICK_AUDITS * plan.audit,
        audited=min(plan.audited, 1),
    )
