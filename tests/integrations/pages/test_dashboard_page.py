"""The program of docs/howto/optuna-dashboard.md, and what the dashboard says of its study."""

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from ...docs.pages import Page

pytest.importorskip("optuna_dashboard")

WAIT = 120.0  # seconds for the dashboard to answer; it takes about two


@contextmanager
def dashboard(folder):
    """Its address, while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = "from optuna_dashboard._cli import main; main()"
    words = ["sqlite:///tune.db", "--host", "127.0.0.1", "--port", str(port), "--server", "wsgiref", "--quiet"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    process = subprocess.Popen([sys.executable, "-c", command, *words], **quiet)
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def fetched(address, process):
    end = time.monotonic() + WAIT
    while True:
        try:
            with urlopen(address, timeout=60) as answer:
                return answer.read().decode()
        except URLError:
            assert process.poll() is None, "the dashboard has ended"
            assert time.monotonic() < end, "the dashboard does not answer"
            time.sleep(0.1)


def test_the_dashboard_shows_the_trials_and_what_was_copied_for_it(program, tmp_path):
    program(Page("docs/howto/optuna-dashboard.md"), "tune_and_watch.py")
    with dashboard(tmp_path) as (address, process):
        (study,) = json.loads(fetched(f"{address}/api/studies", process))["study_summaries"]
        shown = json.loads(fetched(f"{address}/api/studies/{study['study_id']}", process))
        page = fetched(f"{address}/dashboard", process)
    assert study["study_name"] == "tune"
    trials = shown["trials"]
    assert [trial["state"] for trial in trials] == ["Complete"] * 15
    for trial in trials:
        names = {param["name"]: param["param_external_value"] for param in trial["params"]}
        assert ("y" in names) == (names["kind"] == "b")
    copied = [{a["key"]: a["value"] for a in trial["user_attrs"]} for trial in trials]
    assert 0.0 <= float(copied[-1]["relative_gap"]) < 0.1
    assert copied[0] == {}
    assert "suffice:report" not in json.dumps(shown)  # the page says that system attributes are not shown
    assert "<html" in page
