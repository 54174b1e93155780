"""The same seed and the same tellings give the same suggestions; units, sense and bounds do not matter."""

import numpy as np
import pytest

from suffice import GP, Choice, Float, Int, LogEI, Optimizer, Space, maximize, minimize
from suffice.acquisition import Thompson
from suffice.solvers import Grid

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
MIXED = Space(x=Float(0.001, 1, log=True), n=Int(0, 20), c=Choice("a", "b", "c"))


def wavy(point):
    """Two valleys, steep and flat."""
    u, v = point
    return float(np.sin(5 * u) * np.cos(3 * v) + (u - 0.6) ** 2 + 0.5 * v)


def mixed(point):
    return point["x"] - 0.1 * point["n"] + (point["c"] == "b")


def places(optimizer):
    """(n, d): every point in the unit cube."""
    return np.array([trial.unit for trial in optimizer.trials])


def run(optimizer, f, n):
    """The places of n evaluations."""
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    return places(optimizer)


@pytest.mark.parametrize("acquisition", [None, Thompson(features=64), LogEI()], ids=["UCB", "Thompson", "LogEI"])
@pytest.mark.parametrize(("space", "f"), [(SQUARE, wavy), (MIXED, mixed)], ids=["box", "mixed"])
def test_a_seed_repeats_a_run_bit_for_bit_and_another_seed_does_not(acquisition, space, f):
    first, second, other = (
        run(Optimizer(space, seed=seed, n_initial=4, acquisition=acquisition), f, 8) for seed in (3, 3, 4)
    )
    assert np.array_equal(first, second)
    assert not np.any(np.all(first[:4] == other[:4], axis=1))
    assert not np.array_equal(first[4:], other[4:])


def test_a_fresh_seed_can_be_read_and_used_again(make):
    opt = make(SQUARE, seed=None)
    assert np.array_equal(run(opt, wavy, 8), run(make(SQUARE, seed=opt.seed), wavy, 8))
    assert make(SQUARE, seed=None).seed != opt.seed  # equal once in 2**32 times
    assert opt.result().seed == opt.seed


def test_other_randomness_does_not_move_a_run(make):
    first = run(make(SQUARE), wavy, 8)
    np.random.seed(1)  # noqa: NPY002  what a user's program may do
    np.random.random(7)  # noqa: NPY002
    assert np.array_equal(first, run(make(SQUARE), wavy, 8))


def test_the_point_of_a_trial_depends_on_its_number_not_on_who_asked_before(make):
    one_by_one, at_once = make(SQUARE), make(SQUARE)
    first = [one_by_one.ask() for _ in range(9)]
    assert [trial.unit.tolist() for trial in first] == [trial.unit.tolist() for trial in at_once.ask(9)]


@pytest.mark.parametrize(("space", "f"), [(SQUARE, wavy), (MIXED, mixed)], ids=["box", "mixed"])
def test_a_replay_of_the_same_calls_continues_bit_for_bit(make, space, f):
    """A batch told out of order, a failure, a cancellation, a foreign point and a second measurement."""

    def history(optimizer):
        run(optimizer, f, 5)
        batch = optimizer.ask(4)
        optimizer.tell(batch[2], f(batch[2].point))
        optimizer.fail(batch[0], "boom")
        optimizer.cancel(batch[1])
        optimizer.tell(optimizer.trials[1].point, 0.25)
        return batch[3]

    original, replay = make(space, n_initial=4), make(space, n_initial=4)
    late, again = history(original), history(replay)
    assert np.array_equal(places(original), places(replay))
    original.tell(late, 0.1)
    replay.tell(again, 0.1)
    assert np.array_equal(run(original, f, 4), run(replay, f, 4))


def test_a_recorded_run_told_to_a_new_optimizer_continues_bit_for_bit(make):
    original, resumed = make(SQUARE), make(SQUARE)
    run(original, wavy, 9)
    for trial in original.trials:
        assert resumed.tell(resumed.ask(), trial.value).unit.tolist() == trial.unit.tolist()
    assert np.array_equal(run(original, wavy, 3), run(resumed, wavy, 3))


def test_foreign_points_are_recorded_as_told_so_that_telling_the_record_changes_nothing(make):
    space = Space(a=Float(-5, 10), b=Float(1e-5, 1, log=True), n=Int(1, 9, log=True))
    rng = np.random.default_rng(0)
    told, copied = make(space, n_initial=0), make(space, n_initial=0)
    for _ in range(20):
        point = {"a": rng.uniform(-5, 10), "b": 10 ** rng.uniform(-5, 0), "n": int(rng.integers(1, 10))}
        assert told.tell(point, point["a"]).point == point
    for trial in told.trials:
        copied.tell(trial.point, trial.value)
    assert np.array_equal(places(told), places(copied))
    assert told.ask().point == copied.ask().point


@pytest.mark.parametrize("acquisition", [None, Thompson(features=64)], ids=["UCB", "Thompson"])
def test_maximizing_is_the_mirror_of_minimizing_bit_for_bit(acquisition):
    words = {"n_trials": 12, "seed": 0, "n_initial": 4, "acquisition": acquisition}
    low = minimize(wavy, SQUARE, **words)
    high = maximize(lambda x: -wavy(x), SQUARE, **words)
    assert np.array_equal(low.x_iters, high.x_iters)
    assert np.array_equal(low.func_vals, -high.func_vals)
    assert np.array_equal(low.x, high.x)
    assert low.fun == -high.fun


def dyadic(point):
    """Few enough binary digits that powers of two can be added and multiplied exactly."""
    return round(wavy(point) * 2**20) / 2**20


@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize(("factor", "shift"), [(2.0**40, 0.0), (2.0**-1000, 0.0), (1.0, 64.0), (0.25, -8.0)])
def test_powers_of_two_in_the_outputs_change_no_suggestion_by_one_bit(factor, shift, warp):
    words = {"seed": 0, "n_initial": 4, "model": GP(warp=warp)}
    plain = run(Optimizer(SQUARE, **words), dyadic, 9)
    scaled = run(Optimizer(SQUARE, **words), lambda point: factor * dyadic(point) + shift, 9)
    assert np.array_equal(plain, scaled)


@pytest.mark.parametrize(("factor", "shift"), [(3.7, 0.0), (1e-9, 5e-9), (1e12, 1e11), (1.0, 1e3)])
def test_units_of_the_outputs_do_not_matter(factor, shift):
    # Rounding moves the fitted model by little, and the best of the same candidates is the same.
    words = {"seed": 0, "n_initial": 4, "solver": Grid()}
    plain = run(Optimizer(SQUARE, **words), wavy, 10)
    scaled = run(Optimizer(SQUARE, **words), lambda point: factor * wavy(point) + shift, 10)
    np.testing.assert_allclose(plain, scaled, rtol=0, atol=1e-12)


def test_powers_of_two_in_the_bounds_change_no_suggestion_by_one_bit():
    plain = run(Optimizer(SQUARE, seed=0, n_initial=4), wavy, 9)
    wide = Optimizer([(0.0, 2.0**30), (0.0, 2.0**-30)], seed=0, n_initial=4)
    assert np.array_equal(plain, run(wide, lambda x: wavy(x * [2.0**-30, 2.0**30]), 9))


@pytest.mark.parametrize("box", [[(-5.0, 10.0), (3e-9, 4e-9)], [(1e6, 3e6), (-1e12, 1e12)]])
def test_units_of_the_bounds_do_not_matter(box):
    low, high = np.array(box).T
    words = {"seed": 0, "n_initial": 4, "solver": Grid()}
    plain = run(Optimizer(SQUARE, **words), wavy, 10)
    moved = run(Optimizer(box, **words), lambda x: wavy((x - low) / (high - low)), 10)
    np.testing.assert_allclose(plain, moved, rtol=0, atol=1e-9)


def test_a_logarithmic_bound_sees_the_logarithm():
    words = {"seed": 0, "n_initial": 4, "solver": Grid()}
    plain = run(Optimizer([(-4.0, 2.0), (0.0, 1.0)], **words), wavy, 10)
    space = {"a": Float(1e-4, 1e2, log=True), "b": (0.0, 1.0)}
    logged = run(Optimizer(space, **words), lambda p: wavy((np.log10(p["a"]), p["b"])), 10)
    np.testing.assert_allclose(plain, logged, rtol=0, atol=1e-9)


def test_names_do_not_matter():
    by_position = run(Optimizer(SQUARE, seed=0, n_initial=4), wavy, 8)
    by_name = run(
        Optimizer({"p": (0.0, 1.0), "q": (0.0, 1.0)}, seed=0, n_initial=4), lambda p: wavy((p["p"], p["q"])), 8
    )
    assert np.array_equal(by_position, by_name)
