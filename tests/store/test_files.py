"""A file is replaced whole or stays as it was, and nothing but a file is replaced."""

import os
import socket
import stat
from functools import partial

import pytest

import suffice as sf
from suffice.errors import UnusableFile
from suffice.store.files import replace_file

posix = pytest.mark.skipif(os.name != "posix", reason="modes and FIFOs are POSIX")


def test_the_text_is_what_was_given_byte_for_byte(tmp_path):
    path = tmp_path / "file"
    for text in ("one\r\ntwo\n", "ü 𝄞", ""):
        replace_file(path, text)
        assert path.read_bytes() == text.encode()


def test_every_path_may_begin_with_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with sf.Optimizer([(0.0, 1.0)], storage="~/run.db", seed=0) as optimizer:
        optimizer.tell(optimizer.ask(), 1.0)
        sf.exchange.write(optimizer, "~/run.csv")
        assert sf.exchange.read("~/run.csv", optimizer).known == 1
    result = sf.load("~/run.db")
    result.save("~/run.json")
    result.report("~/run.html")
    assert sf.load("~/run.json").trials[0].value == 1.0
    assert sf.Optimizer.resume("~/run.db").best.value == 1.0
    assert {"run.db", "run.csv", "run.json", "run.html"} <= {path.name for path in tmp_path.iterdir()}
    assert not (tmp_path / "~").exists()


@pytest.mark.parametrize("name", ["\x00", "\ud800.db"])
def test_a_name_that_no_file_can_have_is_refused(name):
    result = sf.Optimizer([(0.0, 1.0)], seed=0).result()
    calls = (
        lambda: sf.Optimizer([(0.0, 1.0)], storage=name),
        lambda: sf.Optimizer.resume(name),
        lambda: sf.load(name),
        lambda: result.save(name),
        lambda: result.report(name),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"no file can be called .*: leave out null characters"):
            call()


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_litter(call, tmp_path, monkeypatch):
    path = tmp_path / "file"
    replace_file(path, "old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"suffice.store.files.os.{call}", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, "new")
    assert os.listdir(tmp_path) == ["file"]
    assert path.read_text() == "old"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_the_mode_of_the_file_is_kept(mode, tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    replace_file(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_file_has_the_usual_mode(tmp_path):
    usual = tmp_path / "usual"
    usual.write_text("")
    replace_file(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


def test_the_longest_name_is_no_longer_than_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 250)
    for text in ("old", "new"):
        replace_file(path, text)
        assert path.read_text() == text
    assert os.listdir(tmp_path) == [path.name]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    replace_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@posix
def test_what_is_no_file_is_refused_by_name_and_left_alone(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        server.bind("socket")
        for name, kind in (("fifo", "a FIFO"), ("folder", "a directory"), ("socket", "a socket")):
            with pytest.raises(UnusableFile, match=f"{name} is {kind}: wanted a file"):
                replace_file(tmp_path / name, "new")
        with pytest.raises(UnusableFile, match="/dev/null is a device"):
            replace_file("/dev/null", "new")
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["fifo", "folder", "socket"]


def test_a_missing_folder_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"The folder of the file does not exist: '.*nowhere'"):
        replace_file(tmp_path / "nowhere" / "file", "")


def test_a_database_is_not_replaced_by_a_text(tmp_path):
    path = tmp_path / "run.db"
    with sf.Optimizer([(0, 1)], storage=path, seed=0) as opt:
        opt.tell(opt.ask(), 1.0)
        for write in (opt.result().save, partial(sf.exchange.write, opt)):
            with pytest.raises(
                UnusableFile, match="a database, perhaps a study, and would be overwritten: name another"
            ):
                write(path)
        opt.tell(opt.ask(), 2.0)  # nor are its locks
    assert [trial.value for trial in sf.load(path).trials] == [1.0, 2.0]
