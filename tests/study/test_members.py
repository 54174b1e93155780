"""A study whose model has several members: reproducible, resumed bit for bit, rebuilt from its record."""

import numpy as np
import pytest

import suffice as sf
from suffice.record.encoding import from_spec, to_spec

SPACE = {"x": (0.0, 1.0), "n": (1, 9), "kind": sf.Choice("a", "b")}
MODEL = sf.GP(members=4)


def cost(p):
    return (p["x"] - 0.3) ** 2 + abs(p["n"] - 4) / 10 + 0.2 * (p["kind"] == "b")


def run(optimizer, n):
    points = []
    for _ in range(n):
        trial = optimizer.ask()
        points.append(trial.point)
        optimizer.tell(trial, cost(trial.point))
    return points


def test_a_resumed_run_makes_the_suggestions_of_one_that_was_not_stopped(tmp_path):
    whole = run(sf.Optimizer(SPACE, seed=1, model=MODEL), 24)
    parts = []
    for n in (9, 8, 7):
        with sf.Optimizer(SPACE, seed=1, model=MODEL, storage=tmp_path / "run.db") as optimizer:
            parts += run(optimizer, n)
    assert parts == whole


def test_every_step_is_rebuilt_from_the_record():
    result = sf.minimize(cost, SPACE, n_trials=16, seed=2, model=MODEL)
    audit = sf.audit(result)
    assert [step.reason for step in audit.steps if step.reason] == []
    chains = [trial.solve.binding.chains for trial in result.trials if trial.solve]
    assert all(len(one) == 4 and sum(one.weights) == pytest.approx(1.0) for one in chains)


def test_points_that_are_pending_are_not_proposed_again():
    optimizer = sf.Optimizer([(0.0, 1.0)] * 2, seed=0, model=MODEL)
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, float(np.sum((np.array(trial.point) - 0.4) ** 2)))
    points = np.array([trial.point for trial in optimizer.ask(6)])
    distance = np.linalg.norm(points[:, None] - points, axis=2) + np.eye(6)
    assert distance.min() > 1e-3


def test_a_result_predicts_with_members_and_is_less_sure_for_it():
    data = sf.minimize(lambda x: np.sin(9 * x[0]) + x[1], [(0.0, 1.0)] * 2, n_trials=14, seed=0)
    x0, y0 = [list(trial.point) for trial in data.trials], [trial.value for trial in data.trials]
    results = [sf.Optimizer([(0.0, 1.0)] * 2, seed=0, x0=x0, y0=y0, model=sf.GP(members=k)).result() for k in (1, 8)]
    points = np.random.default_rng(0).random((200, 2))
    (mean, alone), (again, several) = (result.predict(points) for result in results)
    assert np.corrcoef(mean, again)[0, 1] > 0.9
    assert np.mean(several > alone) > 0.5


def test_constraints_and_several_objectives_take_members():
    result = sf.minimize(
        lambda x: {"value": x[0], "g": x[0] + x[1]},
        [(0.0, 1.0)] * 2,
        n_trials=14,
        seed=0,
        model=MODEL,
        constraints={"g": sf.AtLeast(0.5)},
    )
    assert result.fun < 0.2
    front = sf.optimize(
        lambda x: {"f": x[0], "g": (1 - x[0]) ** 2 + x[1]},
        [(0.0, 1.0)] * 2,
        objectives={"f": "minimize", "g": "minimize"},
        n_trials=12,
        seed=0,
        model=MODEL,
    )
    assert len(front.front) > 1


def test_members_are_in_what_a_file_says_of_the_model():
    spec = to_spec(MODEL)
    assert from_spec(spec) == MODEL
    assert from_spec(spec | {"members": 2}).members == 2


@pytest.mark.parametrize("acquisition", [sf.acquisition.MES(), sf.acquisition.KG()], ids=lambda a: type(a).__name__)
def test_a_run_whose_averages_are_random_is_resumed_bit_for_bit(acquisition, tmp_path):
    chosen = {"seed": 1, "n_initial": 6, "model": MODEL, "acquisition": acquisition}
    whole = run(sf.Optimizer(SPACE, **chosen), 10)
    parts = []
    for n in (8, 2):
        with sf.Optimizer(SPACE, **chosen, storage=tmp_path / "run.db") as optimizer:
            parts += run(optimizer, n)
    assert parts == whole
    assert len(optimizer.trials[-1].solve.binding.chains) == 4


def test_rounded_values_have_noise_and_their_runs_are_resumed_bit_for_bit(tmp_path):
    def drive(optimizer, n):
        points = []
        for _ in range(n):
            trial = optimizer.ask()
            points.append(trial.point.tolist())
            optimizer.tell(trial, round(10 * float(np.sum((trial.point - 0.4) ** 2))) / 10)
        return points

    square = [(0.0, 1.0)] * 2
    optimizer = sf.Optimizer(square, seed=3)
    whole, parts = drive(optimizer, 24), []
    outcome = optimizer.trials[-1].solve.binding.outcome
    assert outcome.step * outcome.spread * outcome.unit == pytest.approx(0.1)
    for n in (11, 7, 6):
        with sf.Optimizer(square, seed=3, storage=tmp_path / "run.db") as stored:
            parts += drive(stored, n)
    assert parts == whole
    # What is recommended is known no better than rounding leaves it, a uniform error of a tenth.
    result = optimizer.result()
    assert 0.999 * 0.1 / np.sqrt(12) < result.fun_recommended_sd < 0.1
    assert abs(result.fun_recommended - np.sum((result.x_recommended - 0.4) ** 2)) < 0.05
