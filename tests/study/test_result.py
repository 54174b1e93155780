"""The result: SciPy's words, skopt's two, every trial, printable and picklable."""

import pickle

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

from suffice import Choice, Float, Result, Space, minimize

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def bumpy(x):
    if x[0] > 0.8:
        return np.nan
    return float(((x - 0.3) ** 2).sum())


@pytest.fixture
def result(quick):
    return minimize(bumpy, SQUARE, 16, **quick)


def test_it_is_a_scipy_result_with_words_as_attributes_and_keys(result):
    assert isinstance(result, OptimizeResult)
    for word in ("x", "fun", "nfev", "nit", "success", "message", "trials", "x_iters", "func_vals", "seed", "notes"):
        assert word in result
        assert word in dir(result)
        assert getattr(result, word) is result[word]
    with pytest.raises(AttributeError):
        _ = result.hessian


def test_its_numbers_fit_together(result):
    assert result.success
    assert result.nfev == len(result.trials) == len(result.x_iters) == len(result.func_vals) == 16
    assert result.nit == sum(trial.origin == "model" for trial in result.trials)
    assert np.nanmin(result.func_vals) == result.fun == bumpy(result.x)
    assert np.array_equal(result.x, result.x_iters[int(np.nanargmin(result.func_vals))])
    assert np.array_equal(np.isnan(result.func_vals), [trial.state == "failed" for trial in result.trials])
    assert np.array_equal(result.func_vals, [bumpy(x) for x in result.x_iters], equal_nan=True)


def test_printing_it_shows_the_answer_not_the_history(result):
    text = str(result)
    assert text == repr(result)
    assert f"fun: {result.fun}" in text
    assert f"message: {result.message}" in text
    assert "trials:" not in text
    assert len(text.splitlines()) <= 14


def test_it_survives_a_pickle(result):
    back = pickle.loads(pickle.dumps(result))
    assert type(back) is Result
    assert str(back) == str(result)
    assert [trial.number for trial in back.trials] == list(range(16))
    assert back.trials[-1].solve == result.trials[-1].solve
    assert all(np.array_equal(a.unit, b.unit) for a, b in zip(back.trials, result.trials, strict=True))


def test_a_named_space_gives_dicts_throughout(quick):
    space = Space(x=Float(0, 1), c=Choice("a", "b"))
    result = minimize(lambda point: point["x"] + (point["c"] == "a"), space, 8, **quick)
    assert set(result.x) == {"x", "c"}
    assert all(type(point) is dict for point in result.x_iters)
    assert type(pickle.loads(pickle.dumps(result)).x) is dict


def test_a_run_in_which_everything_failed_has_no_answer_and_says_so(quick):
    result = minimize(lambda x: np.nan, SQUARE, 6, **quick)
    assert (result.success, result.x, result.nfev) == (False, None, 6)
    assert np.isnan(result.fun)
    assert "False" in str(result)


def test_the_seed_in_the_result_runs_the_same_run_again(quick):
    first = minimize(bumpy, SQUARE, 8, **(quick | {"seed": None}))
    again = minimize(bumpy, SQUARE, 8, **(quick | {"seed": first.seed}))
    assert np.array_equal(first.x_iters, again.x_iters)


def test_a_trial_can_be_read_aloud(result):
    text = repr(result.trials[0])
    assert text.startswith("Trial(number=0, point=array(")
    assert "state='done'" in text
