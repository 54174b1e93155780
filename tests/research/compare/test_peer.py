"""Processes of other optimizers: whatever they print, and however they end, the parent gets an answer or an error."""

import ast
import os
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

import research.compare
from research.compare.peer import HOST, PeerFailed, hosted

PEERS = Path(__file__).parent / "peers"
PATIENCE = 120.0  # seconds: reached only if something hangs
SOURCE = Path(research.compare.__file__).parent
STANDALONE = [HOST, *sorted((SOURCE / "adapters").glob("[!_]*.py"))]
linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")


def start(peer, name, **settings):
    words = {"bounds": [[0.0, 3.0], [0.0, 3.0]], "points": [[0.1, 0.2]], "values": [1.5], "seed": 0}
    return peer.request("start", PATIENCE, adapter=str(PEERS / f"{name}.py"), settings=settings, **words)


def alive(pid):
    """Whether a process is there and not just waiting to be collected."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def gone(pids):
    """Whether all of them end within some seconds."""
    latest = time.monotonic() + 30.0
    while any(map(alive, pids)) and time.monotonic() < latest:
        time.sleep(0.02)
    return not any(map(alive, pids))


def test_numbers_arrive_as_they_are():
    with hosted(sys.executable) as peer:
        assert start(peer, "fixed", second=0.1 + 0.2)["seconds"] > 0.0
        answer = peer.request("ask", PATIENCE)
        assert answer["point"] == [1.5 / 100, 0.1 + 0.2]
        assert isinstance(answer["seconds"], float)
        assert isinstance(peer.request("tell", PATIENCE, point=answer["point"], value=1e-300)["seconds"], float)
        assert peer.request("ask", PATIENCE)["point"][0] == 1e-300 / 100


def test_what_a_peer_prints_and_reads_is_not_the_conversation():
    with hosted(sys.executable) as peer:
        assert "point" not in start(peer, "talks")
        assert peer.request("ask", PATIENCE)["point"] == [1.0, 2.0]
        with pytest.raises(PeerFailed) as failed:
            peer.request("tell", PATIENCE, point=[1.0, 2.0], value=1.0)
    message = str(failed.value)
    assert message.startswith("RuntimeError: read ''; threads 1; folder ")
    assert "its last words:" in message
    folder = re.search(r"folder (\S+);", message).group(1)
    assert not Path(folder).exists()  # with what it left there
    assert str(SOURCE) not in re.search(r"path \[(.*?)\]", message).group(1).replace("'", "").split(", ")


def test_a_crash_is_an_error_with_the_exit_code_and_the_last_words():
    with hosted(sys.executable) as peer:
        start(peer, "crashes")
        peer.request("ask", PATIENCE)
        peer.request("tell", PATIENCE, point=[1.0, 2.0], value=1.0)
        with pytest.raises(PeerFailed, match=r"its process ended with exit code 7; its last words:\nout of luck"):
            peer.request("ask", PATIENCE)


@linux
def test_a_peer_that_hangs_is_ended_with_its_children(tmp_path):
    file = tmp_path / "pids"
    with hosted(sys.executable) as peer:
        start(peer, "hangs", file=str(file))
        pids = file.read_text().split()
        assert all(map(alive, pids))
        with pytest.raises(PeerFailed, match=r"no answer within 0\.2 s, so it was ended"):
            peer.request("ask", 0.2)
        assert gone(pids)


@linux
def test_a_peer_and_its_children_end_with_a_parent_that_was_killed(tmp_path):
    file = tmp_path / "pids"
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from test_peer import start, hosted\n"
        "with hosted(sys.executable) as peer:\n"
        "    start(peer, 'hangs', file=sys.argv[1])\n"
        "    peer.request('ask', 600.0)\n"
    )
    command = [sys.executable, "-c", code, str(file), str(Path(__file__).parent)]
    parent = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)})  # its folder stays behind
    try:
        latest = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text()) and time.monotonic() < latest:
            time.sleep(0.02)
        pids = file.read_text().split()
    finally:
        parent.kill()
        parent.wait()
    assert gone(pids)


def test_an_interpreter_that_is_none_is_an_error():
    with pytest.raises(PeerFailed, match=r"/nowhere/python cannot be started"), hosted("/nowhere/python"):
        pass


def test_versions_are_those_installed_and_nothing_is_imported():
    with hosted(sys.executable) as peer:
        answer = peer.request("versions", PATIENCE, packages=["numpy", "no-such-package"])
    assert answer == {"numpy": version("numpy"), "no-such-package": None}


@pytest.mark.parametrize("path", STANDALONE, ids=lambda path: path.stem)
def test_what_runs_in_other_interpreters_stands_alone(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert any(name == "suffice" or name.startswith("suffice.") for name in names) == (path.stem == "suffice")
    assert ast.unparse(tree.body[1]) == "from __future__ import annotations"  # types are for readers only
