"""Batches so wide that their points share a search."""

from itertools import pairwise

import numpy as np
import pytest

import suffice as sf
from suffice.solvers.batch import WIDE

SPACES = {
    "floats": {"x": (0.0, 1.0), "y": (0.0, 1.0), "z": (0.0, 1.0)},
    "mixed": {"x": (0.0, 1.0), "n": sf.Int(1, 50), "c": sf.Choice("a", "b", "c"), "y": (0.0, 1.0)},
    "conditional": {
        "kind": sf.Choice("a", "b"),
        "x": (0.0, 1.0),
        "y": sf.Float(0.0, 1.0, when={"kind": "a"}),
    },
    "finite": {"n": sf.Int(0, 9), "m": sf.Int(0, 9)},
}


def f(point):
    numbers = [value for value in point.values() if not isinstance(value, str)]
    return sum((value / (50 if value > 1 else 1) - 0.3) ** 2 for value in numbers)


def driven(space, n=14, **words):
    optimizer = sf.Optimizer(sf.Space(**space), seed=0, n_initial=6, **words)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    return optimizer


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_the_points_differ_are_members_and_come_again_bit_for_bit(space):
    first, again = (driven(space).ask(20) for _ in range(2))
    assert len({trial.unit.tobytes() for trial in first}) == 20
    assert all(np.array_equal(a.unit, b.unit) for a, b in zip(first, again, strict=True))
    assert [a.solve.value for a in first] == [b.solve.value for b in again]


@pytest.mark.parametrize(
    "acquisition",
    [None, sf.UCB(), sf.LogEI(), sf.acquisition.EI(), sf.acquisition.Thompson(), sf.acquisition.MES()],
    ids=repr,
)
def test_every_report_is_of_its_own_point_and_can_be_audited(acquisition):
    optimizer = driven(SPACES["floats"], acquisition=acquisition)
    batch = optimizer.ask(WIDE + 8)
    audit = sf.audit(optimizer.result(), every=5)
    assert [step.reason for step in audit.steps if step.reason] == []
    for k, trial in enumerate(batch):
        assert len(trial.solve.binding.pending) == k
        assert trial.solve.n_evals > 0
        assert set(trial.solve.seconds) == {"fit", "bind", "solve", "report"}


def test_what_is_believed_grows_with_the_batch_and_is_kept_in_files(tmp_path):
    with driven(SPACES["floats"], storage=tmp_path / "run.db") as optimizer:
        batch = optimizer.ask(WIDE + 4)
    gains = [trial.solve.pending_information for trial in batch]
    assert gains[0] == 0.0
    assert all(a < b for a, b in pairwise(gains))
    stored = sf.load(tmp_path / "run.db").trials[-len(batch) :]
    assert [trial.solve.pending_information for trial in stored] == gains


def test_after_a_wide_batch_a_study_that_was_closed_goes_on_as_one_that_was_not(tmp_path):
    with driven(SPACES["mixed"], storage=tmp_path / "run.db") as optimizer:
        optimizer.ask(WIDE + 4)
    kept = driven(SPACES["mixed"])
    kept.ask(WIDE + 4)
    with sf.Optimizer.resume(tmp_path / "run.db") as resumed:
        assert np.array_equal(resumed.ask().unit, kept.ask().unit)


def test_further_points_take_a_fraction_of_the_evaluations_of_the_first():
    first, *others = driven(SPACES["floats"], acquisition=sf.LogEI()).ask(24)
    assert np.median([trial.solve.n_evals for trial in others]) < first.solve.n_evals / 5


def test_points_do_not_pile_up():
    optimizer = driven(SPACES["floats"], n=30)
    X = np.array([trial.unit for trial in optimizer.ask(32)])
    apart = np.abs(X[:, None] - X).max(axis=2) + np.eye(32)
    assert np.mean(apart.min(axis=1) < 0.01) < 0.5


def test_constraints_failures_deadlines_and_fixed_values_work_in_wide_batches():
    space = sf.Space(**SPACES["floats"])
    optimizer = sf.Optimizer(space, seed=0, n_initial=6, constraints={"g": sf.AtMost(1.0)})
    for i in range(16):
        trial = optimizer.ask()
        if i % 5 == 4:
            optimizer.fail(trial)
        else:
            optimizer.tell(trial, {"value": f(trial.point), "g": trial.point["x"] + trial.point["y"]})
    batch = optimizer.ask(WIDE + 4, fixed={"z": 0.5}, deadline=30.0)
    assert {trial.point["z"] for trial in batch} == {0.5}
    assert len({trial.unit.tobytes() for trial in batch}) == WIDE + 4
    hurried = optimizer.ask(WIDE + 4, deadline=1e-6)
    assert len({trial.unit.tobytes() for trial in hurried}) == WIDE + 4


def test_several_objectives_work_in_wide_batches():
    optimizer = sf.Optimizer(
        sf.Space(**SPACES["floats"]), seed=0, n_initial=6, objectives={"a": "minimize", "b": "minimize"}
    )
    for _ in range(10):
        trial = optimizer.ask()
        optimizer.tell(trial, {"a": f(trial.point), "b": trial.point["x"]})
    assert len({trial.unit.tobytes() for trial in optimizer.ask(WIDE + 2)}) == WIDE + 2
