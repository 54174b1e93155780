"""The bound that a run states about itself: made-up steps, by hand, under every map of the outputs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.accuracy.regret import (
    Limit,
    Premises,
    factor,
    limit,
    observed_bound,
)
from suffice.accuracy.report import Binding, SolveReport
from suffice.gp.fit import Hyper
from suffice.gp.kernels import Matern
from suffice.gp.transform import Outcome, standardised
from suffice.types import Status

PREMISES = Premises(Matern(2.5, 0.3), tau=0.01, dimension=2, R=0.1, B=100.0, delta=0.05)
LINEAR = Outcome(unit=2.0, centre=3.0, spread=5.0, shift=0.5, scale=0.7)  # 7 of the objective's units for a model unit
WARPED = replace(LINEAR, lam=1.7, top=1.0)
STRETCHED = replace(LINEAR, lam=0.3)


def step(value=1.0, upper=1.2, width=0.6, outcome=LINEAR, constant=0.0, pending=(), lengthscale=0.3, **words):
    binding = Binding(1, 5, 5, pending, Hyper((lengthscale,)), outcome, constant)
    plain = dict.fromkeys(("relative_gap", "gap", "eta", "eta_lower", "rank"))
    given_words = {"upper_kind": "enumerated", "n_evals": 1, "n_grads": 0, "status": Status.DONE, "seconds": {}}
    return SolveReport(value=value, upper=upper, width=width, binding=binding, **(plain | given_words | words))


STEPS = (step(), step(value=0.5, upper=0.9, width=0.2), step(value=-1.0, upper=-0.5, width=3.0))


def broken(*steps, premises=PREMISES):
    return observed_bound(premises, steps).broken


# ------------------------------------------------------------------ numbers


def test_without_a_warp_it_is_the_two_sums_times_the_scale_of_the_outputs():
    bound = observed_bound(PREMISES, STEPS)
    assert bound.value_model == pytest.approx((0.2 + 0.4 + 0.5) + (0.6 + 0.2 + 3.0))
    assert bound.value == pytest.approx(7.0 * bound.value_model)
    assert factor(STEPS) == pytest.approx(7.0)
    assert (bound.broken, bound.probability) == ((), 0.95)


@given(st.floats(-3, 3), st.floats(0, 2), st.floats(0, 2), st.sampled_from([LINEAR, WARPED, STRETCHED]))
def test_a_step_is_bounded_in_the_objectives_units_wherever_f_is_within_its_band(value, gap, width, outcome):
    # Whatever f* ≤ α* and f(x) ≥ μ − βσ are, their distance in the objective's units is at most the bound.
    bound = observed_bound(PREMISES, [step(value, value + gap, width, outcome)]).value
    best, found = value + gap * np.linspace(0, 1, 5), value - width * np.linspace(0, 1, 5)
    regrets = outcome.inverse(best)[:, None] - outcome.inverse(found)[None, :]
    assert regrets.max() <= bound * (1 + 1e-9) + 1e-9
    assert regrets.max() == pytest.approx(bound, rel=1e-6, abs=1e-9)  # and it is attained


def test_steps_in_different_units_add_up_in_the_objectives():
    other = step(outcome=replace(LINEAR, scale=0.07))
    bound = observed_bound(PREMISES, [step(), other])
    assert bound.value == pytest.approx(7.0 * 0.8 + 0.7 * 0.8)
    assert factor([step(), other]) is None


def test_no_step_costs_more_than_the_norm_allows():
    B, m = 0.5, 2.0
    steps = [step(value=2.1, upper=9.0, width=7.0, constant=m), step(value=2.2, upper=2.3, width=0.1, constant=m)]
    bound = observed_bound(replace(PREMISES, B=B), steps)
    assert bound.value_model == pytest.approx(2 * B + 0.2)
    one_sided = observed_bound(replace(PREMISES, B=B), [step(value=2.1, upper=9.0, width=0.3, constant=m)])
    assert one_sided.value_model == pytest.approx(2.5 - 1.8)


def test_a_proven_limit_is_taken_where_it_is_smaller_or_hardly_larger():
    report = step(upper=2.0, upper_kind="tail", upper_certified=1.1)
    assert limit(report) == Limit(1.1, True)
    assert observed_bound(PREMISES, [report]).value_model == pytest.approx(0.1 + 0.6)
    assert broken(report) == ()
    assert limit(replace(report, upper=1.05)) == Limit(1.1, True)  # 0.7 instead of 0.65: a proof is worth it
    assert limit(replace(report, upper=1.0, upper_certified=2.0)) == Limit(1.0, False)
    assert limit(step(upper=None, upper_certified=1.1)) == Limit(1.1, True)
    assert limit(step(upper=2.0, upper_certified=0.9)) == Limit(1.0, True)  # the value itself is a lower limit of α*
    assert limit(step(upper=math.inf)) is limit(step(upper=None)) is None


def test_an_outcome_of_data_gives_the_regret_of_the_data():
    y = np.exp(np.random.default_rng(0).standard_normal(30))
    outcome = standardised(y, 0.4)
    high, low = y.max(), y.min()
    z = outcome(np.array([high, low]))
    bound = observed_bound(PREMISES, [step(value=z[0], upper=z[0], width=z[0] - z[1], outcome=outcome)])
    assert bound.value == pytest.approx(high - low)


# ------------------------------------------------------------------ what is not known


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        (step(upper=None), "1 of 2 steps have no upper bound"),
        (step(width=None), "1 of 2 steps used another acquisition"),
    ],
)
def test_there_is_no_number_as_soon_as_one_step_lacks_a_term(lacking, words):
    bound = observed_bound(PREMISES, [step(), lacking])
    assert bound.value is bound.value_model is None
    (sentence,) = bound.broken
    assert words in sentence
    assert str(bound).startswith("There is no bound")


def test_another_acquisition_has_no_number_even_if_it_has_widths():
    bound = observed_bound(replace(PREMISES, ucb=False), STEPS)
    assert bound.value is None
    assert bound.broken == ("Theorem 1 is about UCB; 3 of 3 steps used another acquisition",)


def test_a_warp_that_leaves_the_range_of_floats_says_so():
    bound = observed_bound(replace(PREMISES, B=None), [step(value=0.0, upper=1e4, outcome=replace(STRETCHED, lam=0.0))])
    assert bound.value is None
    assert bound.value_model == pytest.approx(1e4 + 0.6)
    assert "beyond float64" in bound.broken[-1]
    assert "in model units" in str(bound)


# ------------------------------------------------------------------ what is broken


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            step(upper_kind="multistart"),
            "in 1 of 2 steps the upper bound of α* is not proven: each holds with confidence 0.9",
        ),
        (step(pending=(3,)), "1 of 2 steps assumed the predicted values at pending points"),
        (step(outcome=replace(LINEAR, floor=-5.0)), "in 1 of 2 steps values far worse"),
    ],
)
def test_what_a_step_breaks_is_said_in_a_sentence(report, words):
    (sentence,) = broken(step(), report)
    assert words in sentence


def test_several_models_are_counted_where_they_are_fitted():
    fitted = replace(PREMISES, fitted=True)
    steps = (step(), step(lengthscale=0.4), step(outcome=WARPED), step())
    assert any("refitted its model and had 3" in sentence for sentence in broken(*steps, premises=fitted))
    assert not any("refitted its model" in sentence for sentence in broken(step(), step(), premises=fitted))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fitted": True}, "fitted to the same data"),
        ({"failed": 2}, "2 failed trials count as the worst value"),
        ({"left_out": 7}, "leaves out 7 of the observations"),
        ({"B": None}, "B is not known"),
    ],
)
def test_what_the_premises_break_is_said_in_a_sentence(change, words):
    bound = observed_bound(replace(PREMISES, **change), STEPS)
    (sentence,) = bound.broken
    assert words in sentence
    assert "reference value" in str(bound)
    assert sentence in str(bound)
    assert "1 of its assumptions" in repr(bound)


def test_a_bound_that_holds_says_what_with_what_probability_and_in_which_units():
    text = str(observed_bound(PREMISES, STEPS))
    assert "is at most 34.3 in the objective's units" in text
    assert text.endswith("with a probability of at least 0.95.")


def test_a_run_without_steps_has_no_regret():
    assert observed_bound(PREMISES, ()).value == 0.0
