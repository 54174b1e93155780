"""One process writes a file: a second is refused by name, a killed one is forgotten, a later claim takes over."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from suffice.errors import UnusableFile
from suffice.store.files import Claim, has_writer, is_claimed

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")

HOLDER = """
import sys, time
from suffice.store.files import Claim
claim = Claim(sys.argv[1], lambda: None)
print("held", flush=True)
time.sleep(60)
"""


def nothing():
    pass


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def holder(path):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_process_is_refused_by_name_and_a_killed_one_is_forgotten_at_once(path, holder):
    with pytest.raises(UnusableFile, match=rf"study\.db is being written by another process \(process {holder.pid} on"):
        Claim(path, nothing)
    holder.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    holder.wait()
    claim = Claim(path, nothing)
    assert claim.held
    claim.release()


def test_nothing_is_left_behind(path):
    claim = Claim(path, nothing)
    assert is_claimed(path)
    claim.release()
    claim.release()  # twice is once
    assert not is_claimed(path)
    assert list(path.parent.iterdir()) == []


def test_in_one_process_the_later_claim_takes_over_and_the_earlier_one_hears_of_it(path):
    heard = []
    first = Claim(path, lambda: heard.append("lost"))
    second = Claim(path, nothing)
    assert heard == ["lost"]
    assert not first.held
    first.release()  # no longer its own to release
    assert second.held
    second.release()


def test_a_claim_that_will_not_be_lost_stays(path):
    def refuse():
        raise UnusableFile("not now")

    first = Claim(path, refuse)
    with pytest.raises(UnusableFile, match="not now"):
        Claim(path, nothing)
    assert first.held
    first.release()


def test_a_link_to_the_file_is_the_file(path):
    path.touch()
    link = path.with_name("link.db")
    link.symlink_to(path)
    first, second = Claim(path, nothing), Claim(link, nothing)
    assert not first.held
    second.release()


FORK = """
import os, sys
from suffice.store.files import Claim
claim = Claim(sys.argv[1], lambda: None)
child = os.fork()
if child == 0:  # the copy must not believe that it holds anything, and must not give it up for the parent
    os._exit(1 if claim.held else (claim.release() or 0))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert claim.held and os.path.exists(sys.argv[1] + "-lock")
"""


@posix
def test_a_fork_does_not_inherit_it(path):
    assert subprocess.run([sys.executable, "-c", FORK, str(path)], check=False).returncode == 0


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UnusableFile, match=r"cannot be written: .*; to read it, sf\.load"):
        Claim(tmp_path / "file" / "study.db", nothing)


@posix
def test_a_living_writer_is_known_by_the_lock_beside_the_file_without_taking_it(tmp_path):
    path = tmp_path / "a.db"
    assert not has_writer(path)
    claim = Claim(path, nothing)
    assert has_writer(path)
    claim.release()
    assert not has_writer(path)
    for words in (
        "",
        "process",
        "process x on y",
        f"process {2**40} on {socket.gethostname()}",
        "process 1 on elsewhere",
    ):
        (tmp_path / "a.db-lock").write_text(words)
        assert not has_writer(path)
    (tmp_path / "a.db-lock").unlink()
    os.mkfifo(tmp_path / "a.db-lock")  # which nobody writes into
    assert not has_writer(path)
