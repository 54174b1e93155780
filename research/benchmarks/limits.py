"""What is stated about limits on other outputs, against what is true: python -m research.benchmarks.limits [--seeds N]

First the bounds of the regret and of the violations, of functions whose norm is known, then how long it takes to prove
that no point is within all limits.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
import math  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from suffice.accuracy.certificate import certify  # noqa: E402
from suffice.acquisition.constraints import Slack  # noqa: E402
from suffice.belief import Beliefs  # noqa: E402
from suffice.gp.kernels import Matern  # noqa: E402
from suffice.gp.posterior import Posterior  # noqa: E402
from suffice.result.feasibility import KAPPA, MARGIN  # noqa: E402
from suffice.solvers import Adaptive  # noqa: E402
from suffice.space import UnitCube  # noqa: E402
from suffice.types import Array, Step  # noqa: E402

ELL, NORM, NOISE, STEPS = 0.3, 1.5, 0.05, 20
LINE = np.linspace(0.0, 1.0, 2001)
MARGINS = (0.1, 0.3, 1.0)  # deviations by which the largest slack is negative
COLUMNS = (2, 4, 6)


def of_norm(rng: np.random.Generator) -> Callable[[Array], Array]:
    """A function on [0, 1] of norm 1.5 under the kernel of the model: Σ w_j k(·, z_j)."""
    kernel, Z, w = Matern(2.5, ELL), rng.random((6, 1)), rng.standard_normal(6)
    w *= NORM / math.sqrt(w @ kernel(Z, Z) @ w)
    return lambda x: np.asarray(kernel(np.atleast_1d(x)[:, None], Z) @ w)


def ratios(seed: int) -> tuple[float, float, float, float] | None:
    """Regret and its bound, violations and theirs, of one run; None where the design has no point within the limit."""
    rng = np.random.default_rng([seed, 2])
    f, c, noise = of_norm(rng), of_norm(rng), np.random.default_rng([seed, 1])
    limit = float(np.median(c(LINE)))
    result = sf.maximize(
        lambda x: {"value": f(x)[0] + NOISE * noise.standard_normal(), "c": c(x)[0] + NOISE * noise.standard_normal()},
        [(0.0, 1.0)],
        3 + STEPS,
        seed=seed,
        n_initial=3,
        constraints={"c": sf.AtLeast(limit)},
        model=sf.GP(
            standardize=False,
            warp=False,
            noise=NOISE**2,
            prior=sf.gp.Prior(lengthscale_bounds=(ELL, ELL), scale_bounds=(1.0, 1.0)),
        ),
        acquisition=sf.UCB(sf.acquisition.Theory(NORM, NOISE, 0.1)),
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(200)),
        diagnostics=sf.solvers.Diagnostics(proof_seconds=0.05),
    )
    bound = result.accuracy.bound
    if bound.value is None:
        return None
    X = np.array([trial.point[0] for trial in result.trials if trial.solve is not None])
    regret = float(np.sum(f(LINE)[c(LINE) >= limit].max() - f(X)))
    return regret, bound.value, float(np.sum(np.maximum(0.0, limit - c(X)))), bound.violations["c"]


def held(runs: int) -> Iterator[list[str]]:
    """Rows: what is bounded, in how many runs it was exceeded, and what is true and what is stated, per step."""
    found, seed = [], 0
    while len(found) < runs:
        one, seed = ratios(seed), seed + 1
        found += [] if one is None else [one]
    table = np.array(found) / STEPS
    for name, true, stated in (("regret", *table[:, :2].T), ("violations", *table[:, 2:].T)):
        exceeded = f"{int(np.sum(true > stated))} of {runs}"
        yield [name, exceeded, *(f"{np.median(column):.2f}" for column in (true, stated)), f"{2 * NORM:g}"]


def surface(seed: int, d: int, level: float) -> tuple[Slack, Array]:
    """The slack of two outputs that were drawn from their models and seen at 15 points for each parameter."""
    rng = np.random.default_rng(seed)
    X, posteriors = rng.random((15 * d, d)), {}
    for name in ("a", "b"):
        kernel = Matern(2.5, tuple(rng.uniform(0.4, 1.0, d) * math.sqrt(d / 2)))
        z = np.linalg.cholesky(kernel(X, X) + 1e-8 * np.eye(len(X))) @ rng.standard_normal(len(X))
        posteriors[name] = Posterior.condition(kernel, X, z, 1e-4)
    beliefs = Beliefs(posteriors, X[:0], levels=dict.fromkeys(posteriors, level), feasible=X[:0])
    return Slack.of(beliefs, KAPPA), X


def proofs(surfaces: int) -> Iterator[list[str]]:
    """Rows: parameters, boxes and seconds, and how many proofs succeeded for each margin."""
    for d in COLUMNS:
        found = {margin: [] for margin in MARGINS}
        for seed in range(surfaces):
            plain, X = surface(seed, d, 0.0)
            top = Adaptive()(plain, UnitCube(d), step=Step(3, X), rng=np.random.default_rng(0)).value
            for margin in MARGINS:
                slack, _ = surface(seed, d, top + margin)
                enough = (1.0 - MARGIN) * margin
                found[margin].append(certify(slack, UnitCube(d), value=-margin, tolerance=enough))
        every = [proof for proofs in found.values() for proof in proofs]
        boxes, seconds = (np.array([getattr(proof, word) for proof in every]) for word in ("nodes", "seconds"))
        proven = [f"{sum(proof.upper < 0.0 for proof in found[margin])} of {surfaces}" for margin in MARGINS]
        yield [
            str(d),
            f"{np.median(boxes):.0f}",
            f"{boxes.max()}",
            f"{np.median(seconds):.2f}",
            f"{seconds.max():.1f}",
            *proven,
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=60, help="runs of the first table; the second has 8 surfaces")
    runs = parser.parse_args().seeds
    head = ("per step", "exceeded", "true, median", "stated, median", "2B")
    print_table("Every constant known: regret and violations", head, list(held(runs)))
    parts = ("boxes, median", "boxes, most", "seconds, median", "seconds, most")
    head = ("parameters", *parts, *(f"proven at −{margin:g}" for margin in MARGINS))
    print_table("Proofs that no point is within all limits", head, list(proofs(min(runs, 8))))


if __name__ == "__main__":
    main()
