"""What the examples of scikit-optimize's documentation do, with the import changed and smaller budgets.

Each test is named after what one of them shows. The functions and the words are ours; the calls are theirs.
"""

import pickle

import numpy as np
import pytest

import suffice.compat.skopt as skopt
from suffice.compat.skopt import Optimizer, Space, dummy_minimize, dump, expected_minimum, gp_minimize, load
from suffice.compat.skopt.benchmarks import branin, hart6
from suffice.compat.skopt.callbacks import CheckpointSaver
from suffice.compat.skopt.space import Categorical, Integer, Real
from suffice.compat.skopt.utils import use_named_args

NOISE = 0.05


def wave(x, noise_level=NOISE, rng=None):
    """A noisy function of one number, in a list or an array."""
    draw = 0.0 if rng is None else float(rng.randn()) * noise_level
    return float(np.sin(4 * x[0]) * (1 - np.tanh(x[0] ** 2))) + draw


def test_the_first_example_minimizes_a_noisy_function():
    rng = np.random.RandomState(0)
    result = gp_minimize(lambda x: wave(x, rng=rng), [(-2.0, 2.0)], n_calls=20, n_initial_points=8, random_state=0)
    assert wave(result.x) < -0.75


def test_bayesian_optimization_explains_itself_by_the_model():
    result = gp_minimize(
        wave,
        [(-2.0, 2.0)],
        acq_func="EI",
        n_calls=15,
        n_random_starts=None,
        n_initial_points=5,
        noise=NOISE**2,
        random_state=1234,
    )
    x = np.linspace(-2, 2, 40).reshape(-1, 1)
    mean, std = result.models[-1].predict(result.space.transform(x.tolist()), return_std=True)
    assert mean.shape == std.shape == (40,)
    assert np.corrcoef(mean, [wave(row) for row in x])[0, 1] > 0.8
    for n_iter in range(5):
        assert result.models[n_iter].predict(result.space.transform(x.tolist())).shape == (40,)


def test_ask_and_tell_goes_on_after_it_was_pickled():
    optimizer = Optimizer([(-2.0, 2.0)], base_estimator="GP", n_initial_points=3, acq_optimizer="sampling")
    for _ in range(6):
        next_x = optimizer.ask()
        result = optimizer.tell(next_x, wave(next_x))
    assert len(optimizer.models) == 4
    again = pickle.loads(pickle.dumps(optimizer))
    result = again.run(wave, n_iter=3)
    assert len(result.x_iters) == 9
    assert again.get_result().x_iters == result.x_iters
    assert again.Xi == result.x_iters


def test_a_result_is_stored_and_loaded(tmp_path):
    result = gp_minimize(
        wave, [(-2.0, 2.0)], acq_func="EI", n_calls=6, n_initial_points=3, noise=0.1**2, random_state=1234
    )
    dump(result, tmp_path / "result.pkl")
    assert load(tmp_path / "result.pkl").fun == result.fun
    dump(result, tmp_path / "result.gz", compress=9)
    assert load(tmp_path / "result.gz").fun == result.fun
    dump(result, tmp_path / "result_without_objective.pkl", store_objective=False)
    assert "func" not in load(tmp_path / "result_without_objective.pkl").specs["args"]
    result.specs["args"]["func"] = None
    dump(result, tmp_path / "result_without_objective_2.pkl")


def test_an_interrupted_run_goes_on_with_its_checkpoint(tmp_path):
    path = tmp_path / "checkpoint.pkl"
    saver = CheckpointSaver(path, compress=9)
    gp_minimize(wave, [(-2.0, 2.0)], x0=[-1.5], n_calls=6, n_initial_points=3, callback=[saver], random_state=777)
    before = load(path)
    result = gp_minimize(
        wave,
        [(-2.0, 2.0)],
        x0=before.x_iters,
        y0=before.func_vals,
        n_calls=5,
        n_initial_points=3,
        callback=[saver],
        random_state=777,
    )
    assert len(result.x_iters) == 11
    assert result.x_iters[:6] == before.x_iters


def test_evaluations_run_in_parallel():
    from joblib import Parallel, delayed

    optimizer = Optimizer(
        dimensions=[Real(-5.0, 10.0), Real(0.0, 15.0)], random_state=1, base_estimator="gp", n_initial_points=8
    )
    for _ in range(4):
        x = optimizer.ask(n_points=4)
        y = Parallel(n_jobs=4, prefer="threads")(delayed(branin)(v) for v in x)
        optimizer.tell(x, y)
    assert len(optimizer.Xi) == 16
    assert min(optimizer.yi) == optimizer.get_result().fun < 30


@pytest.mark.parametrize("generator", ["random", "sobol", "halton", "hammersly", "lhs", "grid"])
def test_ways_to_begin_are_compared(generator):
    space = Space([(0.0, 1.0)] * 6)
    result = gp_minimize(
        hart6,
        list(space),
        n_initial_points=7,
        initial_point_generator=generator,
        n_calls=8,
        random_state=3,
    )
    assert len({tuple(x) for x in result.x_iters}) == 8


def test_rules_and_random_search_are_compared():
    def run(minimizer, **words):
        return [minimizer(branin, [(-5.0, 10.0), (0.0, 15.0)], n_calls=12, random_state=i, **words) for i in range(2)]

    by_name = {"random": run(dummy_minimize), "gp": run(gp_minimize, n_initial_points=6)}
    assert all(len(result.func_vals) == 12 for results in by_name.values() for result in results)
    for refused in (skopt.forest_minimize, skopt.gbrt_minimize):
        with pytest.raises(NotImplementedError, match="gp_minimize"):
            run(refused)


def test_an_estimator_is_tuned_by_named_arguments():
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.model_selection import cross_val_score

    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=10, random_state=0)
    space = [
        Integer(1, 5, name="max_depth"),
        Real(10**-5, 10**0, "log-uniform", name="learning_rate"),
        Integer(1, X.shape[1], name="max_features"),
        Integer(2, 100, name="min_samples_split"),
    ]

    @use_named_args(space)
    def objective(**params):
        model.set_params(**params)
        return -np.mean(cross_val_score(model, X, y, cv=3, scoring="neg_mean_absolute_error"))

    result = gp_minimize(objective, space, n_calls=14, n_initial_points=8, random_state=0)
    assert result.fun < 64
    assert result.space.dimension_names == ["max_depth", "learning_rate", "max_features", "min_samples_split"]


def test_other_models_are_refused_and_say_what_to_take():
    for word in ("RF", "ET", "GBRT"):
        with pytest.raises(NotImplementedError, match="'GP'"):
            Optimizer([(-2.0, 2.0)], base_estimator=word)
    from sklearn.gaussian_process import GaussianProcessRegressor

    with pytest.raises(NotImplementedError, match=r"sf\.GP"):
        Optimizer([(-2.0, 2.0)], base_estimator=GaussianProcessRegressor())


def test_exploring_and_exploiting_differ():
    def proposed(**words):
        optimizer = Optimizer([(-2.0, 2.0)], "GP", n_initial_points=3, random_state=0, **words)
        optimizer.run(wave, 7)
        return optimizer

    careful = proposed(acq_func="LCB", acq_func_kwargs={"kappa": 0.1})
    curious = proposed(acq_func="LCB", acq_func_kwargs={"kappa": 100.0})
    assert np.std(np.ravel(curious.Xi[3:])) > np.std(np.ravel(careful.Xi[3:]))
    both = proposed(acq_func_kwargs={"xi": 0.000001, "kappa": 0.001})
    both.acq_func_kwargs = {"xi": 10, "kappa": 10}
    before = both.ask()
    both.update_next()
    assert both.ask() != before


def test_what_the_model_expects_is_found():
    result = gp_minimize(
        lambda x: (x[0] - 0.3) ** 2 + (x[1] + 0.2) ** 2,
        [(-1.0, 1.0), (-1.0, 1.0)],
        n_calls=15,
        n_initial_points=8,
        random_state=0,
    )
    x, value = expected_minimum(result, n_random_starts=3, random_state=0)
    np.testing.assert_allclose(x, [0.3, -0.2], atol=0.05)
    assert value == pytest.approx(0, abs=0.01)
    mixed = gp_minimize(lambda x: x[0] + (x[1] == "b"), [(0.0, 1.0), ["a", "b"]], n_calls=8, n_initial_points=5)
    x, value = expected_minimum(mixed, random_state=0)
    assert x[1] in ("a", "b")
    with pytest.raises(ValueError, match="no model"):
        expected_minimum(dummy_minimize(branin, [(-5.0, 10.0), (0.0, 15.0)], n_calls=3))


def test_a_space_of_every_kind_is_searched():
    space = Space(
        [
            Real(1e-3, 1e3, prior="log-uniform", name="C"),
            Integer(1, 64, prior="log-uniform", base=2, name="width"),
            Categorical(["relu", "tanh", "logistic"], name="activation"),
            Categorical([True, False], name="bias"),
        ]
    )

    def objective(x):
        C, width, activation, bias = x
        return abs(np.log10(C) - 1) + abs(np.log2(width) - 3) + (activation != "tanh") + (not bias)

    result = gp_minimize(objective, space, n_calls=20, n_initial_points=8, random_state=2)
    assert result.x[2:] == ["tanh", True]
    assert result.fun < 1.5
