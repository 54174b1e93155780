"""Tell, fail, cancel, best and result."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from suffice import Choice, Float, Int, Optimizer, Space
from suffice.errors import NoFinishedTrial

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
MIXED = Space(x=Float(-5, 10), k=Float(1e-5, 1, log=True), n=Int(1, 9), c=Choice("a", "b"))


def test_foreign_points_are_trials_of_their_own(make):
    opt = make(SQUARE)
    trial = opt.tell([0.25, 0.75], 1.5, noise_var=0.01, seconds=3)
    assert (trial.number, trial.origin, trial.state, trial.value) == (0, "foreign", "done", 1.5)
    assert (trial.noise_var, trial.seconds, trial.solve) == (0.01, 3, None)
    assert trial.point.tolist() == [0.25, 0.75]


def test_enough_foreign_points_make_the_first_ask_model_based(make):
    enough, short = make(SQUARE, n_initial=4), make(SQUARE, n_initial=4)
    for x in (0.1, 0.4, 0.6, 0.9):
        enough.tell([x, 1 - x], x)
    for x in (0.1, 0.4, 0.6):
        short.tell([x, 1 - x], x)
    assert enough.ask().origin == "model"
    assert [trial.origin for trial in short.ask(2)] == ["design", "model"]


def test_a_point_equal_to_a_pending_one_is_that_trial(make):
    opt = make(MIXED)
    trials = opt.ask(3)
    as_floats = {**trials[1].point, "n": float(trials[1].point["n"])}
    done = opt.tell(as_floats, 4.0)
    assert done.number == 1
    assert (done.state, done.origin) == ("done", "design")
    assert len(opt.trials) == 3


def test_a_point_equal_to_a_pending_one_is_that_trial_after_a_trip_through_text(make):
    opt = make(SQUARE)
    trial = opt.ask()
    assert opt.tell([float(repr(v)) for v in trial.point.tolist()], 4.0).number == trial.number


def test_a_point_told_again_is_a_second_measurement(make):
    opt = make(SQUARE)
    done = opt.tell(opt.ask(), 1.0)
    twice = [opt.tell(done.point, 1.0), opt.tell(done.point, 2.0)]
    assert [trial.number for trial in twice] == [1, 2]
    assert {trial.origin for trial in twice} == {"foreign"}
    assert all(np.array_equal(trial.unit, done.unit) for trial in twice)
    assert opt.ask().state == "pending"


def test_telling_the_same_value_twice_changes_nothing(make):
    opt = make(SQUARE)
    trial = opt.ask()
    done = opt.tell(trial, 1.0)
    assert opt.tell(trial, 1) is done
    assert opt.tell(done, 1.0) is done
    assert len(opt.trials) == 1


@pytest.mark.parametrize("other", [2.0, math.nan, math.inf])
def test_telling_another_value_is_an_error_that_says_what_to_do(make, other):
    opt = make(SQUARE)
    trial = opt.ask()
    opt.tell(trial, 1.0)
    with pytest.raises(ValueError, match=r"trial 0 already has the value 1\.0: got .*tell\(trial\.point, value\)"):
        opt.tell(trial, other)
    assert opt.best.value == 1.0


@pytest.mark.parametrize("end", ["fail", "cancel"])
def test_a_value_that_comes_late_is_accepted(make, end):
    opt = make(SQUARE)
    trial = opt.ask()
    ended = getattr(opt, end)(trial, "too slow")
    assert (ended.state, ended.reason) == ({"fail": "failed", "cancel": "cancelled"}[end], "too slow")
    done = opt.tell(trial, 3.0)
    assert (done.state, done.value, done.reason) == ("done", 3.0, None)
    assert opt.best.number == 0


def test_a_late_failure_does_not_undo_a_value(make):
    opt = make(SQUARE)
    trial = opt.ask()
    done = opt.tell(trial, 1.0)
    with pytest.raises(ValueError, match=r"trial 0 already has the value 1\.0 and can no longer fail"):
        opt.fail(trial)
    assert opt.cancel(trial) is done


def test_cancelling_a_failed_trial_leaves_it_failed(make):
    opt = make(SQUARE)
    trial = opt.ask()
    failed = opt.fail(trial, "boom", seconds=2.0)
    assert opt.cancel(trial) is failed
    assert (failed.reason, failed.seconds) == ("boom", 2.0)


def test_a_failure_has_a_cause_a_reason_of_one_line_and_a_traceback(make):
    opt = make(SQUARE)
    text = 'Traceback (most recent call last):\n  File "f.py", line 3, in f\n    1 / 0\n    ~~^~~\nOSError: disk\n'
    said = opt.fail(opt.ask(), "no disk", cause="crashed", traceback=text)
    assert (said.cause, said.reason, said.traceback) == ("crashed", "no disk", text)
    pasted = opt.fail(opt.ask(), text, cause="raised")
    assert (pasted.cause, pasted.reason, pasted.traceback) == ("raised", "OSError: disk", text)
    plain = opt.fail(opt.ask())
    assert (plain.cause, plain.reason, plain.traceback) == ("failed", "failed", None)
    late = opt.tell(said, 1.0)
    assert (late.state, late.cause, late.reason, late.traceback) == ("done", None, None, None)


@pytest.mark.parametrize("cause", ["boom", None, 3, ["raised"]])
def test_a_cause_is_one_of_a_few_words(make, cause):
    opt = make(SQUARE)
    trial = opt.ask()
    with pytest.raises(ValueError, match="cause must be one of 'raised', 'nan'"):
        opt.fail(trial, "boom", cause=cause)
    assert opt.trials[0].state == "pending"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), Decimal("NaN"), Decimal("sNaN")])
def test_a_value_that_is_not_finite_is_a_failure(make, value):
    opt = make(SQUARE)
    trial = opt.tell(opt.ask(), value)
    assert (trial.state, trial.value) == ("failed", None)
    assert trial.reason.startswith("the value was ")
    assert trial.cause == ("nan" if "nan" in trial.reason else "inf")
    foreign = opt.tell([0.5, 0.5], value)
    assert (foreign.state, foreign.origin, foreign.number) == ("failed", "foreign", 1)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (np.bool_(False), 0.0),
        (3, 3.0),
        (np.float32(0.5), 0.5),
        (np.int8(-3), -3.0),
        (np.array(2.5), 2.5),
        (np.array([[2.5]]), 2.5),
        (np.array([7], dtype=np.int32), 7.0),
        (Decimal("0.25"), 0.25),
        (Fraction(1, 8), 0.125),
    ],
)
def test_real_scalars_of_any_kind_are_values(make, value, number):
    told = make(SQUARE).tell([0.5, 0.5], value).value
    assert type(told) is float
    assert told == number


@pytest.mark.parametrize(
    "value",
    [10**400, 10**5000, Fraction(10**400), -(10**400), np.ma.masked],
    ids=["int", "int too long to print", "fraction", "negative", "masked"],
)
def test_a_number_beyond_float64_or_behind_a_mask_is_a_failure(make, value):
    assert make(SQUARE).tell([0.5, 0.5], value).state == "failed"


@pytest.mark.parametrize(
    "value", [None, "1.0", 1j, {1.0, 2.0}, {"loss": 1}, np.array([[1.0, 2.0]]), np.zeros((0, 2)), np.str_("1")]
)
def test_a_value_that_is_no_real_number_is_refused_by_type_and_value_and_leaves_no_trace(make, value):
    opt = make(SQUARE)
    trial = opt.ask()
    with pytest.raises(TypeError, match="the objective's value must be one real number: got"):
        opt.tell(trial, value)
    with pytest.raises(TypeError):
        opt.tell([0.5, 0.5], value)
    assert [trial.state for trial in opt.trials] == ["pending"]


@pytest.mark.parametrize("variance", [-1.0, math.nan, math.inf])
def test_a_noise_variance_that_is_none_is_refused(make, variance):
    opt = make(SQUARE)
    with pytest.raises(ValueError, match="noise_var must be a finite variance ≥ 0"):
        opt.tell([0.5, 0.5], 1.0, noise_var=variance)
    assert opt.trials == ()


def test_a_noise_variance_that_is_no_number_is_called_so(make):
    opt = make(SQUARE)
    with pytest.raises(TypeError, match="noise_var must be a number: got 'small'"):
        opt.tell([0.5, 0.5], 1.0, noise_var="small")


def test_the_message_of_a_result_is_a_string(make):
    with pytest.raises(TypeError, match="message must be a string: got 5"):
        make(SQUARE).result(5)


def test_a_point_outside_the_bounds_is_refused_by_name_and_leaves_no_trace(make):
    opt = make(MIXED)
    inside = {"x": 0.0, "k": 0.1, "n": 3, "c": "a"}
    for name, outside in (("x", 11), ("k", 2.0), ("n", 10), ("c", "z")):
        with pytest.raises(ValueError, match=f"parameter '{name}'"):
            opt.tell({**inside, name: outside}, 1.0)
    assert opt.trials == ()


def test_a_trial_of_another_optimizer_is_unknown(make):
    mine, other = make(SQUARE, seed=0), make(SQUARE, seed=1)
    stranger = other.ask()
    for call in (lambda t: mine.tell(t, 1.0), mine.fail, mine.cancel):
        with pytest.raises(ValueError, match="trial 0 is not one of this optimizer's 0 trials"):
            call(stranger)
    mine.ask()
    with pytest.raises(ValueError, match=r"with tell\(point, value\)"):
        mine.tell(stranger, 1.0)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_best_is_the_first_of_the_best_in_the_users_sense(make, direction):
    opt = make(SQUARE, direction=direction)
    sign = -1 if direction == "minimize" else 1
    for x, value in ((0.1, -3.0), (0.2, 5.0), (0.3, 0.0), (0.4, 5.0)):
        opt.tell([x, x], sign * value)
    opt.fail(opt.ask())
    opt.ask()
    assert (opt.best.number, opt.best.value) == (1, sign * 5.0)


def test_the_first_of_equals_is_the_first_that_was_asked_for_not_told(make):
    opt = make(SQUARE)
    first, second = opt.ask(2)
    opt.tell(second, 1.0)
    opt.tell(first, 1.0)
    assert opt.best.number == 0


def test_zero_and_minus_zero_are_one_place(make):
    opt = make([(0.0, 1.0)])
    assert opt.tell([-0.0], 1.0).unit.tobytes() == opt.tell([0.0], 1.0).unit.tobytes()


def test_without_a_value_there_is_no_best(make):
    opt = make(SQUARE)
    opt.ask()
    opt.fail(opt.ask())
    with pytest.raises(NoFinishedTrial, match="none of the 2 trials has a value yet"):
        _ = opt.best
    result = opt.result()
    assert (result.success, result.x, result.nfev, result.nit) == (False, None, 1, 0)
    assert math.isnan(result.fun)


def test_the_result_counts_evaluations_and_keeps_every_trial(make, drive):
    opt = make(SQUARE, n_initial=3)
    drive(opt, 5)
    opt.fail(opt.ask())
    opt.cancel(opt.ask())
    opt.ask()
    result = opt.result("so far")
    assert (result.nfev, result.nit, result.success, result.message) == (6, 3, True, "so far")
    assert result.trials == opt.trials
    assert [trial.state for trial in result.trials] == ["done"] * 5 + ["failed", "cancelled", "pending"]
    assert len(result.x_iters) == 6
    assert np.array_equal(result.func_vals[:5], [trial.value for trial in opt.trials[:5]])
    assert np.isnan(result.func_vals[5])
    assert result.fun == opt.best.value == result.func_vals[:5].min()
    assert np.array_equal(result.x, opt.best.point)
    result.x[:] = 7.0
    assert not np.array_equal(result.x, opt.best.point)  # the caller's own


def test_a_known_noise_reaches_the_model(make, drive, watched):
    opt = make(SQUARE, acquisition=watched)
    drive(opt, 5)
    opt.tell([0.5, 0.5], 0.3, noise_var=0.0)
    opt.tell([0.6, 0.5], 0.3, noise_var=100.0)
    opt.ask()
    tau = watched.posteriors[-1].factor.tau
    assert tau[-1] > 1e4 * tau[-2]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"direction": "min"}, "direction must be 'minimize' or 'maximize': got 'min'"),
        ({"seed": -1}, "seed must be a whole number ≥ 0"),
        ({"seed": 1.5}, "seed must be a whole number ≥ 0"),
        ({"n_initial": -1}, "n_initial must be a whole number ≥ 0"),
    ],
)
def test_bad_settings_are_refused(make, words, fault):
    with pytest.raises(ValueError, match=fault):
        make(SQUARE, **words)


def test_a_point_that_rounding_took_over_a_bound_is_told_at_the_bound(make):
    assert make({"a": Float(0.1, 0.3), "b": Int(1, 5)}).tell({"a": 0.1 + 0.2, "b": 2}, 1.0).point == {"a": 0.3, "b": 2}
    opt = make([(0.1, 0.3)])
    assert opt.tell([0.0999999999], 1.0).point.tolist() == [0.1]
    with pytest.raises(ValueError, match="outside the bounds"):
        opt.tell([0.0999], 1.0)


def test_repeated_measurements_are_recorded_as_their_mean_with_its_variance(make):
    values = [1.0, 4.0, 2.5, 3.0]
    for given in (values, tuple(values), np.array(values)):
        trial = make(SQUARE).tell([0.2, 0.3], given)
        assert trial.value == pytest.approx(np.mean(values))
        assert trial.noise_var == pytest.approx(np.var(values, ddof=1) / 4)
    single = make(SQUARE).tell([0.2, 0.3], [2.0])
    assert (single.value, single.noise_var) == (2.0, None)


def test_few_repeated_measurements_borrow_their_variance_from_earlier_ones(make):
    opt = make(SQUARE)
    first, second = [1.0, 3.0, 2.0], [5.0, 5.0]  # which agree by chance
    opt.tell([0.1, 0.1], first)
    trial = opt.tell([0.2, 0.2], second)
    # two degrees of freedom with the variance 1, and one with 0
    assert trial.noise_var == pytest.approx((2 * 1.0 + 1 * 0.0) / 3 / 2)
    third = opt.tell([0.3, 0.3], [0.0, 4.0, 8.0, 4.0])
    # the pool has the variances as they were measured, and lends no more degrees of freedom than it has
    assert third.noise_var == pytest.approx((3 * np.var([0, 4, 8, 4], ddof=1) + 3 * 2 / 3) / 6 / 4)


def test_borrowed_variances_are_nearer_to_the_truth_than_measured_ones(make):
    opt, rng, ratios, own = make(SQUARE), np.random.default_rng(0), [], []
    for i in range(60):
        pair = rng.standard_normal(2)
        ratios.append(opt.tell([i / 60, 0.5], pair).noise_var / 0.5)
        own.append(np.var(pair, ddof=1))
    # of log(χ²₁) and of log(χ²₁/5 + 4/5): 2.2 and about 0.3
    assert np.std(np.log(own[10:])) > 1.5
    assert np.std(np.log(ratios[10:])) < 0.5
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.5)


def test_repeats_are_the_same_study_after_a_resume(make, tmp_path):
    def told(path, stops):
        points, opt = [], Optimizer(SQUARE, seed=1, storage=path)
        for i in range(9):
            if i in stops:
                opt.close()
                opt = Optimizer.resume(path)
            trial = opt.ask()
            points.append(trial.point.tolist())
            noise = np.random.default_rng(i).standard_normal(2)
            done = opt.tell(trial, (trial.point[0] - 0.3) ** 2 + 0.1 * noise)
            assert opt.tell(trial, (trial.point[0] - 0.3) ** 2 + 0.1 * noise) == done
        variances = [trial.noise_var for trial in opt.trials]
        opt.close()
        return points, variances

    assert told(tmp_path / "a.db", ()) == told(tmp_path / "b.db", (2, 7))


def test_repeats_of_several_outputs_are_lists_by_name(make):
    opt = make(SQUARE, objectives={"cost": "minimize", "gain": "maximize"})
    trial = opt.tell([0.1, 0.1], {"cost": [1.0, 3.0], "gain": 4.0})
    assert trial.values == {"cost": 2.0, "gain": 4.0}
    assert trial.noise_var == {"cost": 1.0}


@pytest.mark.parametrize(
    ("value", "more", "error", "match"),
    [
        ([], {}, ValueError, r"needs at least one measurement: got \[\]; record nan"),
        ([1.0, math.nan], {}, ValueError, r"must be finite: got .*leave out those that failed"),
        ([1.0, "2"], {}, TypeError, "a measurement of the objective's value must be one real number: got str"),
        ([[1.0, 2.0]], {}, TypeError, "must be one real number: got list"),
        (np.ones((2, 2)), {}, TypeError, "must be one real number: got ndarray"),
        ([1.0, 2.0], {"noise_var": 0.1}, ValueError, "noise_var is computed from repeated measurements"),
    ],
)
def test_measurements_that_cannot_be_averaged_are_refused(make, value, more, error, match):
    opt = make(SQUARE)
    with pytest.raises(error, match=match):
        opt.tell([0.1, 0.1], value, **more)
    assert opt.trials == ()


def test_unequal_numbers_of_repeats_are_refused(make):
    opt = make(SQUARE, objectives={"cost": "minimize", "gain": "maximize"})
    with pytest.raises(ValueError, match=r"the same number of repeated measurements: got .*'cost': 2, 'gain': 1"):
        opt.tell([0.1, 0.1], {"cost": [1.0, 3.0], "gain": [4.0]})
