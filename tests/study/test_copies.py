"""A copy of an optimizer, by pickle, deepcopy or copy, goes on as the original does, and neither disturbs the other."""

import copy
import pickle

import numpy as np
import pytest

import suffice as sf

COPIES = {"pickle": lambda opt: pickle.loads(pickle.dumps(opt)), "deepcopy": copy.deepcopy, "copy": copy.copy}
MIXED = sf.Space(rate=sf.Float(1e-3, 1.0, log=True), depth=sf.Int(1, 9), loss=sf.Choice("a", "b", "c"))


def f(point):
    return (np.log10(point["rate"]) + 1) ** 2 + (point["depth"] - 4) ** 2 / 9 + "abc".index(point["loss"])


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize(
    "acquisition",
    [sf.UCB(), sf.acquisition.Thompson(sf.acquisition.Constant(1.0), features=64)],
    ids=["ucb", "thompson"],
)
def test_a_copy_in_the_middle_of_a_run_goes_on_bit_for_bit(how, acquisition):
    opt = sf.Optimizer(MIXED, seed=5, n_initial=4, acquisition=acquisition)
    for _ in range(9):
        trial = opt.ask()
        opt.tell(trial, f(trial.point))
    pending = opt.ask()
    twin = COPIES[how](opt)
    runs = []
    for each in (opt, twin):
        each.tell(pending, f(pending.point))
        runs.append([])
        for _ in range(8):
            trial = each.ask()
            each.tell(trial, f(trial.point))
            runs[-1].append((trial.point, trial.solve.value, trial.solve.upper))
    assert runs[0] == runs[1]
    assert len(opt.trials) == len(twin.trials) == 18


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_has_a_life_of_its_own(how, make, drive):
    opt = make([(0.0, 1.0)], n_initial=3)
    drive(opt, 5)
    twin = COPIES[how](opt)
    drive(twin, 2)
    assert (len(opt.trials), len(twin.trials)) == (5, 7)
    assert opt.settings == twin.settings
