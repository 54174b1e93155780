"""Studies with limits on other outputs: what changes nothing, what is proven, and whether probabilities are."""

import itertools
import math

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.constraints import p_feasible
from suffice.ask import suggest as module
from suffice.ask.models import beliefs_of, fit_outputs, level, replayed
from suffice.ask.suggest import freeze
from suffice.gp.kernels import Matern
from suffice.gp.transform import standardised

BOX = [(0.0, 1.0)] * 2
GRID = sf.solvers.Grid(size=sf.solvers.Fixed(128))
RULES = {"default": {}, "regret by a grid": {"aim": "regret", "solver": GRID}}


def value(x):
    return (x[0] - 0.7) ** 2 + (x[1] - 0.4) ** 2 + 0.1 * math.sin(9 * x[0])


def arc(x):
    return x[0] + x[1] ** 2


def run(outputs=None, limits=None, n=8, **words):
    """A study of `value` under limits on further outputs, functions of the point by name."""

    def f(x):
        return {"value": value(x), **{name: of(x) for name, of in outputs.items()}} if outputs else value(x)

    return sf.minimize(f, BOX, n, seed=1, **({"constraints": limits} if limits else {}), **words)


def points(result):
    return np.array([trial.point for trial in result.trials])


@pytest.fixture(params=RULES)
def rule(request):
    return RULES[request.param]


# ------------------------------------------------------------------ what changes nothing


def test_at_most_is_at_least_of_the_negative_bit_for_bit(rule):
    below = run({"c": arc}, {"c": sf.AtMost(0.6)}, **rule)
    above = run({"c": lambda x: -arc(x)}, {"c": sf.AtLeast(-0.6)}, **rule)
    assert np.array_equal(points(below), points(above))
    assert [t.solve and t.solve.value for t in below.trials] == [t.solve and t.solve.value for t in above.trials]


@pytest.mark.parametrize("far", [1e9, 1e300])
def test_a_limit_far_from_everything_changes_no_suggestion(rule, far):
    plain, limited = run(**rule), run({"c": arc}, {"c": sf.AtMost(far)}, **rule)
    # Within limits a score has no Hessian, so that another search ends at the same point but for its last digits.
    assert points(plain) == pytest.approx(points(limited), abs=1e-3)
    assert all(trial.solve.p_feasible == 1.0 for trial in limited.trials if trial.solve is not None)


def test_other_units_of_a_limited_output_change_no_suggestion(rule):
    plain = points(run({"c": arc}, {"c": sf.AtMost(0.6)}, **rule))
    doubled = points(run({"c": lambda x: 1024 * arc(x)}, {"c": sf.AtMost(0.6 * 1024)}, **rule))
    moved = points(run({"c": lambda x: 7 * arc(x) + 3}, {"c": sf.AtMost(7 * 0.6 + 3)}, **rule))
    assert np.array_equal(doubled, plain)
    assert moved == pytest.approx(plain, abs=1e-8)


def test_the_order_of_the_limits_changes_no_suggestion(rule):
    outputs = {"c": arc, "d": lambda x: x[1]}
    limits = {"c": sf.AtMost(0.6), "d": sf.AtLeast(0.2)}
    there, back = (
        run(dict(turn(outputs.items())), dict(turn(limits.items())), **rule)
        for turn in (list, lambda i: reversed(list(i)))
    )
    assert points(back) == pytest.approx(points(there), abs=1e-8)


# ------------------------------------------------------------------ limits in model units


def test_a_limit_among_penalties_keeps_the_measured_sides_apart():
    """Values far worse than all others are cut off for the model: those beyond the limit must stay beyond it."""
    usual, worst = np.linspace(-100.0, -10.0, 20), -1e9
    outcome = standardised(np.append(usual, worst))
    cut = outcome(np.array([worst]))[0]
    assert level(-500.0, outcome, np.append(usual, worst)) > cut
    assert level(-500.0, outcome, np.append(usual, worst)) < outcome(usual).min()
    assert level(-2e9, outcome, np.append(usual, worst)) < cut
    assert level(-50.0, outcome, np.append(usual, worst)) == outcome(np.array([-50.0]))[0]


def test_a_measured_penalty_has_no_chance_to_be_within_the_limit():
    def late(x):
        return 1e9 if x[0] < 0.25 and x[1] < 0.6 else 10.0 + 90.0 * x[1]

    history = run({"c": late}, {"c": sf.AtMost(500.0)}, 20).history
    beliefs = beliefs_of(history, fit_outputs(history.settings, history, None))
    chances = {trial.feasible: p_feasible(beliefs, trial.unit) for trial in history.trials}
    assert chances[True] > 0.99
    assert chances[False] < 0.01


# ------------------------------------------------------------------ what is rebuilt


LIMITS = {"c": sf.AtMost(0.6), "d": sf.AtLeast(0.1)}


def breaking(x):
    """Beyond c = 0.9 nothing else is known; right of 0.8 nothing at all."""
    if x[0] > 0.8:
        raise RuntimeError("broke")
    c = arc(x)
    return {"value": value(x) if c <= 0.9 else None, "c": c, "d": x[1]}


def driven(n=12, **words):
    """A study with failures, missing values and points under way."""
    optimizer = sf.Optimizer(BOX, seed=3, n_initial=6, constraints=LIMITS, **words)
    for i in range(n):
        for trial in optimizer.ask(2) if i % 3 == 0 else [optimizer.ask()]:
            try:
                optimizer.tell(trial, breaking(trial.point))
            except RuntimeError as error:
                optimizer.fail(trial, str(error))
    return optimizer


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"aim": "regret"},
        {"acquisition": sf.acquisition.EI()},
        {"acquisition": sf.acquisition.Thompson(features=64)},
    ],
    ids=["default", "regret", "EI", "Thompson"],
)
def test_an_audit_rebuilds_every_step(words):
    optimizer = driven(**words, solver=GRID)
    history = optimizer.result().history
    assert history.failed
    assert any("value" not in trial.values for trial in history.done)
    found = sf.audit(optimizer.result(), solver=GRID)
    assert len(found.steps) > 5
    assert [step.reason for step in found.steps] == [None] * len(found.steps)


def test_the_models_are_the_same_after_a_resume_bit_for_bit(tmp_path):
    optimizer = driven(8, solver=GRID, storage=tmp_path / "run.db")
    history, fits = optimizer.result().history, optimizer._fitted
    again = replayed(history)
    X = np.random.default_rng(0).random((20, 2))
    for name in history.settings.outputs:
        assert np.array_equal(again[name].posterior.predict(X), fits[name].posterior.predict(X))
    expected = optimizer.ask().point
    optimizer.close()
    resumed = sf.Optimizer.resume(tmp_path / "run.db")
    assert np.array_equal(resumed.trials[-1].point, expected)
    assert np.array_equal(resumed.ask().point, driven(8, solver=GRID).ask(2)[1].point)


# ------------------------------------------------------------------ points under way


def test_points_under_way_are_not_proposed_again_and_count_as_found_where_they_are_expected_within():
    optimizer = driven(10, solver=GRID)
    trials = optimizer.ask(3)
    assert len({trial.unit.tobytes() for trial in trials}) == 3
    history = optimizer.result().history
    beliefs = beliefs_of(history, optimizer._fitted)
    expected = beliefs.violation(beliefs.pending) == 0.0
    assert len(beliefs.pending) == 3
    assert len(beliefs.standing) == len(history.feasible) + expected.sum()


# ------------------------------------------------------------------ proofs


FINITE = sf.Space(n=sf.Int(0, 11), m=sf.Int(0, 11), kind=sf.Choice("a", "b"))


def of_finite(p):
    x, y = p["n"] / 11, p["m"] / 11
    return {"value": value((x, y)) + 0.1 * (p["kind"] == "a"), "c": arc((x, y))}


@pytest.mark.parametrize("aim", ["best", "regret"])
def test_on_a_finite_space_the_proven_limit_is_the_largest_value(aim):
    optimizer = sf.Optimizer(
        FINITE,
        seed=0,
        n_initial=6,
        aim=aim,
        constraints={"c": sf.AtMost(0.6)},
        diagnostics=sf.solvers.Diagnostics(proof_seconds=5.0),
    )
    every = [dict(zip(("n", "m", "kind"), p, strict=True)) for p in itertools.product(range(12), range(12), "ab")]
    for _ in range(10):
        trial = optimizer.ask()
        if trial.solve is not None:
            history = optimizer.result().history.before(trial.number)
            alpha = freeze(history.settings, history, optimizer._fitted, number=trial.number).alpha
            values = alpha(np.array([FINITE.to_unit(p) for p in every]))
            assert trial.solve.upper_certified == pytest.approx(values.max(), rel=1e-6, abs=1e-9)
            assert trial.solve.upper_certified >= max(values.max(), trial.solve.value)
        optimizer.tell(trial, of_finite(trial.point))


@pytest.mark.parametrize("aim", ["best", "regret"])
@pytest.mark.parametrize("limit", [0.6, -1.0], ids=["usual", "impossible"])
def test_a_proven_limit_is_above_the_value_and_above_every_other_point(monkeypatch, aim, limit):
    proof = module.certify
    monkeypatch.setattr(module, "certify", lambda a, d, *, value, seconds: proof(a, d, value=value, nodes=800))
    optimizer = sf.Optimizer(
        BOX, seed=0, aim=aim, constraints={"c": sf.AtMost(limit)}, diagnostics=sf.solvers.Diagnostics(proof_seconds=5.0)
    )
    X = np.random.default_rng(0).random((3000, 2))
    for _ in range(9):
        trial = optimizer.ask()
        if (report := trial.solve) is not None:
            history = optimizer.result().history.before(trial.number)
            alpha = freeze(history.settings, history, optimizer._fitted, number=trial.number).alpha
            assert report.value <= report.upper <= report.upper_certified
            assert alpha(X).max() <= report.upper_certified
            assert 0.0 <= report.relative_gap <= 0.05
        optimizer.tell(trial, {"value": value(trial.point), "c": arc(trial.point)})


def test_while_no_point_is_within_all_limits_the_proof_limits_the_probability_of_one():
    optimizer = sf.Optimizer(
        BOX,
        seed=0,
        n_initial=5,
        constraints={"c": sf.AtMost(-0.2)},
        diagnostics=sf.solvers.Diagnostics(proof_seconds=0.2),
    )
    for _ in range(6):
        trial = optimizer.ask()
        optimizer.tell(trial, {"value": value(trial.point), "c": arc(trial.point)})
    report = optimizer.ask().solve
    assert report.kind == "find a feasible point"
    assert report.value == pytest.approx(math.log(max(report.p_feasible, 1e-300)), rel=1e-6) or report.p_feasible == 0.0
    assert report.value <= report.upper_certified <= 0.0


# ------------------------------------------------------------------ whether probabilities are


def test_as_many_points_are_within_their_limits_as_the_probabilities_say():
    """Functions of the model's own law, so that Σ (1{within} − p) is a martingale whose variance is E Σ p (1 − p).

    The stream is fixed; with another one the sum would be beyond four deviations once in 16 000 times.
    """
    ell, noise, rng = 0.3, 1e-3, np.random.default_rng(7)
    space = sf.Space(x=sf.Float(0.0, 1.0, step=1 / 12), y=sf.Float(0.0, 1.0, step=1 / 12))
    every = [{"x": i / 12, "y": j / 12} for i in range(13) for j in range(13)]
    U = np.array([space.to_unit(p) for p in every])
    root = np.linalg.cholesky(Matern(2.5, ell)(U, U) + 1e-10 * np.eye(len(U)))
    fixed = sf.gp.Prior(lengthscale_bounds=(ell, ell), scale_bounds=(1.0, 1.0))
    model = sf.GP(standardize=False, warp=False, noise=noise, prior=fixed)
    row = {u.tobytes(): i for i, u in enumerate(U)}
    p, within = [], []
    for seed in range(20):
        truth = {name: root @ rng.standard_normal(len(U)) for name in ("value", "c", "d")}
        limits = {"c": sf.AtLeast(0.0), "d": sf.AtMost(0.5)}
        optimizer = sf.Optimizer(space, seed=seed, n_initial=3, model=model, constraints=limits, solver=GRID)
        for _ in range(11):
            trial = optimizer.ask()
            i = row[trial.unit.tobytes()]
            if trial.solve is not None:
                p.append(trial.solve.p_feasible)
                within.append(truth["c"][i] >= 0.0 and truth["d"][i] <= 0.5)
            optimizer.tell(trial, {name: f[i] + math.sqrt(noise) * rng.standard_normal() for name, f in truth.items()})
    chances, kept = np.array(p), np.array(within)
    deviation = math.sqrt(np.sum(chances * (1 - chances)))
    assert deviation > 4.0  # there is something to be wrong about
    assert abs(np.sum(kept - chances)) < 4.0 * deviation
    sure = chances > 0.9
    assert abs(np.sum(kept[sure] - chances[sure])) < 4.0 * max(1.0, math.sqrt(np.sum((chances * (1 - chances))[sure])))
