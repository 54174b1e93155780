"""The rules: what they stop and what they leave alone, by hand and by simulation."""

import math

import numpy as np
import pytest

import suffice as sf
from suffice.pruning import Curve, Field, as_rule, differences, wants_stop


def field(curves):
    """Finished trials with these values at steps 1, 2, …, the last being the final one; larger is better."""
    made = Field()
    for number, values in enumerate(curves):
        made.put(number, Curve(tuple(range(1, len(values) + 1)), tuple(values), values[-1]))
    return made


def stops(rule, made, values, first=1):
    made.put(99, Curve(tuple(range(first, first + len(values))), tuple(values)))
    return wants_stop(rule, 99, made)


PARALLEL = [[a, a + 1.0, a + 2.0, a + 3.0] for a in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
CROSSING = [
    [0.5, 0.5, 0.5, 0.5],
    [0.0, 0.0, 0.0, 5.0],
    [0.4, 0.4, 0.4, 0.6],
    [0.1, 0.1, 0.1, 4.0],
    [0.3, 0.3, 0.3, 1.0],
]
RULES = [sf.pruning.Median(), sf.pruning.Halving(), sf.pruning.Race()]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_what_is_clearly_worse_is_stopped_and_what_is_better_goes_on(rule):
    assert stops(rule, field(PARALLEL), [-5.0, -4.0, -3.0][: 3 if isinstance(rule, sf.pruning.Race) else 1])
    assert not stops(rule, field(PARALLEL), [0.6, 1.6, 2.6])


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_nothing_is_stopped_before_there_are_enough_finished_trials_nor_at_the_last_step(rule):
    assert not stops(rule, field(PARALLEL[:3]), [-5.0, -4.0, -3.0])
    assert not stops(rule, Field(), [-5.0])
    assert not stops(rule, field(PARALLEL), [-5.0, -4.0, -3.0, -2.0])


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_report_that_is_no_number_is_the_end_of_it(rule):
    assert stops(rule, field(PARALLEL), [-math.inf])
    assert not wants_stop(None, 99, field(PARALLEL))


@pytest.mark.parametrize("kind", [sf.pruning.Median, sf.pruning.Halving])
def test_slow_starters_are_protected_where_others_have_won(kind):
    """The best of the finished ones began below the median: so may this one."""
    assert not stops(kind(), field(CROSSING), [0.05])
    assert stops(kind(risk=1.0), field(CROSSING), [0.05])


def test_the_first_steps_are_left_alone():
    assert not stops(sf.pruning.Median(warmup=2), field(PARALLEL), [-5.0, -4.0])
    assert stops(sf.pruning.Median(warmup=2), field(PARALLEL), [-5.0, -4.0, -3.0])
    assert not stops(sf.pruning.Median(startup=7), field(PARALLEL), [-5.0])


def test_halving_looks_at_its_rungs_once():
    rule = sf.pruning.Halving(min_step=2, eta=2)
    steps = [s for s in range(1, 40) if rule.rung(Curve(tuple(range(1, s + 1)), (0.0,) * s)) is not None]
    assert steps == [2, 4, 8, 16, 32]
    assert rule.rung(Curve((3, 7), (0.0, 0.0))) == 4  # a rung that was passed between two reports
    assert sf.pruning.Halving(eta=10).rung(Curve((1, 999, 1000), (0.0,) * 3)) == 1000


def test_a_race_compares_the_same_folds_whatever_their_difficulty():
    hard = np.array([5.0, -9.0, 2.0, 0.0, 3.0])
    own = 0.01 * np.sin(np.arange(30.0)).reshape(6, 5)
    made = Field()
    for i in range(6):
        values = i / 10 + hard + own[i]
        made.put(i, Curve(tuple(range(5)), tuple(values), float(values.mean())))
    worse, better = 0.1 + hard[:3], 0.6 + hard[:3]
    assert stops(sf.pruning.Race(), made, worse, first=0)
    assert not stops(sf.pruning.Race(), made, better, first=0)
    assert differences(Curve((4, 1), (1.0, 2.0)), Curve((0, 1, 4), (0.0, 0.5, 0.25))).tolist() == [0.75, 1.5]


def test_the_best_of_a_race_is_stopped_in_at_most_five_per_cent_of_the_runs():
    """120 runs of 25 trials on 8 folds; with a true rate of 5 % more than 12 would come up once in 200."""
    lost = folds = 0
    for seed in range(120):
        rng = np.random.default_rng([seed, 8])
        hard, made, true, stopped = rng.normal(size=8), Field(), [], []
        for i in range(25):
            values = rng.normal() * 0.5 + hard + 0.3 * rng.normal(size=8)
            true.append(values.mean())
            for k in range(1, 9):
                made.put(i, Curve(tuple(range(k)), tuple(values[:k])))
                folds += 1
                if wants_stop(sf.pruning.Race(), i, made):
                    break
            else:
                made.put(i, Curve(tuple(range(8)), tuple(values), float(values.mean())))
            stopped.append(i not in [n for n, c in made.curves.items() if c.final is not None])
        lost += stopped[int(np.argmax(true))]
    assert lost <= 12
    assert folds < 0.75 * 120 * 25 * 8


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: sf.pruning.Median(startup=3), "startup"),
        (lambda: sf.pruning.Median(risk=0.0), "risk"),
        (lambda: sf.pruning.Median(warmup=-1), "warmup"),
        (lambda: sf.pruning.Halving(eta=1.0), "eta"),
        (lambda: sf.pruning.Halving(min_step=0), "min_step"),
        (lambda: sf.pruning.Race(min_folds=1), "min_folds"),
        (lambda: sf.pruning.Race(risk=2.0), "risk"),
    ],
)
def test_wrong_settings_are_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


@pytest.mark.parametrize("wrong", ["median", sf.pruning.Median, 3, len])
def test_what_is_no_rule_is_refused_before_anything_is_evaluated(wrong):
    with pytest.raises(TypeError, match="pruner must be a rule"):
        as_rule(wrong)
    with pytest.raises(TypeError, match="pruner"):
        sf.minimize(lambda x: pytest.fail("evaluated"), [(0, 1)], pruner=wrong)
    with pytest.raises(ValueError, match="one objective"):
        sf.Optimizer([(0, 1)], objectives={"a": "minimize", "b": "minimize"}, pruner=sf.pruning.Median())
