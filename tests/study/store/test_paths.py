"""A store is the file that its path names, whatever that looks like, and nothing else than a file."""

import os

import pytest

import suffice as sf
from suffice.errors import UnreadableFile, UnusableFile

SPACE = {"x": (0.0, 1.0)}


def f(point):
    return (point["x"] - 0.3) ** 2


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
@pytest.mark.parametrize("name", [":memory:", "file:run.db", "file:run.db?mode=memory", "a?b#c %41.db"])
def test_names_that_mean_something_to_sqlite_are_names_of_files(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sf.minimize(f, SPACE, 2, storage=name, seed=0)
    assert os.listdir() == [name]
    assert sf.minimize(f, SPACE, 3, storage=name).nfev == 3
    assert sf.load(name).nfev == 3


def test_a_study_in_the_home_folder_is_read_by_the_name_that_it_was_made_with(tmp_path, monkeypatch):
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    sf.minimize(f, SPACE, 2, storage="~/run.db", seed=0)
    assert (tmp_path / "run.db").exists()
    assert sf.load("~/run.db").nfev == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
@pytest.mark.parametrize("begin", [sf.Optimizer.resume, lambda path: sf.Optimizer(SPACE, storage=path)])
def test_a_device_and_a_fifo_are_refused_at_once(begin, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, kind in (("/dev/full", "a device"), (fifo, "a FIFO")):
        with pytest.raises(UnusableFile, match=kind):
            begin(path)
    assert os.listdir(tmp_path) == ["fifo"]
    assert not os.path.exists("/dev/full-lock")


def test_an_empty_file_is_called_empty_and_can_become_a_study(tmp_path):
    path = tmp_path / "run.db"
    path.touch()
    with pytest.raises(UnreadableFile, match="is empty"):
        sf.load(path)
    assert sf.minimize(f, SPACE, 2, storage=path, seed=0).nfev == 2


def test_what_a_failure_printed_is_kept_and_does_not_fill_the_disk(tmp_path):
    path = tmp_path / "run.db"
    with sf.Optimizer(SPACE, storage=path, seed=0) as opt:
        opt.fail(opt.ask(), "first" + "\nline" * 10**6 + "\nlast")
        opt.fail(opt.ask(), "raised", traceback="line\n" * 10_000)
    assert path.stat().st_size < 500_000
    long, whole = (trial.traceback for trial in sf.load(path).trials)
    assert long.startswith("first\nline")
    assert long.endswith("line\nlast")
    assert "characters are left out" in long
    assert whole == "line\n" * 10_000
