"""Files that version 0.1.0 wrote, and files whose parts are not at hand."""

import json
import math
import shutil
from pathlib import Path

import pytest

import suffice as sf
from suffice.errors import UnreadableFile
from suffice.record import encoding
from suffice.record.settings import Opaque

FILES = Path(__file__).parent / "files"  # written by version 0.1.0, and never written again


def branin(x):
    a, b = x[0], x[1]
    bowl = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return bowl**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def mixed(p):
    return (p["x"] - 0.3) ** 2 + abs(p["n"] - 4) * 0.1 + {"a": 0, "b": 0.2, "c": 0.5}[p["c"]]


def const(p):
    return {"value": branin([p["a"], p["b"]]), "lim": p["a"] + p["b"]}


@pytest.mark.parametrize("objective", [branin, mixed, const])
def test_a_study_that_0_1_0_left_half_way_resumes_with_its_one_model(objective, tmp_path):
    copy = shutil.copy(FILES / f"0.1.0-{objective.__name__}.db", tmp_path)
    with sf.Optimizer.resume(copy) as optimizer:
        assert len(optimizer.trials) == 15
        assert optimizer.settings.model.members == 1
        before = [trial.value for trial in optimizer.trials]
        for _ in range(3):
            trial = optimizer.ask()
            assert trial.solve.kind in {"improve", "explore", "refine"}
            optimizer.tell(trial, objective(trial.point))
    again = sf.load(copy)
    assert [trial.value for trial in again.trials][:15] == before
    assert len(again.trials) == 18


@pytest.mark.parametrize("path", sorted(FILES.glob("0.1.0-*")), ids=lambda path: path.name)
def test_every_step_of_a_file_of_0_1_0_is_rebuilt_but_for_explorations(path, tmp_path):
    result = sf.load(shutil.copy(path, tmp_path))
    found = sf.audit(result, every=1, solver=sf.solvers.Grid())
    reasons = {step.number: step.reason for step in found.steps}
    explored = {trial.number for trial in result.trials if trial.solve and trial.solve.kind == "look elsewhere"}
    assert len(reasons) - len(explored) >= 2
    assert {number for number, reason in reasons.items() if reason is not None} == explored
    assert all("another rule" in reasons[number] for number in explored)


def test_a_result_of_0_1_0_that_is_saved_again_is_the_same_study(tmp_path):
    first = sf.load(FILES / "0.1.0-branin.json")
    first.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert again.settings == first.settings
    assert [trial.order for trial in again.trials] == [trial.order for trial in first.trials]
    assert again.accuracy.m_t == first.accuracy.m_t
    assert again.accuracy.bound.broken == first.accuracy.bound.broken
    assert first.fun == min(branin(trial.point) for trial in first.trials)


def test_a_result_from_before_0_1_0_is_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"format": "suffice result", "version": 1, "content": {}}))
    with pytest.raises(UnreadableFile, match=r"version 1, which predates suffice 0\.1\.0"):
        sf.load(path)


def test_a_former_name_of_a_part_and_of_its_fields_is_read(monkeypatch):
    monkeypatch.setitem(encoding.FORMER, "Lattice", ("Grid", {"count": "size", "mood": ""}))
    spec = {"is": "Lattice", "count": {"is": "Fixed", "n": 20}, "mood": "good"}
    assert encoding.from_spec(spec) == sf.solvers.Grid(size=sf.solvers.Fixed(20))


def test_a_part_of_a_room_that_is_not_imported_costs_the_part_only(quick_result, edited, tmp_path):
    path = tmp_path / "run.json"
    quick_result.save(path)
    edited(path, lambda content: content["settings"].update(solver={"is": "Unheard", "starts": 3}))
    loaded = sf.load(path)
    assert isinstance(loaded.settings.solver, Opaque)
    assert "Unheard" in loaded.settings.solver.text
    assert [trial.value for trial in loaded.trials] == [trial.value for trial in quick_result.trials]
    assert len(sf.audit(loaded, solver=sf.solvers.Grid(), every=2).rebuilt) == 2


@pytest.fixture
def quick_result():
    return sf.minimize(lambda x: float((x**2).sum()), [(-1, 2)] * 2, 8, seed=0, n_initial=4, solver=sf.solvers.Grid())


@pytest.fixture
def edited():
    """Change the content of a file by hand, as its error message says how."""

    def edit(path, change):
        data = json.loads(path.read_text())
        change(data["content"])
        del data["crc32"]
        path.write_text(json.dumps(data))

    return edit


def test_what_a_file_cannot_hold_is_said_in_it(tmp_path):
    class Own(sf.gp.RBF):
        """A kernel that is not a part of the library."""

    model = sf.GP(kernel=Own())
    result = sf.minimize(lambda x: float((x**2).sum()), [(-1, 2)] * 2, 8, seed=0, n_initial=4, model=model)
    assert result.accuracy.bound is not None
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert loaded.accuracy.bound is None
    assert any("regret bound is missing" in note and "Own" in note for note in loaded.notes)
    loaded.save(tmp_path / "again.json")
    assert sf.load(tmp_path / "again.json").notes == loaded.notes
