"""Asking and telling with limits and several objectives: in batches, in any space, where evaluations fail."""

import math

import numpy as np
import pytest

import suffice as sf

LIMITED = ("limited", "both")
MIXED = sf.Space(
    rate=sf.Float(1e-3, 1.0, log=True),
    depth=sf.Int(1, 9),
    kind=sf.Choice("a", "b"),
    size=sf.Float(0.0, 1.0, when={"kind": "b"}),
)


def mixed(point, names):
    x = (math.log10(point["rate"]) + 3.0) / 3.0
    inside = {"x": x, "y": 0.1 * point["depth"] + 0.1 * point.get("size", 0.0)}
    return both(inside, names)


def both(point, names):
    x, y = point["x"], point["y"]
    known = {"value": (x - 0.4) ** 2 + y**2, "error": x + y, "gain": x - y**2, "weight": x + y, "reach": x + 0.5 * y}
    return known["value"] if names == ("value",) else {name: known[name] for name in names}


def test_a_batch_has_different_points_and_can_be_told_in_any_order(studies, kind):
    optimizer = studies.run(kind, 5)
    trials = optimizer.ask(4)
    assert len({tuple(trial.point.values()) for trial in trials}) == 4
    assert len(optimizer.pending) == 4
    for trial in trials[::-1]:
        optimizer.tell(trial, studies.outputs(trial.point, optimizer.settings.outputs))
    assert optimizer.pending == ()
    assert [trial.number for trial in optimizer.history.done[-4:]] == [8, 7, 6, 5]


def test_a_batch_of_several_objectives_is_spread_along_the_front(studies):
    optimizer = studies.run("several", 10, solver=None)
    places = np.array([[t.point["x"], t.point["y"]] for t in optimizer.ask(4)])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(4, 1)]
    assert gaps.min() > 0.02


def test_a_mixed_space_with_a_condition_is_searched(studies, kind):
    optimizer = studies.make(kind, space=MIXED)
    for _ in range(8):
        studies.step(optimizer, mixed)
    assert all(("size" in t.point) == (t.point["kind"] == "b") for t in optimizer.trials)
    assert len(optimizer.result().to_dataframe()) == 8


def test_a_pool_is_searched_until_it_is_used_up(studies, kind):
    points = [{"x": x, "y": y} for x in (0.0, 0.25, 0.5, 0.75) for y in (0.0, 0.5)]
    optimizer = studies.make(kind, space=sf.Pool(points))
    for _ in range(8):
        studies.step(optimizer, both)
    assert sorted(map(str, (t.point for t in optimizer.trials))) == sorted(map(str, points))
    with pytest.raises(sf.errors.SpaceExhausted):
        optimizer.ask()
    if kind == "limited":
        allowed = [t for t in optimizer.trials if t.values["weight"] <= 0.9 and t.values["reach"] >= 0.2]
        assert optimizer.best.value == min(t.value for t in allowed)


def test_values_can_be_fixed(studies, kind):
    optimizer = studies.run(kind, 5)
    for trial in optimizer.ask(2, fixed={"x": 0.25}):
        assert trial.point["x"] == 0.25
        optimizer.tell(trial, studies.outputs(trial.point, optimizer.settings.outputs))


@pytest.mark.parametrize("how", ["raise", "nan", "partly"])
def test_failures_are_learned_from_and_the_run_goes_on(studies, kind, how):
    calls = []

    def f(point):
        calls.append(point)
        values = studies.outputs(point, names)
        if len(calls) % 3:
            return values
        if how == "raise":
            raise ValueError("no luck")
        if kind == "plain" or how == "nan":
            return math.nan if kind == "plain" else dict.fromkeys(names, math.nan)
        return dict.fromkeys(names, 0.5) | {names[0]: None}

    words = studies.kinds[kind]
    names = studies.make(kind).settings.outputs
    run = sf.minimize if "objectives" not in words else sf.optimize
    result = run(
        f,
        {"x": (0.0, 1.0), "y": (0.0, 1.0)},
        9,
        seed=0,
        n_initial=4,
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(50)),
        **words,
    )
    assert [t.state for t in result.trials] == ["done", "done", "failed"] * 3
    assert {t.cause for t in result.trials if t.state == "failed"} == {"raised" if how == "raise" else "nan"}
    assert result.success
    assert len(result.func_vals) == 9


def test_what_is_found_is_within_all_limits(studies, kind):
    if kind not in LIMITED:
        return
    optimizer = studies.run(kind, 16)
    result = optimizer.result()
    for trial in result.front if kind == "both" else [optimizer.best]:
        assert trial.values["weight"] <= 0.9
        assert trial.values["reach"] >= 0.2
    beyond = [t for t in optimizer.trials[8:] if not t.feasible]
    assert len(beyond) <= 4  # they keep to what is probably allowed
    assert all(0.0 <= t.solve.p_feasible <= 1.0 for t in optimizer.trials if t.solve)


def test_known_noise_of_one_output_is_its_models_alone(studies):
    quiet, noisy = studies.make("limited"), studies.make("limited")
    for x, y in np.random.default_rng(0).random((8, 2)):
        values = both({"x": x, "y": y}, quiet.settings.outputs)
        quiet.tell({"x": x, "y": y}, values)
        noisy.tell({"x": x, "y": y}, values, noise_var={"weight": 0.2})
    for name, same in (("value", True), ("reach", True), ("weight", False)):
        mean, other = (o.result().predict([{"x": 0.3, "y": 0.3}], name)[0] for o in (quiet, noisy))
        assert np.allclose(mean, other) == same


def test_an_audit_solves_the_same_score_again(studies, kind):
    optimizer = studies.run(kind, 6)
    audited = sf.audit(optimizer.result())
    assert len(audited.steps) == 2
    assert repr(audited)
