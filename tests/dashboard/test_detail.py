"""One trial: what its history says of it, from a store, a saved result, and a file that is not there any more."""

import math
import sqlite3

import suffice as sf
from suffice.dashboard.detail import REPORT, detail

from .conftest import SPACE, followed, make


def study(path):
    with sf.Optimizer(
        SPACE, storage=path, seed=0, n_initial=4, solver=sf.solvers.Grid(size=sf.solvers.Fixed(20))
    ) as opt:
        for i in range(9):
            trial = opt.ask(fixed={"n": 3} if i == 7 else None)
            if i == 2:
                opt.fail(trial, 'Traceback (most recent call last):\n  File "x.py", line 1\nOSError: <b>no</b>')
            elif i != 8:
                opt.tell(trial, trial.point["x"], noise_var=0.25, seconds=float(i))
    return sf.load(path)


def test_a_trial_is_what_the_history_has(tmp_path):
    result = study(tmp_path / "a.db")
    result.save(tmp_path / "a.json")
    for name in ("a.db", "a.json"):
        watched = followed(tmp_path / name)
        for trial in result.trials:
            found = detail(watched, trial.number)
            assert found["point"] == trial.point
            for word in ("number", "state", "value", "reason", "cause", "seconds", "noise_var", "origin", "traceback"):
                assert found[word] == getattr(trial, word)
            assert found["fixed"] == trial.fixed
            assert found["problem"] is None
            assert (found["solve"] is None) == (trial.solve is None)
        assert detail(watched, 9) is None
        assert detail(watched, -1) is None


def test_the_report_is_told_in_words_number_by_number(tmp_path):
    result = study(tmp_path / "a.db")
    watched = followed(tmp_path / "a.db")
    report = result.trials[6].solve
    said = {each["label"]: each["value"] for each in detail(watched, 6)["solve"]}
    for word, label, meaning in REPORT:
        assert meaning.endswith(".")
        assert said.get(label) == getattr(report, word)
    assert said["Seconds to choose the point"] == math.fsum(report.seconds.values())
    frame = result.to_dataframe()
    assert detail(watched, 6)["predicted"] == frame["predicted"][6]
    assert detail(watched, 6)["predicted_sd"] == frame["predicted_sd"][6]


def test_notes_and_attributes_are_told_and_do_not_change_the_row(tmp_path):
    path = make(tmp_path / "a.db", 3)
    with sf.Optimizer.resume(path) as opt:
        opt.note(opt.trials[1], "<b>odd</b>", operator="Ann", sizes=[1, 2])
    watched = followed(path)
    found = detail(watched, 1)
    assert (found["state"], found["note"]) == ("done", "<b>odd</b>")
    assert found["attributes"] == {"operator": "Ann", "sizes": "[1, 2]"}
    assert (detail(watched, 0)["note"], detail(watched, 0)["attributes"]) == (None, {})


def test_a_trial_of_a_file_that_is_gone_or_damaged_is_told_as_far_as_it_is_known(tmp_path):
    path = make(tmp_path / "a.db", 3)
    watched = followed(path)
    known = detail(watched, 1)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET data = replace(data, 'design', 'foreign')")
    connection.close()
    damaged = detail(watched, 1)
    path.unlink()
    gone = detail(watched, 1)
    for found in (damaged, gone):
        assert "cannot be read" in found["problem"]
        assert (found["point"], found["value"]) == (known["point"], known["value"])
