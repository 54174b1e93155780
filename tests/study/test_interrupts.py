"""An exception at any line of a call, as Ctrl-C or an alarm may raise it: what was called has happened or has not."""

import gc
import linecache
import sys

import pytest

import suffice as sf
from suffice.record.history import History


class Interrupted(BaseException):
    """Not an Exception, like KeyboardInterrupt."""


def interrupt_at(line, call, error=Interrupted):
    """Make a call, and raise at its line-th line inside the library; whether it was long enough for that.

    A tracer comes to the line of a `with` again where its block ends, before the lock is released. A signal does not:
    Python looks for signals after calls and at jumps, so that there is none between the block and the release.

    What runs while garbage is collected, such as a callback of hypothesis or a finalizer, takes exceptions for itself.
    So none is collected meanwhile.
    """
    count, entered = 0, set()

    def trace(frame, event, _):
        nonlocal count
        if "suffice" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count += 1
            place = frame, frame.f_lineno
            at_with = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with ")
            if count >= line and not (at_with and place in entered):
                sys.settrace(None)
                raise error
            if at_with:
                entered.add(place)
        return trace

    before = sys.gettrace()
    gc.disable()
    sys.settrace(trace)
    try:
        call()
    except error:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
    return False


def is_sound(opt):
    """Whether the optimizer's state is what its events tell, and every done trial is counted once."""
    history = opt.history
    again = History.of(history.events)
    assert [trial.state for trial in again.trials] == [trial.state for trial in opt.trials]
    done = [trial.number for trial in opt.trials if trial.state == "done"]
    assert sorted(trial.number for trial in history.done) == done
    assert len(history.observations()) == len(done)
    return True


def test_a_tell_interrupted_at_any_line_was_told_or_not(make):
    line, outcomes = 0, set()
    while True:
        line += 1
        opt = make([(0.0, 1.0)], n_initial=2)
        opt.tell([0.2], 1.0)
        trial = opt.ask()
        if not interrupt_at(line, lambda opt=opt, trial=trial: opt.tell(trial, 2.0)):
            break
        assert is_sound(opt)
        outcomes.add(opt.trials[trial.number].state)
        assert opt.tell(trial, 2.0).value == 2.0  # saying it again is never wrong
        assert len(opt.history.done) == 2
    assert outcomes == {"pending", "done"}
    assert line > 30


def test_a_point_of_ones_own_told_with_an_interruption_at_any_line_is_told_or_nothing_is_pending(make):
    line, outcomes = 0, set()
    while True:
        line += 1
        opt = make([(0.0, 1.0)], n_initial=2)
        if not interrupt_at(line, lambda opt=opt: opt.tell([0.2], 2.0)):
            break
        assert is_sound(opt)
        assert opt.history.pending == ()  # nobody holds such a trial, so that nobody would ever settle it
        outcomes.add(len(opt.history.done))
    assert outcomes == {0, 1}


class Alarm(Exception):
    """What a signal handler may raise."""


def test_an_alarm_while_a_plain_float_is_told_is_not_taken_for_a_fault_of_the_value(make):
    opt = make([(0.0, 1.0)])
    trial = opt.ask()
    line = 0
    while interrupt_at((line := line + 1), lambda: opt.tell(trial, 2.0), Alarm):
        pass
    assert line > 30


@pytest.mark.parametrize("start", range(2))
def test_an_ask_interrupted_anywhere_leaves_nothing_pending(make, drive, start):
    line, struck = start + 1, 0
    while True:
        opt = make([(0.0, 1.0)], n_initial=2, solver=sf.solvers.Grid(size=sf.solvers.Fixed(8)))
        drive(opt, 3)
        if not interrupt_at(line, lambda opt=opt: opt.ask(3)):
            break
        struck += 1
        assert is_sound(opt)
        assert opt.history.pending == ()
        line += 97  # every line would take minutes
    assert struck > 10
    opt.ask()
