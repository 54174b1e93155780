"""scikit-optimize's plots: what they are given, and what is on the axes."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from suffice.compat.skopt import dummy_minimize, dump, gp_minimize, load
from suffice.compat.skopt.benchmarks import branin
from suffice.compat.skopt.plots import (
    plot_convergence,
    plot_evaluations,
    plot_gaussian_process,
    plot_histogram,
    plot_objective,
    plot_objective_2D,
    plot_regret,
)
from suffice.compat.skopt.space import Categorical, Real
from suffice.compat.skopt.utils import create_result

SQUARE = [(-5.0, 10.0), (0.0, 15.0)]


@pytest.fixture(scope="module")
def mixed():
    space = [Real(1e-3, 10.0, "log-uniform", name="rate"), (1, 6), ["a", "b", "c"], Categorical(["only"])]
    return gp_minimize(
        lambda x: np.log10(x[0]) ** 2 + x[1] + (x[2] == "b"), space, n_calls=10, n_initial_points=6, random_state=0
    )


@pytest.fixture(scope="module")
def runs():
    return [dummy_minimize(branin, SQUARE, n_calls=8, random_state=seed) for seed in range(3)]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_convergence_is_that_of_one_run_or_of_labelled_ones(mixed, runs):
    assert "best so far" in labels(plot_convergence(mixed))
    plt.close("all")
    ax = plt.figure().add_subplot()
    assert plot_convergence(("first", runs[0]), ("rest", runs[1:]), true_minimum=0.397887, yscale="log", ax=ax) is ax
    assert labels(ax) == ["first", "rest"]
    assert ax.get_yscale() == "log"
    rest = next(line for line in ax.lines if line.get_label() == "rest")
    least = [np.minimum.accumulate(run.func_vals) for run in runs[1:]]
    np.testing.assert_allclose(rest.get_ydata(), np.mean(least, axis=0))
    assert any(np.allclose(line.get_ydata(), 0.397887) for line in ax.lines)
    assert ax.get_ylim()[0] < 0.397887
    plt.close("all")
    assert plot_convergence(runs[0], true_minimum=-1.0).get_ylim()[0] < -1.0


def test_what_is_no_result_is_refused(runs):
    with pytest.raises(TypeError, match="pairs"):
        plot_convergence(("first", [1.0, 2.0]))


def test_regret_is_summed(runs):
    ax = plot_regret(*[(f"seed {i}", run) for i, run in enumerate(runs)], true_minimum=0.0)
    assert labels(ax) == ["seed 0", "seed 1", "seed 2"]
    line = next(line for line in ax.lines if line.get_label() == "seed 0")
    np.testing.assert_allclose(line.get_ydata(), np.cumsum(runs[0].func_vals))
    plt.close("all")
    plot_regret(("all", runs))


def test_evaluations_are_drawn_by_pairs(mixed):
    axes = plot_evaluations(mixed, bins=10)
    assert axes.shape == (3, 3)  # a dimension with one category has no axis
    assert axes[2, 0].get_xlabel() == "rate"
    assert axes[2, 0].get_xscale() == "log"
    axes = plot_evaluations(mixed, dimensions=["speed", "size"], plot_dims=["rate", 1])
    assert axes.shape == (2, 2)
    assert axes[1, 0].get_xlabel() == "speed"
    with pytest.raises(ValueError, match="label"):
        plot_evaluations(mixed, dimensions=["speed"], plot_dims=["rate", 1])
    with pytest.raises(ValueError, match="rate"):
        plot_evaluations(mixed, plot_dims=["nothing"])


def test_the_objective_is_drawn_by_pairs(mixed):
    axes = plot_objective(mixed, n_points=10, sample_source="result", plot_dims=["rate", "X_2"], dimensions=["r", "k"])
    assert axes.shape == (2, 2)
    assert (axes[1, 0].get_xlabel(), axes[1, 0].get_ylabel()) == ("r", "k")
    plt.close("all")
    assert plot_objective(mixed, plot_dims=[1]).get_xlabel() == "X_1"
    plt.close("all")
    assert plot_objective_2D(mixed, "rate", 1).get_xlabel() == "rate"


def test_a_histogram_counts_every_evaluation(mixed):
    for place in ("rate", 1, 2):
        ax = plot_histogram(mixed, place, bins=5, rotate_labels=30)
        assert sum(patch.get_height() for patch in ax.patches) == 10
        plt.close("all")


def test_the_model_of_one_dimension_is_drawn_beside_the_objective():
    result = gp_minimize(lambda x: x[0] ** 2, [(-1.0, 1.0)], n_calls=7, n_initial_points=4, random_state=0)
    ax = plot_gaussian_process(result, objective=lambda x: x[0] ** 2, noise_level=0.1, n_points=50)
    assert "objective" in labels(ax)
    drawn = next(line for line in ax.lines if line.get_label() == "objective")
    assert len(drawn.get_xdata()) == 50
    other = plt.figure().add_subplot()
    assert plot_gaussian_process(result, n_calls=0, show_legend=False) is other  # the axes at hand
    assert other.get_legend() is None


def test_the_rule_is_drawn_with_its_next_point():
    result = gp_minimize(lambda x: x[0] ** 2, [(-1.0, 1.0)], acq_func="LCB", n_calls=6, n_initial_points=4)
    ax = plot_gaussian_process(result, show_acq_func=True, show_next_point=True, n_points=101)
    assert {"rule", "next point"} <= set(labels(ax))
    alone = plt.figure().add_subplot()
    plot_gaussian_process(
        result, ax=alone, show_mu=False, show_observations=False, show_acq_func=True, show_next_point=True, n_points=101
    )
    rule, point = alone.lines
    assert point.get_ydata()[0] == max(rule.get_ydata())
    assert len(rule.get_xdata()) == 101
    assert result.models[-1].suffice.settings.acquisition == result.suffice.settings.acquisition


def test_more_than_one_dimension_has_no_such_curve(runs):
    with pytest.raises(ValueError, match="one dimension"):
        plot_gaussian_process(runs[0])


def test_a_loaded_result_is_drawn_and_one_that_was_made_of_values(mixed, runs, tmp_path):
    dump(mixed, tmp_path / "result.gz", store_objective=False)
    back = load(tmp_path / "result.gz")
    assert plot_evaluations(back).shape == (3, 3)
    made = create_result(runs[0].x_iters, runs[0].func_vals, runs[0].space)
    plt.close("all")
    plot_convergence(made)
    assert plot_evaluations(made).shape == (2, 2)


def test_a_search_over_hyper_parameters_is_drawn():
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    from suffice.compat.skopt import BayesSearchCV

    spaces = {"min_samples_leaf": (1, 20), "max_depth": (1, 8)}
    search = BayesSearchCV(DecisionTreeClassifier(random_state=0), spaces, n_iter=5, cv=3, random_state=0)
    search.fit(*load_iris(return_X_y=True))
    axes = plot_evaluations(search.optimizer_results_[0])
    assert axes[1, 0].get_xlabel() in spaces
    plt.close("all")
    assert plot_objective(search.optimizer_results_[0], plot_dims=["max_depth"]).get_xlabel() == "max_depth"
