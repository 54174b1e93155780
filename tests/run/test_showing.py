"""progress=True shows where a run stands, and nothing else is ever printed."""

import io
import os
import pty
import re
import subprocess
import sys

import pytest

import suffice as sf
from suffice.run import progress
from suffice.run import progress as showing
from suffice.run.loop import Moment
from suffice.run.progress import Event, Lines, Onlooker, share

SCRIPT = """
import suffice as sf
result = sf.minimize(lambda x: (x[0] - 0.3) ** 2, [(0, 1)], n_trials=4, seed=0, progress=True)
assert result.nfev == 4
"""


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(showing.time, "monotonic", lambda: now[0])
    return now


def bowl(x):
    return (x[0] - 0.3) ** 2


def test_a_run_prints_nothing_unless_it_is_asked_to(capfd):
    sf.minimize(bowl, [(0, 1)], n_trials=4, seed=0)
    assert capfd.readouterr() == ("", "")


def test_of_several_objectives_the_front_is_shown(capsys):
    def f(x):
        return {"cost": x[0], "gain": x[0] ** 2}

    aims = {"cost": "minimize", "gain": "maximize"}
    result = sf.optimize(f, [(0, 1)], n_trials=5, seed=0, progress=True, objectives=aims)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"5 of 5 trials; a front of {len(result.front)} trials; ")


def test_that_nothing_is_within_all_limits_yet_is_shown(capsys):
    limits = {"w": sf.AtMost(-1.0)}
    sf.minimize(lambda x: {"value": x[0], "w": x[0]}, [(0, 1)], n_trials=3, seed=0, progress=True, constraints=limits)
    assert "3 of 3 trials; nothing feasible" in capsys.readouterr().err


def test_a_log_gets_the_first_and_the_last_line(capsys):
    result = sf.minimize(bowl, [(0, 1)], n_trials=5, seed=0, progress=True)
    out, err = capsys.readouterr()
    first, *_, last = err.splitlines()
    assert out == ""
    assert first == "0 of 5 trials"
    assert re.fullmatch(rf"5 of 5 trials; best {result.fun:.6g}; [\d.]+ % of the time spent choosing points", last)


def test_a_run_with_worker_processes_shows_that_they_start_and_one_last_line(capsys):
    sf.minimize(bowl, [(0, 1)], n_trials=4, seed=0, progress=True, n_parallel=2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "starting 2 workers"
    assert sum(line.startswith("4 of 4 trials") for line in lines) == 1


def test_the_last_line_comes_once_though_its_share_of_the_time_changes():
    for shown in (Lines(io.StringIO()), progress.Line(io.StringIO())):
        for event in (Event(2, 2, deciding=0.5), Event(2, 2, deciding=0.4, ended=True)):
            shown(event)
        assert shown.stream.getvalue().count("2 of 2") == 1


def test_progress_changes_no_trial():
    silent, shown = (sf.minimize(bowl, [(0, 1)], n_trials=6, seed=0, progress=p) for p in (False, True))
    assert silent.func_vals.tolist() == shown.func_vals.tolist()


@pytest.mark.parametrize("stop", [sf.Target(1e9), sf.NoImprovement(1)])
def test_a_run_that_ends_early_has_a_last_line_too(capsys, stop):
    sf.minimize(bowl, [(0, 1)], n_trials=50, seed=0, progress=True, stop=stop)
    assert re.match(r"[1-9]\d* of 50 trials; best", capsys.readouterr().err.splitlines()[-1])


def test_failures_are_counted_and_an_error_leaves_the_display_in_order(capsys):
    def f(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        sf.minimize(f, [(0, 1)], n_trials=9, seed=0, progress=True)
    assert capsys.readouterr().err.splitlines()[-1].startswith("3 of 9 trials; 3 failed")


def test_progress_is_a_yes_or_a_no():
    with pytest.raises(TypeError, match="progress must be True or False: got 'yes'"):
        sf.minimize(bowl, [(0, 1)], n_trials=4, progress="yes")


def test_the_time_left_is_by_the_pace_of_this_run_and_by_its_end(clock):
    optimizer = sf.Optimizer([(0, 1)], n_initial=9, seed=0)
    optimizer.tell([0.5], 1.0)
    events = []
    onlooker = Onlooker(events.append)
    for _ in range(2):
        trial = optimizer.ask()
        onlooker(Moment("started", optimizer, 11, trial))
        clock[0] += 10.0
        onlooker(Moment("settled", optimizer, 11, optimizer.tell(trial, 2.0)))
    assert [event.seconds for event in events] == [None, 90.0, 90.0, 80.0]
    assert (events[-1].skipped, events[-1].done, events[-1].best) == (1, 2, "1")
    onlooker(Moment("ended", optimizer, 11, seconds_left=5.0))
    assert events[-1].seconds == 5.0
    assert events[-1].over


def test_several_under_way_are_half_done(clock):
    optimizer, events = sf.Optimizer([(0, 1)], n_initial=9, seed=0), []
    onlooker = Onlooker(events.append)
    trials = optimizer.ask(4)
    for trial in trials:
        onlooker(Moment("started", optimizer, 10, trial))
    clock[0] += 10.0
    onlooker(Moment("settled", optimizer, 10, optimizer.tell(trials[0], 1.0)))
    assert events[-1].seconds == 10.0 * (9 - 1) / (1 + 1)


def test_the_share_of_deciding_is_that_of_the_clock(clock, monkeypatch):
    optimizer, events = sf.Optimizer([(0, 1)], n_initial=1, seed=0), []
    onlooker = Onlooker(events.append)
    for seconds in (4.0, 4.0):
        trial = optimizer.ask()
        if trial.solve is not None:
            trial.solve.seconds.clear()
            trial.solve.seconds["fit"] = 2.0
        onlooker(Moment("started", optimizer, 3, trial))
        clock[0] += seconds
        onlooker(Moment("settled", optimizer, 3, optimizer.tell(trial, 2.0)))
    assert events[1].deciding == 0.0
    assert events[-1].deciding == 0.25


def test_shares_are_readable():
    assert [share(part) for part in (0.0, 0.0044, 0.0994, 0.1, 0.456, 1.0)] == [
        *("0.0 %", "0.4 %", "9.9 %"),
        *("10 %", "46 %", "100 %"),
    ]


def test_a_notebook_has_a_bar_that_is_kept_with_its_cell(monkeypatch):
    ipython = pytest.importorskip("IPython")
    from IPython import display as shown_by

    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append((data, raw))

    monkeypatch.setattr(ipython, "get_ipython", object)
    monkeypatch.setattr(shown_by, "display", lambda data, **words: Handle())

    class Notebook(io.StringIO):
        pass

    Notebook.__module__ = "ipykernel.iostream"
    with progress.display(Notebook()) as show:
        show(Event(total=5, done=2, best="<1>"))
    ((data, raw),) = shown
    assert raw
    assert data["text/plain"] == "2 of 5 runs; best <1>"
    assert data["text/html"] == '<progress value="2" max="5"></progress> 2 of 5 runs; best &lt;1&gt;'


def test_a_notebook_has_one_line_that_is_written_over():
    class Notebook(io.StringIO):
        pass

    Notebook.__module__ = "ipykernel.iostream"
    stream = Notebook()
    with progress.display(stream) as show:
        show(Event(10, 1, seconds=100.0, unit="trials"))
        show(Event(10, 2, unit="trials"))
        show.line("a line that stays")
        show(Event(10, 10, unit="trials"))
        show(Event(10, 10, unit="trials", ended=True))
    lines = stream.getvalue().split("\r")[1:]
    assert lines[0] == "1 of 10 trials; about 2 min left"
    assert lines[1].rstrip() == "2 of 10 trials"
    assert len(lines[1]) == len(lines[0])
    assert lines[2].endswith("\n")
    assert lines[-1] == "10 of 10 trials\n"


def test_lines_that_stay_are_lines_of_a_log():
    stream = io.StringIO()
    Lines(stream).line("trial 1")
    assert stream.getvalue() == "trial 1\n"


@pytest.mark.parametrize("rich", [True, False])
def test_a_terminal_gets_a_bar_and_without_rich_a_line(rich):
    hide = "import sys; sys.modules['rich'] = None\nimport importlib.util as u; u.find_spec = lambda name: None\n"
    if rich:
        pytest.importorskip("rich")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    code = SCRIPT if rich else hide + SCRIPT
    child = subprocess.Popen([sys.executable, "-c", code], stderr=theirs, stdout=subprocess.PIPE, env=env)
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # Linux's way to say that the other side is closed
            break
        if not block:
            break
        seen += block
    out, _ = child.communicate()
    os.close(ours)
    assert child.returncode == 0, seen
    assert out == b""
    assert b"4 of 4 trials; best " in seen
    assert b"of the time spent choosing points" in seen
    assert (b"\x1b[" in seen) == rich
    assert (b"Traceback" in seen) is False
