"""The standard log: silent unless asked, a line for every evaluation at INFO, for every ask at DEBUG."""

import logging
import subprocess
import sys

import pytest

import suffice as sf

BOX = [(0.0, 1.0)]


@pytest.fixture
def lines(caplog):
    def lines(level):
        return [record.getMessage() for record in caplog.records if record.levelno == level]

    caplog.set_level(logging.DEBUG, "suffice")
    return lines


def test_nothing_is_logged_by_a_run_without_trouble_unless_asked_for(caplog):
    sf.minimize(lambda x: float(x[0]), BOX, n_trials=4, seed=0)
    assert caplog.records == []
    assert logging.getLogger("suffice").handlers == []


def test_every_evaluation_is_a_line(lines):
    optimizer = sf.Optimizer(BOX, n_initial=9, seed=0)
    first, second, third, fourth = optimizer.ask(4)
    optimizer.tell(first, 2.0, seconds=0.5)
    optimizer.tell(second, 1.0)
    optimizer.tell(third, 1.5, seconds=61.234)
    optimizer.fail(fourth, "no memory", cause="crashed", seconds=3.0)
    optimizer.cancel(optimizer.ask(), "switched off")
    optimizer.tell([0.5], 0.0)
    assert lines(logging.INFO) == [
        "trial 0: 2.0, the best so far, 0.5 s",
        "trial 1: 1.0, the best so far",
        "trial 2: 1.5, best 1.0 of trial 1, 61.2 s",
        "trial 3 failed (crashed): no memory, 3 s",
        "trial 4 was cancelled: switched off",
        "trial 5: 0.0, evaluated elsewhere",
    ]


def test_an_ask_says_where_the_point_comes_from_and_what_it_took(lines):
    optimizer = sf.Optimizer(BOX, n_initial=2, x0=[[0.25]], seed=0)
    for value in (2.0, 1.0):
        optimizer.tell(optimizer.ask(), value)
    trial = optimizer.ask()
    given, design, model = lines(logging.DEBUG)
    assert given == "trial 0: given as x0"
    assert design == "trial 1: of the initial design"
    assert model.startswith("trial 2: proposed by the model, ")
    assert f"{trial.solve.n_evals} evaluations of the acquisition, relative gap " in model
    assert trial.solve.status.name in model
    assert all(f"{phase} " in model for phase in trial.solve.seconds)


def test_steps_of_an_exhausted_search_say_what_they_are_for(lines):
    result = sf.minimize(lambda x: float((x[0] - 0.3) ** 2), BOX, n_trials=16, seed=0)
    found, (first, *_) = result.exhausted, result.exhausted.explored
    expected = f"no further improvement above {found.resolution:.2g} expected since trial {found.since}"
    asked = next(line for line in lines(logging.DEBUG) if line.startswith(f"trial {first}: "))
    assert f", exploring: {expected}, " in asked
    told = [line for line in lines(logging.INFO) if ", exploring, " in line]
    explored = [trial.number for trial in result.trials if trial.solve is not None and trial.solve.kind == "explore"]
    assert [line.split(":")[0] for line in told] == [f"trial {number}" for number in explored]


def test_a_run_says_how_it_begins_and_why_it_ends(lines):
    result = sf.minimize(lambda x: float(x[0]), BOX, n_trials=9, seed=7, stop=sf.NoImprovement(2))
    told = lines(logging.INFO)
    assert told[0] == "minimize 1 parameter in 9 trials, seed 7, 1 at a time"
    assert told[-1].startswith("run ended: no improvement in the last 2 trials; best ")
    assert f"best {result.fun!r} of trial" in told[-1]
    assert len(told) == result.nfev + 2


def test_trouble_is_seen_even_where_nobody_set_up_a_log():
    code = (
        "import suffice as sf\n"
        "def f(x):\n"
        "    if x[0] > 0.5: raise ValueError('too hot')\n"
        "    return x[0]\n"
        "sf.minimize(f, [(0, 1)], n_trials=6, n_initial=6, seed=0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert "too hot" in done.stderr
    assert len(done.stderr.splitlines()) == 1
