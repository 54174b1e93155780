"""The display of an execution: what is left, in few words, and never more than asked for."""

import io
import math
import threading

import pytest

import suffice as sf
from suffice.lab.runner import Forecast
from suffice.run import progress
from suffice.run.minimize import run
from suffice.run.progress import (
    Event,
    Lines,
    Onlooker,
    display,
    duration,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def jobs(problem, method, n):
    return [(problem, method)] * n


def event(done, total=10, **words):
    given = {"skipped": 0, "failed": 0, "running": (), "seconds": None} | words
    return Event(total=total, done=done, **given)


def test_time_left_is_that_of_the_same_problem_and_method():
    quick, slow = jobs("branin", "uniform", 10), jobs("levy5", "cg", 10)
    forecast = Forecast(quick + slow, workers=2)
    assert forecast.seconds() is None
    for job in quick[:8]:
        forecast.finished(job, 1.0)
    forecast.finished(slow[0], 100.0)
    assert forecast.seconds() == (2 * 1.0 + 9 * 100.0) / 2  # by the mean of all runs it would be 66
    assert forecast.seconds(slow[1:3]) == (2 * 1.0 + 8 * 100.0) / 2


def test_a_method_not_seen_yet_is_taken_to_be_like_the_mean_of_the_others():
    seen, other, new = jobs("branin", "uniform", 9), jobs("branin", "cg", 1), jobs("automl", "cg", 5)
    forecast = Forecast(seen + other + new, workers=1)
    for job in seen:
        forecast.finished(job, 1.0)
    forecast.finished(other[0], 3.0)
    assert forecast.seconds() == 5 * 2.0


def test_failed_jobs_are_over_and_say_nothing_about_time():
    forecast = Forecast(jobs("branin", "uniform", 4), workers=1)
    forecast.finished(jobs("branin", "uniform", 1)[0], None)
    assert forecast.seconds() is None
    forecast.finished(jobs("branin", "uniform", 1)[0], 10.0)
    assert forecast.seconds() == 20.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "0 s"), (45.4, "45 s"), (59.9, "60 s"), (60, "1 min"), (3599, "1 h 0 min"), (12000, "3 h 20 min")],
)
def test_durations_are_readable(seconds, words):
    assert duration(seconds) == words


def test_an_event_in_words():
    running = event(2, skipped=3, failed=1, running=("main/branin/cg/0", "main/levy5/cg/0"), seconds=75.0)
    assert str(running) == (
        "6 of 10 runs; 3 done before; 1 failed; about 1 min left; running main/branin/cg/0, main/levy5/cg/0"
    )
    assert str(event(10, seconds=0.0)) == "10 of 10 runs"


def test_lines_come_every_few_seconds_and_at_the_end(monkeypatch):
    stream, now = io.StringIO(), [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = Lines(stream, every=5.0)
    for done, seconds in ((0, 100.0), (1, 101.0), (2, 104.9), (3, 105.0), (4, 109.0), (10, 109.1)):
        now[0] = seconds
        lines(event(done))
    assert stream.getvalue().splitlines() == ["0 of 10 runs", "3 of 10 runs", "10 of 10 runs"]


def test_a_stream_that_is_no_terminal_gets_lines():
    stream = io.StringIO()
    with display(stream) as show:
        show(event(3))
    assert stream.getvalue() == "3 of 10 runs\n"


class Gone(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


@pytest.mark.parametrize("stream", [None, Gone()])
def test_where_nothing_can_be_shown_all_else_goes_on(monkeypatch, stream):
    monkeypatch.setattr("sys.stderr", stream)  # None: a program without a console
    with display() as show:
        show(event(3))
        show.line("trial 1")


def test_a_terminal_gets_lines_too_where_rich_is_missing(monkeypatch):
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    stream = Terminal()
    with display(stream) as show:
        show(event(3))
    assert stream.getvalue() == "3 of 10 runs\n"


def test_a_terminal_gets_a_bar_without_a_thread_of_its_own(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    stream, threads = Terminal(), threading.active_count()
    with display(stream) as show:
        show(event(3, running=("[red]main/branin/cg/0",)))
        assert threading.active_count() == threads
        assert "3 of 10 runs; running [red]main" in stream.getvalue()  # a name is not markup
        show(event(4))
        assert "4 of 10 runs" in stream.getvalue()


def test_the_failures_of_a_resumed_run_are_those_of_the_whole_study(tmp_path):
    def f(x):
        calls.append(x)
        return math.nan if len(calls) in (2, 3, 7) else float(x[0])

    calls, words = [], {"storage": tmp_path / "run.db", "seed": 0, "n_initial": 8}
    sf.minimize(f, [(0.0, 1.0)], 5, **words)
    shown = []
    with sf.Optimizer.resume(tmp_path / "run.db") as optimizer:
        result = run(optimizer, f, 8, watchers=[Onlooker(shown.append)])
    assert result.message.startswith("8 trials are done, 3 of 8 evaluations failed")
    last = shown[-1]
    assert (last.skipped, last.done, last.failed, last.settled) == (3, 2, 3, 8)
    assert (shown[0].skipped, shown[0].done, shown[0].failed) == (3, 0, 2)
