"""gp_minimize and dummy_minimize: what is evaluated, how often, and what comes out, as with scikit-optimize 0.10.2.

The numbers of evaluations and models were read off scikit-optimize itself (`python -m
research.benchmarks.skopt_parity`).
"""

import numpy as np
import pytest
import scipy.optimize

import suffice as sf
from suffice.compat.skopt import dummy_minimize, forest_minimize, gbrt_minimize, gp_minimize
from suffice.compat.skopt.space import Integer, Real

DIMENSIONS = [(-2.0, 2.0), (1, 5), ["a", "b"]]


class Counted:
    def __init__(self):
        self.calls = []

    def __call__(self, x):
        self.calls.append(x)
        return float(x[0]) ** 2 + x[1] + (x[2] == "a")


@pytest.mark.parametrize(
    ("words", "calls", "evaluations", "models"),
    [
        ({"n_calls": 12, "n_initial_points": 5}, 12, 12, 8),
        ({"n_calls": 12, "x0": [0.5, 2, "a"]}, 12, 12, 2),
        ({"n_calls": 11, "x0": [0.5, 2, "a"]}, 11, 11, 1),
        ({"n_calls": 11, "x0": (0.5, 2, "a")}, 11, 11, 1),
        ({"n_calls": 10, "x0": [0.5, 2, "a"], "y0": 1.0}, 10, 11, 1),
        ({"n_calls": 10, "x0": [[0.5, 2, "a"]], "y0": [1.0]}, 10, 11, 1),
        ({"n_calls": 10, "x0": [[0.5, 2, "a"]], "y0": np.array([1.0])}, 10, 11, 1),
        ({"n_calls": 3, "n_initial_points": 0, "x0": [0.5, 2, "a"]}, 3, 3, 3),
        ({"n_calls": 10, "y0": [1.0]}, 10, 10, 1),
        ({"n_calls": 0, "n_initial_points": 0, "x0": [[0.5, 2, "a"]], "y0": [1.0]}, 0, 1, 1),
        ({"n_calls": 11, "x0": [[0.5, 2, "a"]], "callback": lambda result: True}, 1, 1, 0),
        ({"n_calls": 12, "n_initial_points": 5, "model_queue_size": 2}, 12, 12, 2),
        ({"n_calls": 10, "x0": [[0.5, 2.5, "a"]], "y0": [1.0]}, 10, 11, 1),
    ],
)
def test_evaluations_are_counted_as_in_scikit_optimize(words, calls, evaluations, models):
    f = Counted()
    result = gp_minimize(f, DIMENSIONS, random_state=0, **words)
    assert len(f.calls) == calls
    assert len(result.x_iters) == len(result.func_vals) == evaluations
    assert len(result.models) == models


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ({"n_calls": 5}, ValueError, "at least 10"),
        ({"n_calls": 10, "x0": [0.5, 2, "a"]}, ValueError, "at least 11"),
        ({"n_initial_points": 0}, ValueError, "no points to start with"),
        ({"x0": [[0.5, 2, "a"]], "y0": [1.0, 2.0]}, ValueError, "every point needs its value"),
        ({"x0": [[0.5, 2]], "y0": [1.0]}, RuntimeError, "3 values"),
        ({"x0": ([0.5, 2, "a"],)}, ValueError, "x0"),
        ({"x0": [[3.5, 2, "a"]]}, ValueError, "is not a point of the space"),
        ({"x0": [[0.5, 2, "c"]], "y0": [1.0]}, ValueError, "is not a point of the space"),
        ({"acq_func": "XX"}, ValueError, "'gp_hedge', 'EI'"),
        ({"acq_func": "EIps"}, NotImplementedError, "acq_func='EI'"),
        ({"acq_func": "PVRS"}, NotImplementedError, "'MES'"),
        ({"acq_optimizer": "XX"}, ValueError, "acq_optimizer"),
        ({"initial_point_generator": "XX"}, ValueError, "'sobol'"),
        ({"initial_point_generator": object()}, ValueError, "a name such as 'sobol'"),
        ({"callback": 3}, ValueError, "callback"),
        ({"random_state": "a"}, ValueError, "random_state"),
        ({"base_estimator": "XX"}, ValueError, "base_estimator"),
        ({"base_estimator": "RF"}, NotImplementedError, "gp_minimize"),
        ({"base_estimator": 3}, ValueError, "base_estimator"),
        ({"noise": "loud"}, ValueError, "noise"),
        ({"model_queue_size": "a"}, TypeError, "model_queue_size"),
        ({"space_constraint": 3}, ValueError, "space_constraint"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_evaluated(words, error, said):
    f = Counted()
    with pytest.raises(error, match=said):
        gp_minimize(f, DIMENSIONS, **{"n_calls": 12, **words})
    assert f.calls == []


def test_the_result_has_scikit_optimizes_fields_in_plain_types():
    f = Counted()
    result = gp_minimize(f, DIMENSIONS, n_calls=8, n_initial_points=5, random_state=0)
    assert isinstance(result, scipy.optimize.OptimizeResult)
    assert set(result) == {"x", "fun", "x_iters", "func_vals", "space", "specs", "random_state", "models"}
    assert result.x_iters == f.calls
    assert [[type(value) for value in x] for x in result.x_iters] == [[float, int, str]] * 8
    best = int(np.argmin(result.func_vals))
    assert result.x == result.x_iters[best]
    assert result.fun == result.func_vals[best]
    assert isinstance(result.fun, float)
    assert result.specs["args"]["func"] is f
    assert result.specs["function"] == "base_minimize"
    assert isinstance(result.random_state, np.random.RandomState)
    assert all(point in result.space for point in result.x_iters)


def test_the_native_result_comes_along():
    result = gp_minimize(Counted(), DIMENSIONS, n_calls=9, n_initial_points=5, random_state=0)
    assert isinstance(result.suffice, sf.Result)
    assert result.suffice.fun == result.fun
    assert list(result.suffice.x.values()) == result.x
    assert len(result.suffice.accuracy.reports) == 4


def test_the_same_random_state_gives_the_same_run():
    runs = [
        gp_minimize(Counted(), DIMENSIONS, n_calls=8, n_initial_points=4, random_state=state).x_iters
        for state in (5, np.random.RandomState(5), np.int64(5))
    ]
    assert runs[0] == runs[1] == runs[2]
    np.random.seed(1)  # noqa: NPY002
    one = gp_minimize(Counted(), DIMENSIONS, n_calls=6, n_initial_points=4).x_iters
    np.random.seed(1)  # noqa: NPY002
    assert gp_minimize(Counted(), DIMENSIONS, n_calls=6, n_initial_points=4).x_iters == one != runs[0][:6]


@pytest.mark.parametrize(
    "words",
    [
        {"acq_func": "EI"},
        {"acq_func": "LCB", "kappa": 1.0},
        {"acq_func": "LCB", "kappa": "inf"},
        {"acq_func": "PI", "xi": 0.1},
        {"acq_func": "MES"},
        {"acq_func": "gp_hedge", "kappa": 3.0},
        {"noise": 1e-10},
        {"noise": 0.01},
        {"base_estimator": "GP"},
        {"base_estimator": sf.GP(kernel=sf.gp.RBF())},
        {"acq_optimizer": "sampling", "n_points": 50, "n_jobs": -1, "n_restarts_optimizer": 1},
        *({"initial_point_generator": word} for word in ("random", "sobol", "halton", "hammersly", "lhs", "grid")),
    ],
)
def test_every_way_to_search_ends_near_the_least_value(words):
    result = gp_minimize(
        lambda x: (x[0] - 0.3) ** 2 + (x[1] - 2.0) ** 2,
        [(-1.0, 1.0), (0.0, 4.0)],
        n_calls=16,
        n_initial_points=6,
        random_state=1,
        **words,
    )
    assert result.fun < (0.5 if words.get("kappa") == "inf" else 0.05)


def test_what_steers_only_the_effort_changes_nothing():
    def points(**words):
        return gp_minimize(Counted(), DIMENSIONS, n_calls=8, n_initial_points=4, random_state=2, **words).x_iters

    plain = points()
    assert points(acq_optimizer="lbfgs", n_points=3, n_restarts_optimizer=9, n_jobs=4) == plain
    assert points(acq_func="EI") != plain


@pytest.mark.parametrize("word", ["sobol", "halton", "hammersly", "lhs", "grid"])
def test_a_generator_spreads_the_initial_points(word):
    result = gp_minimize(
        lambda x: x[0],
        [(0.0, 1.0), (0.0, 1.0)],
        n_calls=16,
        n_initial_points=16,
        initial_point_generator=word,
        random_state=4,
    )
    X = np.array(result.x_iters)
    for column in X.T:  # of 16 random points a quarter is empty in one of 25 runs, a half never
        assert set((column * 4).astype(int)) == {0, 1, 2, 3}


def test_a_constraint_holds_for_every_point():
    result = gp_minimize(
        lambda x: -x[0] - x[1],
        [(0.0, 1.0), (0.0, 1.0)],
        n_calls=14,
        n_initial_points=5,
        space_constraint=lambda x: isinstance(x, list) and x[0] + x[1] <= 1.0,
        random_state=0,
    )
    assert all(sum(x) <= 1.0 for x in result.x_iters)
    assert result.fun < -0.99


def test_a_wished_type_is_what_the_objective_gets():
    dimensions = [Real(0, 1, dtype="float32"), Integer(0, 9, dtype=np.int16)]
    result = gp_minimize(lambda x: float(x[0] + x[1]), dimensions, n_calls=6, n_initial_points=3, random_state=0)
    assert {tuple(type(v) for v in x) for x in result.x_iters} == {(np.float32, np.int16)}


def test_a_failed_evaluation_is_learned_from_and_never_best():
    def f(x):
        return float("nan") if x[0] < 0 else x[0]

    result = gp_minimize(f, [(-1.0, 1.0)], n_calls=14, n_initial_points=6, random_state=3)
    assert np.isnan(result.func_vals).any()
    assert 0 <= result.fun < 0.2
    assert result.x[0] >= 0


def test_an_objective_that_returns_no_number_is_an_error():
    for returned in ([1.0], "1", None, (1.0, 2.0)):
        with pytest.raises(ValueError, match="one number"):
            gp_minimize(lambda x, value=returned: value, [(0.0, 1.0)], n_calls=3, n_initial_points=2)


def test_an_exception_of_the_objective_comes_out():
    with pytest.raises(ZeroDivisionError):
        gp_minimize(lambda x: 1 / 0, [(0.0, 1.0)], n_calls=3, n_initial_points=2)


def test_a_used_up_space_is_gone_on_with_at_random():
    with pytest.warns(UserWarning, match=r"The objective has been evaluated at point .* before"):
        result = gp_minimize(lambda x: x[0], [(0, 2)], n_calls=6, n_initial_points=1, random_state=0)
    assert len(result.x_iters) == 6
    assert {x[0] for x in result.x_iters} == {0, 1, 2}


def test_the_old_word_for_initial_points_is_deprecated():
    with pytest.warns(DeprecationWarning, match="n_initial_points"):
        result = gp_minimize(Counted(), DIMENSIONS, n_calls=10, n_random_starts=3, random_state=0)
    assert len(result.models) == 8


def test_random_search_is_random_and_has_no_model():
    f = Counted()
    result = dummy_minimize(f, DIMENSIONS, n_calls=15, random_state=0)
    assert len(f.calls) == 15
    assert result.models == []
    assert result.x_iters == dummy_minimize(Counted(), DIMENSIONS, n_calls=15, random_state=0).x_iters
    assert len(dummy_minimize(f, DIMENSIONS, n_calls=5, x0=[[0.5, 2, "a"]]).x_iters) == 5
    assert len(dummy_minimize(f, DIMENSIONS, n_calls=5, x0=[0.5, 2, "a"]).x_iters) == 5
    assert len(dummy_minimize(f, DIMENSIONS, n_calls=5, x0=[[0.5, 2, "a"]], y0=[1.0]).x_iters) == 6


@pytest.mark.parametrize("refused", [forest_minimize, gbrt_minimize])
def test_trees_are_refused_with_what_to_take(refused):
    with pytest.raises(NotImplementedError, match="gp_minimize"):
        refused(Counted(), DIMENSIONS, n_calls=10)
