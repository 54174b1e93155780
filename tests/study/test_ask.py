"""Ask: numbers, steps, the initial design, pending points, finite spaces."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from suffice import GP, Choice, Float, Int, Optimizer, Space
from suffice.acquisition import Thompson
from suffice.errors import SpaceExhausted

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
SIX = Space(n=Int(0, 2), c=Choice("a", "b"))  # six points


def distances(trials):
    """Between all pairs, in the unit cube."""
    X = np.array([trial.unit for trial in trials])
    return np.linalg.norm(X[:, None] - X[None], axis=2)[np.triu_indices(len(X), 1)]


def test_trials_are_numbered_in_the_order_of_the_asks(make, drive):
    opt = make(SQUARE)
    drive(opt, 4)
    opt.tell([0.5, 0.5], 1.0)
    batch = opt.ask(3)
    assert [trial.number for trial in opt.trials] == list(range(8))
    assert [trial.number for trial in batch] == [5, 6, 7]


def test_a_trial_is_pending_from_its_ask_until_it_is_told(make):
    opt = make(SQUARE)
    trial = opt.ask()
    assert (trial.state, trial.value, trial.reason, trial.seconds) == ("pending", None, None, None)
    assert opt.trials[0].state == "pending"
    done = opt.tell(trial, 2, seconds=0.5)
    assert (done.state, done.value, done.seconds) == ("done", 2.0, 0.5)
    assert opt.trials[0] is done
    assert trial.state == "pending"  # a trial never changes; its successor replaces it


def test_the_step_counts_model_based_asks_also_cancelled_and_failed_ones(make, drive, watched):
    opt = make(SQUARE, n_initial=3, acquisition=watched)
    drive(opt, 4)
    opt.cancel(opt.ask())
    opt.fail(opt.ask())
    opt.tell([0.1, 0.2], 3.0)
    opt.ask(2)
    assert watched.steps == [1, 2, 3, 4, 5]
    assert [t.solve.binding.t for t in opt.trials if t.solve] == [1, 2, 3, 4, 5]


def test_the_design_is_twice_the_parameters_plus_two_and_the_model_takes_over(make, drive):
    opt = make(Space(x=Float(0, 1), n=Int(1, 9), c=Choice("a", "b", "c"), fixed=Float(2, 2)))
    assert opt.settings.n_initial == 8  # three parameters that are no constants, a choice is one of them
    drive(opt, 10, lambda point: point["x"])
    assert [trial.origin for trial in opt.trials] == ["design"] * 8 + ["model"] * 2
    assert [trial.solve is None for trial in opt.trials] == [True] * 8 + [False] * 2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("given", [0, 3])
def test_at_any_length_of_the_design_no_option_came_up_twice_more_than_another(seed, given):
    orders = tuple(itertools.permutations("abc"))
    space = Space(a=Choice(*range(10)), b=Choice("u", "v", "w"), c=Choice(*orders), d=Choice(*range(40)), x=Float(0, 1))
    x0 = [{"a": k, "b": "v", "c": orders[k], "d": 7 * k, "x": 0.5} for k in range(given)]
    opt = Optimizer(space, seed=seed, n_initial=30, x0=x0)
    for _ in range(30):
        opt.tell(opt.ask(), 0.0)
        if len(opt.trials) > given:
            for name in "acd" if given else "abcd":
                count = Counter(trial.point[name] for trial in opt.trials)
                least = min(count[option] for option in space.params[name].options)
                assert max(count.values()) <= least + 1
    assert Counter(trial.point["b"] for trial in opt.trials) == {"u": 10, "v": 10, "w": 10}


@pytest.mark.parametrize(("d", "n_initial"), [(1, 4), (9, 20), (10, 20), (124, 20)])
def test_the_design_grows_with_the_parameters_up_to_twenty(d, n_initial):
    assert Optimizer([(0, 1)] * d, seed=0).settings.n_initial == n_initial


@pytest.mark.parametrize("n_initial", [0, 1, 3])
def test_n_initial_is_respected_and_one_value_is_the_least_a_model_needs(make, drive, n_initial):
    opt = make(SQUARE, n_initial=n_initial)
    drive(opt, 5)
    assert sum(trial.origin == "design" for trial in opt.trials) == max(1, n_initial)


def test_the_design_goes_on_while_no_value_is_known(make):
    opt = make(SQUARE, n_initial=2)
    batch = opt.ask(12)
    assert {trial.origin for trial in batch} == {"design"}
    # The first eight points of a Sobol sequence: one in each eighth of either side.
    X = np.array([trial.unit for trial in batch[:8]])
    assert all(sorted(np.floor(8 * column)) == list(range(8)) for column in X.T)


def test_with_many_workers_the_design_goes_on_until_a_few_results_are_in(make):
    opt = make(SQUARE, n_initial=4)
    batch = opt.ask(10)
    origins = []
    for trial in batch[:4]:
        opt.tell(trial, float(trial.point[0]))
        origins.append(opt.ask().origin)
    assert origins == ["design", "design", "model", "model"]  # three results: two slopes and a level


def test_evaluations_that_failed_are_results_too_and_a_short_design_asks_for_no_more_of_them(make):
    failing = make(SQUARE, n_initial=4)
    first, *others = failing.ask(4)
    failing.tell(first, 1.0)
    for trial in others:
        failing.fail(trial)
    short = make(SQUARE, n_initial=1)
    short.tell(short.ask(5)[0], 1.0)
    assert (failing.ask().origin, short.ask().origin) == ("model", "model")


def test_a_longer_design_extends_a_shorter_one(make):
    short, long = make(SQUARE, n_initial=3).ask(3), make(SQUARE, n_initial=20).ask(20)
    assert [trial.unit.tolist() for trial in short] == [trial.unit.tolist() for trial in long[:3]]


def test_who_looks_at_the_model_between_two_asks_does_not_change_when_the_next_fit_is_due(make, drive):
    quiet, curious = (make(SQUARE, n_initial=8) for _ in range(2))
    for opt in (quiet, curious):
        drive(opt, 9)
        for x in (0.15, 0.25):
            opt.tell([x, x], x)
    assert np.isfinite(curious.result().predict([[0.5, 0.5]])).all()
    for opt in (quiet, curious):
        opt.tell([0.35, 0.35], 0.35)
    first, second = quiet.ask(), curious.ask()
    assert first.solve.binding == second.solve.binding
    assert first.solve.value == second.solve.value


def test_cancelled_design_points_are_replaced_by_new_ones(make, drive):
    opt = make(SQUARE, n_initial=4)
    opt.cancel(opt.ask())
    drive(opt, 5)
    assert [trial.origin for trial in opt.trials] == ["design"] * 5 + ["model"]
    assert len({trial.unit.tobytes() for trial in opt.trials}) == 6


def test_given_points_come_first_exactly_as_given_and_count_as_design(make, drive):
    x0 = [[0.1, 0.7], (1 / 3, 0.0)]
    opt = make(SQUARE, n_initial=3, x0=x0)
    drive(opt, 4)
    assert [trial.origin for trial in opt.trials] == ["given", "given", "design", "model"]
    assert [trial.point.tolist() for trial in opt.trials[:2]] == [list(point) for point in x0]


def test_given_points_are_not_rounded_on_their_way_through_the_unit_cube(make):
    space = Space(a=Float(-5, 10), b=Float(1e-5, 1, log=True), n=Int(0, 2**60), c=Choice(1, True))
    point = {"a": 0.3, "b": 0.001, "n": 2**60 - 3, "c": True}
    opt = make(space, x0=[{**point, "a": np.float32(0.5), "n": np.int64(7)}])
    first, told = opt.ask(), opt.tell(point, 1.0)
    assert told.point == point
    assert told.point["c"] is True
    assert [type(value) for value in first.point.values()] == [float, float, int, bool]
    assert (first.point["a"], first.point["n"]) == (0.5, 7)


def test_given_points_outside_the_bounds_are_refused_by_name_before_any_ask(make):
    with pytest.raises(ValueError, match=r"parameter 'x\[1\]': .*1\.5 is outside the bounds"):
        make(SQUARE, x0=[[0.5, 0.5], [0.5, 1.5]])


def test_a_batch_is_distinct_and_every_ask_knows_the_pending_points_before_it(make, drive):
    opt = make(SQUARE)
    drive(opt, 6)
    batch = opt.ask(4)
    assert len({trial.unit.tobytes() for trial in batch}) == 4
    assert [trial.solve.binding.pending for trial in batch] == [(), (6,), (6, 7), (6, 7, 8)]
    assert {trial.solve.binding.n_told for trial in batch} == {6}


def test_pending_points_lower_the_deviation_and_leave_the_mean(make, drive, watched):
    opt = make(SQUARE, acquisition=watched)
    drive(opt, 6)
    first = opt.ask()
    opt.ask()
    before, after = watched.posteriors
    here = first.unit[None]
    grid = np.random.default_rng(0).random((50, 2))
    np.testing.assert_allclose(after.mean(grid), before.mean(grid), atol=1e-9)
    # One observation with noise s² tau leaves the variance v s² tau / (v + s² tau), less than s² tau.
    assert after.predict(here)[1][0] < after.scale * math.sqrt(after.tau)
    assert np.all(after.predict(grid)[1] <= before.predict(grid)[1] + 1e-12)


def test_a_batch_of_confidence_bounds_spreads_because_pending_points_are_believed(drive, watched, watched_random):
    spread = {}
    for name, acquisition in (("believed", watched), ("ignored", watched_random)):
        opt = Optimizer(SQUARE, seed=0, acquisition=acquisition, model=GP(noise=0.0))  # noise is worth measuring again
        drive(opt, 8)
        spread[name] = distances(opt.ask(4))
    # The same surface is solved four times where pending points are ignored: only the growing β_t moves its maximum.
    assert spread["believed"].min() > 2 * spread["ignored"].max()


def test_a_random_acquisition_is_not_conditioned_on_pending_points(make, drive, watched, watched_random):
    sizes = {}
    for acquisition in (watched, watched_random):
        opt = make(SQUARE, acquisition=acquisition)
        drive(opt, 6)
        opt.ask(4)
        sizes[type(acquisition).__name__] = [posterior.n for posterior in acquisition.posteriors]
    assert sizes == {"Watched": [6, 7, 8, 9], "WatchedRandom": [6, 6, 6, 6]}


def test_thompson_sampling_spreads_a_batch_by_itself(drive):
    opt = Optimizer(SQUARE, seed=0, acquisition=Thompson(features=128))
    drive(opt, 4)
    # Every trial draws its own path: the maxima of one path, solved four times, would coincide.
    assert distances(opt.ask(4)).min() > 0.02


def test_an_acquisition_knows_nothing_of_failed_points(make, drive, watched):
    opt = make(SQUARE, acquisition=watched)
    drive(opt, 6)
    opt.fail(opt.ask())
    opt.ask()
    before, after = watched.posteriors
    assert after.n == before.n == 6


def test_every_point_of_a_finite_space_is_proposed_once_and_then_the_space_is_exhausted(make, drive):
    opt = make(SIX, n_initial=2)
    drive(opt, 6, lambda point: point["n"] + (point["c"] == "a"))
    assert len({tuple(trial.point.values()) for trial in opt.trials}) == 6
    with pytest.raises(SpaceExhausted, match="all 6 points of the space have been proposed"):
        opt.ask()
    assert len(opt.trials) == 6


def test_a_batch_is_shorter_where_a_finite_space_runs_out(make):
    opt = make(SIX)
    assert len(opt.ask(4)) == 4
    assert len(opt.ask(4)) == 2
    with pytest.raises(SpaceExhausted):
        opt.ask(4)


def test_foreign_points_use_up_a_finite_space_and_cancelled_ones_give_it_back(make):
    opt = make(SIX)
    opt.tell({"n": 0, "c": "a"}, 1.0)
    batch = opt.ask(6)
    assert len(batch) == 5
    cancelled = opt.cancel(batch[2])
    again = opt.ask()
    assert again.point == cancelled.point
    assert again.number == 6


def test_bounds_that_hold_three_floats_are_exhausted_after_three_points(make, drive):
    opt = make([(1.0, 1.0 + 2 * np.finfo(float).eps)], n_initial=2)
    drive(opt, 3)
    assert len({trial.point.item() for trial in opt.trials}) == 3
    with pytest.raises(SpaceExhausted, match="float64 cannot distinguish points"):
        opt.ask()


def test_an_exact_draw_on_a_set_that_is_used_up_leaves_it_for_the_rest_of_the_space(make, drive):
    opt = make(SIX, acquisition=Thompson(exact=True, points=2), n_initial=1)
    drive(opt, 6, lambda point: point["n"])
    assert len({trial.unit.tobytes() for trial in opt.trials}) == 6


@pytest.mark.parametrize("seed", [6, 8, 9])
def test_a_set_that_is_used_up_does_not_draw_new_points_back_to_those_of_it(make, drive, seed):
    space = Space(k=Choice("a", "b", "c"), x=Float(0, 1, when={"k": "a"}))  # draws are often "b" or "c"
    opt = make(space, acquisition=Thompson(exact=True, points=3), n_initial=2, seed=seed)
    drive(opt, 10, lambda point: len(point) + point.get("x", 0.5))
    assert len({trial.unit.tobytes() for trial in opt.trials}) == 10


def test_repeats_are_proposed_where_they_are_allowed(make, drive):
    opt = make(SIX, n_initial=2, repeat=True)
    drive(opt, 20, lambda point: point["n"] + (point["c"] == "a"))
    assert len({tuple(trial.point.values()) for trial in opt.trials}) <= 6
    assert opt.best.value == 0.0


def test_a_space_of_constants_has_one_point(make, drive):
    space = Space(a=Float(2, 2), b=Choice("only"))
    opt = make(space)
    drive(opt, 1, lambda point: point["a"])
    assert opt.best.point == {"a": 2.0, "b": "only"}
    with pytest.raises(SpaceExhausted, match="the only point"):
        opt.ask()


def test_a_space_of_constants_can_be_measured_again_and_again(make, drive):
    opt = make([(2.0, 2.0)], repeat=True)
    drive(opt, 8, lambda point: point[0])
    assert [trial.origin for trial in opt.trials] == ["design"] * 2 + ["model"] * 6
    assert {trial.point.item() for trial in opt.trials} == {2.0}


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_a_batch_size_that_is_no_count_is_refused(make, n):
    with pytest.raises(ValueError, match="n must be a whole number ≥ 1"):
        make(SQUARE).ask(n)


def test_the_caller_may_take_a_point_apart(make):
    opt = make(Space(x=Float(0, 1), n=Int(1, 5)))
    trial = opt.ask()
    point = dict(trial.point)
    trial.point.pop("n")
    assert opt.tell(trial, 1.0).point == point
    box = make(SQUARE)
    array = box.ask()
    before = array.point.copy()
    array.point[:] = 99.0
    assert np.array_equal(box.trials[0].point, before)
    for array in (box.trials[0].point, box.trials[0].unit):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.5
