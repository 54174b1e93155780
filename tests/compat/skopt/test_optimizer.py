"""Ask and tell, as with scikit-optimize's Optimizer."""

import copy
import pickle

import numpy as np
import pytest

import suffice as sf
from suffice.compat.skopt import Optimizer
from suffice.compat.skopt.benchmarks import bench1, branin

SQUARE = [(-5.0, 10.0), (0.0, 15.0)]


def told(n=8, **words):
    optimizer = Optimizer(SQUARE, **{"n_initial_points": 4, "random_state": 0, **words})
    if n:
        optimizer.run(branin, n)
    return optimizer


def test_a_loop_of_ask_and_tell_is_a_run():
    optimizer = Optimizer([(-2.0, 2.0)], n_initial_points=3, random_state=1)
    for i in range(10):
        x = optimizer.ask()
        result = optimizer.tell(x, bench1(x))
        assert len(optimizer.Xi) == len(optimizer.yi) == i + 1
        assert len(optimizer.models) == max(0, i - 1)
    assert result.fun == min(optimizer.yi) < 0.01
    assert optimizer.get_result().x == result.x
    assert optimizer.Xi == result.x_iters


def test_the_model_proposes_the_same_until_something_is_told():
    optimizer = told()
    first = optimizer.ask()
    assert optimizer.ask() == first
    optimizer.tell(first, branin(first))
    assert optimizer.ask() != first


def test_initial_points_are_fresh_at_each_ask():
    optimizer = Optimizer(SQUARE, n_initial_points=4, random_state=0)
    assert optimizer.ask() != optimizer.ask()
    fixed = Optimizer(SQUARE, n_initial_points=4, random_state=0, initial_point_generator="lhs")
    assert fixed.ask() == fixed.ask()


@pytest.mark.parametrize("strategy", ["cl_min", "cl_mean", "cl_max"])
@pytest.mark.parametrize("before", [0, 3, 8])
def test_several_points_at_once_differ_and_stay(strategy, before):
    optimizer = told(before)
    points = optimizer.ask(n_points=4, strategy=strategy)
    assert len(points) == 4
    assert len({tuple(x) for x in points}) == 4
    assert optimizer.ask(n_points=4, strategy=strategy) == points
    result = optimizer.tell(points, [branin(x) for x in points])
    assert len(result.x_iters) == before + 4
    assert optimizer.ask(n_points=4) != points


def test_more_points_than_the_initial_ones_can_be_asked_for_at_the_start():
    optimizer = Optimizer(SQUARE, n_initial_points=2, random_state=0)
    points = optimizer.ask(n_points=6)
    assert len({tuple(x) for x in points}) == 6


def test_a_point_under_way_is_not_proposed_again():
    optimizer = told()
    one, other = optimizer.ask(n_points=2)
    optimizer.tell(other, branin(other))
    again = optimizer.ask()  # `one` was handed out, and has no value yet
    assert np.linalg.norm(np.subtract(again, one)) > 1e-3
    optimizer.tell(one, branin(one))
    assert optimizer.suffice.pending[-1].point == dict(zip(("X_0", "X_1"), again, strict=True))


def test_points_of_ones_own_can_be_told_at_any_time():
    optimizer = Optimizer(SQUARE, n_initial_points=4, random_state=0)
    X = [[0.0, 0.0], (5.0, 5.0), [10.0, 15.0], [-5.0, 0.0]]
    optimizer.tell(X, [branin(x) for x in X])
    assert len(optimizer.models) == 1
    assert optimizer.suffice.ask().origin == "model"
    optimizer.tell([1.0, 1.0], branin([1.0, 1.0]), fit=False)
    assert len(optimizer.models) == 1
    assert optimizer.Xi[1] == (5.0, 5.0)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([99.0, 0.0], 1.0),
        ([0.0], 1.0),
        ([[0.0, 0.0], [99.0, 0.0]], [1.0, 2.0]),
        ([[0.0, 0.0], [1.0, 1.0]], [1.0]),
        ([[0.0, 0.0], [1.0, 1.0]], 1.0),
        ([0.0, 0.0], [1.0]),
        ([0.0, 0.0], "1"),
        ([[0.0, 0.0]], ["1"]),
        (3.0, 1.0),
        (np.array([0.0, 0.0]), 1.0),
    ],
)
def test_what_cannot_be_told_is_refused_and_leaves_no_trace(x, y):
    optimizer = told(5)
    with pytest.raises(ValueError, match=r"point|value"):
        optimizer.tell(x, y)
    assert len(optimizer.Xi) == len(optimizer.yi) == len(optimizer.suffice.history.done) == 5


@pytest.mark.parametrize("words", [{"n_points": 0}, {"n_points": 1.5}, {"n_points": 2, "strategy": "cl_median"}])
def test_what_cannot_be_asked_is_refused(words):
    with pytest.raises(ValueError, match="must be"):
        told(5).ask(**words)


def test_without_initial_points_something_has_to_be_told_first():
    optimizer = Optimizer(SQUARE, n_initial_points=0)
    with pytest.raises(RuntimeError, match="tell"):
        optimizer.ask()
    optimizer.tell([0.0, 0.0], 1.0)
    assert optimizer.ask() in optimizer.space


def test_there_is_no_result_before_the_first_value():
    with pytest.raises(ValueError, match="nothing has been evaluated"):
        Optimizer(SQUARE).get_result()


def test_a_negative_number_of_initial_points_is_refused():
    with pytest.raises(ValueError, match="n_initial_points"):
        Optimizer(SQUARE, n_initial_points=-1)


def test_a_copy_goes_on_by_itself():
    optimizer = told()
    other = optimizer.copy(random_state=1)
    assert other.ask() == optimizer.ask()
    other.tell(other.ask(), 0.0)
    assert len(other.Xi) == len(optimizer.Xi) + 1
    assert len(optimizer.suffice.history.done) == 8


@pytest.mark.parametrize("way", [copy.deepcopy, lambda optimizer: pickle.loads(pickle.dumps(optimizer))])
def test_an_optimizer_travels_and_goes_on(way):
    optimizer = told()
    other = way(optimizer)
    assert other.run(branin, 3).x_iters == optimizer.run(branin, 3).x_iters


def test_another_rule_takes_effect_when_the_next_point_is_updated():
    optimizer = told(6, acq_func="LCB", acq_func_kwargs={"kappa": 0.0})
    near = optimizer.ask()
    optimizer.acq_func_kwargs = {"kappa": 1000.0}
    assert optimizer.ask() == near
    optimizer.update_next()
    far = optimizer.ask()

    def distance(x):
        return min(np.linalg.norm(np.subtract(x, known)) for known in optimizer.Xi)

    assert distance(far) > distance(near)
    assert len(optimizer.suffice.history.done) == 6


def test_the_models_predict_in_the_objectives_units():
    optimizer = Optimizer([(-2.0, 2.0), ["a", "b"]], n_initial_points=4, random_state=0)
    optimizer.run(lambda x: 100 + 10 * x[0] ** 2 + (x[1] == "b"), 14)
    model, space = optimizer.models[-1], optimizer.space
    mean, std = model.predict(space.transform(optimizer.Xi), return_std=True)
    np.testing.assert_allclose(mean, optimizer.yi, atol=0.5)
    assert mean.shape == std.shape == (14,)
    assert model.predict(space.transform([[0.0, "a"]]))[0] == pytest.approx(100, abs=1)
    assert np.all(std > 0)
    assert len(optimizer.models[0].y_train_) == 4
    assert model.X_train_.shape == (14, 2)
    assert "14 evaluations" in repr(model)


def test_an_optimizer_is_printed_in_a_line():
    assert repr(Optimizer(SQUARE)) == "<Optimizer of 2 dimensions, 0 evaluations>"
    assert repr(told(3)).startswith("<Optimizer of 2 dimensions, 3 evaluations, least value ")


@pytest.mark.parametrize("word", ["dummy", None])
def test_points_at_random_need_no_model(word):
    optimizer = Optimizer(SQUARE, base_estimator=word, random_state=0, n_initial_points=2)
    assert len(optimizer.run(branin, 6).x_iters) == 6
    assert optimizer.models == []
    assert len(optimizer.ask(n_points=3)) == 3


def test_dimensions_may_share_a_name():
    from suffice.compat.skopt.space import Real

    optimizer = Optimizer([Real(0, 1, name="x"), Real(0, 1, name="x")], n_initial_points=2, random_state=0)
    optimizer.run(sum, 4)
    assert optimizer.suffice.space.names == ("x[0]", "x[1]")


def test_duplicates_are_allowed_where_that_is_said():
    optimizer = Optimizer([(0, 1)], n_initial_points=1, avoid_duplicates=False, random_state=0)
    assert len(optimizer.run(lambda x: x[0], 6).x_iters) == 6


def test_the_study_within_is_this_librarys():
    optimizer = told()
    assert isinstance(optimizer.suffice, sf.Optimizer)
    assert optimizer.suffice.direction == "minimize"
    assert [trial.origin for trial in optimizer.suffice.trials] == ["foreign"] * 4 + ["model"] * 4
