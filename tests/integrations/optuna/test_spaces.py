"""Distributions as parameters: every value of one is a value of the other, and comes back as it was."""

import math

import numpy as np
import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from suffice.integrations.optuna import SufficeSampler
from suffice.integrations.optuna.space import Mapped, as_parameter, moved_into, present_distributions

KINDS = [
    FloatDistribution(-1.0, 3.0),
    FloatDistribution(-1e308, 1e308),
    FloatDistribution(1e-7, 10.0, log=True),
    FloatDistribution(-1.0, 1.0, step=0.1),
    FloatDistribution(0.0, 1.5, step=0.5),
    IntDistribution(-3, 12),
    IntDistribution(1, 1000, log=True),
    IntDistribution(3, 15, step=4),
    IntDistribution(-(2**62), 2**62),
    IntDistribution(1, 2**60, log=True),
    CategoricalDistribution(["a", "b", "c"]),
    CategoricalDistribution([None, True, 1.5, 7, "7", "None"]),
    CategoricalDistribution([float("nan"), 0.0]),
]


@pytest.mark.parametrize("distribution", KINDS, ids=str)
def test_every_proposal_is_a_value_of_the_distribution_and_comes_back_to_its_place(distribution):
    mapped = Mapped.of({"p": distribution})
    X = mapped.space.sample(40, np.random.default_rng(0))
    for x in X:
        params = mapped.params(mapped.space.from_unit(x))
        kept = distribution.to_internal_repr(params["p"])
        assert distribution._contains(kept)
        back, _ = mapped.rows([{"p": distribution.to_external_repr(kept)}])
        assert back[0] == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize("distribution", KINDS[-3:], ids=str)
def test_a_categorical_value_is_the_very_choice(distribution):
    mapped = Mapped.of({"p": distribution})
    found = [mapped.params(mapped.space.from_unit(row))["p"] for row in mapped.space.enumerate()]
    assert len(found) == len(distribution.choices)
    assert all(any(value is choice for choice in distribution.choices) for value in found)


def test_many_rows_at_once_are_the_rows_one_by_one():
    kinds = {f"p{i}": distribution for i, distribution in enumerate(KINDS)}
    mapped, rng = Mapped.of(kinds), np.random.default_rng(3)
    points = [mapped.params(mapped.space.from_unit(x)) for x in mapped.space.sample(30, rng)]
    X, inside = mapped.rows(points)
    assert inside.all()
    for x, point in zip(X, points, strict=True):
        assert x.tobytes() == mapped.rows([point])[0].tobytes()
    plain = Mapped.of({"p": FloatDistribution(-0.3, 7.7)})
    values = rng.uniform(-0.3, 7.7, 200).tolist()
    X, _ = plain.rows([{"p": value} for value in values])
    assert X[:, 0].tolist() == [as_parameter(FloatDistribution(-0.3, 7.7)).to_unit(value)[0] for value in values]


def test_a_value_outside_the_present_range_has_no_place():
    mapped = Mapped.of({"x": FloatDistribution(0.0, 1.0), "n": IntDistribution(0, 8, step=4)})
    _, inside = mapped.rows([{"x": 0.5, "n": 4}, {"x": 1.5, "n": 4}, {"x": 0.5, "n": 3}, {"other": 1}, {"x": 0.2}])
    assert inside.tolist() == [True, False, False, False, True]


@settings(max_examples=60, deadline=None)
@given(st.floats(-50, 50), st.integers(-9, 9), st.integers(0, 30), st.sampled_from([None, 0.5, 0.1]))
def test_what_is_moved_into_a_range_is_its_nearest_member(value, low, width, step):
    for distribution in (FloatDistribution(low, low + width, step=step), IntDistribution(low, low + width)):
        moved, by = moved_into(distribution, value), distribution.step
        assert distribution._contains(distribution.to_internal_repr(moved))
        nearest = min(max(value, distribution.low), distribution.high)
        assert abs(moved - nearest) <= (0.0 if by is None else by / 2 + 1e-9)


def test_the_newest_range_counts_unless_it_is_another_one_each_time():
    changed = [{"x": FloatDistribution(0.0, 10.0)}] * 5 + [{"x": FloatDistribution(2.0, 4.0)}]
    assert present_distributions(changed) == {"x": FloatDistribution(2.0, 4.0)}
    moving = [
        {"x": FloatDistribution(0.0, float(high)), "n": IntDistribution(2 * high, 40, step=2)} for high in (3, 9, 5)
    ]
    assert present_distributions(moving) == {"x": FloatDistribution(0.0, 9.0), "n": IntDistribution(6, 40, step=2)}
    assert present_distributions([{"one": IntDistribution(1, 1)}]) == {}


def test_a_range_that_depends_on_another_value_is_searched_all_the_same():
    def objective(trial):
        x = trial.suggest_float("x", 1, 10)
        y = trial.suggest_float("y", 0, x)
        return (x - 4) ** 2 + (y - 3) ** 2

    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(objective, n_trials=30)
    assert study.best_value < 0.05


def test_after_a_range_is_narrowed_only_it_is_searched_and_what_lies_in_it_is_kept():
    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(lambda trial: (trial.suggest_float("x", -10, 10) - 1) ** 2, n_trials=8)
    study.optimize(lambda trial: (trial.suggest_float("x", 2, 3) - 1) ** 2, n_trials=10)
    assert all(2 <= trial.params["x"] <= 3 for trial in study.trials[8:])
    assert study.trials[-1].system_attrs["suffice:proposal"]["origin"] == "model"
    assert min(trial.value for trial in study.trials[8:]) == pytest.approx(1.0, abs=1e-2)


def test_a_parameter_that_is_added_later_joins_the_others():
    study = optuna.create_study(sampler=SufficeSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=6)

    def objective(trial):
        return trial.suggest_float("x", 0, 1) ** 2 + (trial.suggest_float("y", 0, 1) - 0.6) ** 2

    study.optimize(objective, n_trials=15)
    assert {"x", "y"} == set(study.trials[-1].system_attrs["suffice:proposal"]["params"])
    assert math.sqrt(min(trial.value for trial in study.trials[6:])) < 0.1
