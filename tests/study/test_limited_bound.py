"""What a run states about its regret and its violations where outputs are limited, and where there are several aims."""

import math

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.regret import Premises
from suffice.gp.kernels import Matern

ELL, B, NOISE = 0.3, 1.5, 0.05
FIXED = sf.gp.Prior(lengthscale_bounds=(ELL, ELL), scale_bounds=(1.0, 1.0))
KNOWN = sf.GP(standardize=False, warp=False, noise=NOISE**2, prior=FIXED)
THEORY = {
    "model": KNOWN,
    "acquisition": sf.UCB(sf.acquisition.Theory(B, NOISE, 0.1)),
    "solver": sf.solvers.Grid(size=sf.solvers.Fixed(200)),
}
GRID = np.linspace(0.0, 1.0, 2001)


def of_norm(rng):
    """A function of norm B under the model's kernel: Σ w_j k(·, z_j)."""
    kernel, Z, w = Matern(2.5, ELL), rng.random((6, 1)), rng.standard_normal(6)
    w *= B / math.sqrt(w @ kernel(Z, Z) @ w)
    return lambda x: kernel(np.atleast_1d(x)[:, None], Z) @ w


def run(seed, n=14, **words):
    """A study of two such functions, one of which is limited to the better half of its values, by Theory's β."""
    rng = np.random.default_rng(seed)
    f, c, noise = of_norm(rng), of_norm(rng), np.random.default_rng([seed, 1])
    limit = float(np.median(c(GRID)))
    optimizer = sf.Optimizer(
        [(0.0, 1.0)],
        seed=seed,
        n_initial=3,
        direction="maximize",
        constraints={"c": sf.AtLeast(limit)},
        **(THEORY | words),
    )
    for _ in range(n):
        trial = optimizer.ask()
        values = {"value": f(trial.point[0])[0], "c": c(trial.point[0])[0]}
        optimizer.tell(trial, {name: y + NOISE * noise.standard_normal() for name, y in values.items()})
    return optimizer, f, c, limit


def broken(optimizer):
    return " | ".join(optimizer.accuracy.bound.broken)


# ------------------------------------------------------------------ whether it holds


def test_regret_and_violations_of_functions_of_known_norm_stay_below_the_bound():
    # The streams are fixed. All bands hold with probability 0.8 at least, in practice far more often: none of 60 runs
    # exceeded either number.
    found = []
    for seed in range(6):
        optimizer, f, c, limit = run(seed, 11, diagnostics=sf.solvers.Diagnostics(proof_seconds=0.03))
        X = np.array([trial.point[0] for trial in optimizer.trials if trial.solve is not None])
        best, bound = f(GRID)[c(GRID) >= limit].max(), optimizer.accuracy.bound
        if bound.value is None:  # no point of the design was within the limit
            assert "searched for a first feasible point" in broken(optimizer)
            continue
        regret, violation = float(np.sum(best - f(X))), float(np.sum(np.maximum(0.0, limit - c(X))))
        assert regret <= bound.value
        assert violation <= bound.violations["c"]
        found.append(bound)
    assert len(found) >= 3
    assert all(bound.probability == pytest.approx(0.8) for bound in found)
    assert (
        np.median([bound.violations["c"] for bound in found]) < 0.9 * 2 * B * 8
    )  # it says more than that c has a norm


def test_with_every_constant_known_nothing_is_broken_but_proofs():
    optimizer = next(
        optimizer
        for optimizer, *_ in (run(seed, 8, diagnostics=sf.solvers.Diagnostics(proof_seconds=5.0)) for seed in range(6))
        if not broken(optimizer)
    )
    bound = optimizer.accuracy.bound
    assert "B and R hold for the constrained outputs as well" in bound.assumptions
    assert "some point is feasible" in bound.assumptions
    assert str(bound).endswith("with a probability of at least 0.8.")
    assert f"and the violations add up to at most {bound.violations['c']:.4g} in c" in str(bound)
    assert "against the best feasible point, is at most" in str(bound)


def test_the_most_that_a_step_violates_is_what_its_model_says():
    optimizer, *_, limit = run(0, 8)
    trial = optimizer.ask()
    mean, std = optimizer._fitted["c"].posterior.predict(trial.unit[None])
    kappa = max(1.0, trial.solve.beta)
    assert trial.solve.violations["c"] == pytest.approx(max(0.0, limit - (mean[0] - kappa * std[0])), rel=1e-9)


def test_other_units_of_an_output_give_its_violations_in_other_units():
    def violations(scale):
        result = sf.minimize(
            lambda x: {"value": (x[0] - 0.8) ** 2, "c": scale * (x[0] + x[1] ** 2)},
            [(0, 1)] * 2,
            9,
            seed=0,
            aim="regret",
            solver=sf.solvers.Grid(size=sf.solvers.Fixed(64)),
            constraints={"c": sf.AtMost(0.6 * scale)},
        )
        return result.accuracy.bound.violations["c"]

    assert violations(1024.0) == pytest.approx(1024.0 * violations(1.0), rel=1e-9)


# ------------------------------------------------------------------ what is said


def within(x):
    return {"value": (x[0] - 0.8) ** 2, "c": x[0] + x[1] ** 2, "d": x[1]}


LIMITS = {"c": sf.AtMost(0.6), "d": sf.AtLeast(0.1)}


def said(**words):
    return sf.minimize(within, [(0, 1)] * 2, 9, seed=0, **({"constraints": LIMITS} | words)).accuracy.bound


def test_the_default_has_no_bound_and_says_why():
    bound = said()
    assert (bound.value, bound.violations) == (None, None)
    text = str(bound)
    assert text.startswith(
        "There is no bound on the cumulative regret of the points that the model proposed, against the"
    )
    for words in (
        "B is not known",
        "the hyper-parameters were fitted",
        "steps used another acquisition",
        "weighted points by their probability of being feasible",
    ):
        assert words in text


def test_the_upper_confidence_bound_has_a_yardstick_for_both():
    bound = said(aim="regret")
    assert bound.value > 0
    assert set(bound.violations) == {"c", "d"}
    assert "would add up to at most" in str(bound)
    assert "beta = scale*sqrt(log(t + 1)) is a rule of thumb" in str(bound)
    assert bound.probability == pytest.approx(0.7)  # three outputs


def test_steps_that_look_for_a_first_point_are_said():
    bound = said(aim="regret", constraints={"c": sf.AtMost(-1.0), "d": sf.AtLeast(0.1)})
    assert bound.value is None
    assert bound.violations is None
    assert "steps searched for a first feasible point" in str(bound)
    assert "no evaluated point is feasible" in str(bound)
    assert "used another acquisition" not in str(bound)


def test_trials_that_lack_an_output_are_said():
    def partly(x):
        values = within(x)
        return values if values["c"] <= 0.6 else values | {"value": None}

    result = sf.minimize(partly, [(0, 1)] * 2, 9, seed=0, aim="regret", constraints=LIMITS)
    lacking = sum("value" not in trial.values for trial in result.trials)
    assert lacking > 0
    assert any(f"{lacking} trial" in sentence for sentence in result.accuracy.bound.broken)


def test_a_saved_run_has_the_same_bound(tmp_path):
    result = sf.minimize(within, [(0, 1)] * 2, 8, seed=0, aim="regret", constraints=LIMITS)
    result.save(tmp_path / "run.json")
    assert sf.load(tmp_path / "run.json").accuracy.bound == result.accuracy.bound


def test_several_objectives_have_no_number_and_every_reason():
    result = sf.optimize(
        lambda x: {"a": x[0] ** 2 + x[1], "b": (x[0] - 1) ** 2 + x[1]},
        [(0, 1)] * 2,
        n_trials=9,
        objectives={"a": "minimize", "b": "minimize"},
        seed=0,
    )
    bound = result.accuracy.bound
    assert (bound.value, bound.value_model, bound.violations) == (None, None, None)
    text = str(bound)
    assert text.startswith("There is no bound on the hypervolume regret")
    for words in ("the whole front", "not of their true values", "reference={...} fixes it", "a constant beta"):
        assert words in text
    assert "Theorem 1" not in text


def test_every_output_has_its_own_chance_to_leave_its_band():
    words = {"kernel": Matern(2.5, 0.3), "tau": 0.1, "dimension": 1, "delta": 0.1}
    assert Premises(**words).probability == pytest.approx(0.9)
    assert Premises(**words, limited=("a", "b")).probability == pytest.approx(0.7)
    assert Premises(**words, limited=tuple("abcdefghijk")).probability == 0.0
