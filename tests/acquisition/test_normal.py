"""h(u) = φ(u) + u Φ(u) and the hazard, compared with decimal arithmetic."""

import numpy as np
import pytest

from suffice.acquisition.marginal import density, expected_excess, log_cdf, log_expected_excess, remainders

LEFT_TO_RIGHT = [-1e8, -1e4, -300.0, -38.0, -12.0, -4.01, -4.0, -3.99, -1.0, -1e-9, 0.0, 1e-9, 0.3, 2.0, 8.0, 40.0]


@pytest.mark.parametrize("u", LEFT_TO_RIGHT)
def test_log_h_and_its_ratios_are_exact_from_one_tail_to_the_other(u, exact_normal):
    log_h, by_mean, by_std = (float(part[0]) for part in log_expected_excess(np.array([u])))
    assert log_h == pytest.approx(exact_normal.evaluate(lambda u, p, c: (p + u * c).ln(), u), rel=1e-13, abs=1e-15)
    assert by_mean == pytest.approx(exact_normal.evaluate(lambda u, p, c: c / (p + u * c), u), rel=1e-13)
    assert by_std == pytest.approx(exact_normal.evaluate(lambda u, p, c: p / (p + u * c), u), rel=1e-13)


@pytest.mark.parametrize("u", LEFT_TO_RIGHT[:-1])
def test_log_cdf_and_its_slope_are_exact_from_one_tail_to_the_other(u, exact_normal):
    value, slope = (float(part[0]) for part in log_cdf(np.array([u])))
    assert value == pytest.approx(exact_normal.evaluate(lambda u, p, c: c.ln(), u), rel=1e-13, abs=0)
    assert slope == pytest.approx(exact_normal.evaluate(lambda u, p, c: p / c, u), rel=1e-13, abs=0)


@pytest.mark.parametrize("u", [-37.0, -10.0, -4.0, -1.0, 0.0, 1.0, 30.0])
def test_h_and_the_density_are_exact_wherever_they_are_representable(u, exact_normal):
    # Rounding u² alone costs u²/2 units in the last place of exp(−u²/2): 1.5e-13 at u = −37.
    assert expected_excess(np.array([u]))[0] == pytest.approx(
        exact_normal.evaluate(lambda u, p, c: p + u * c, u), rel=3e-13, abs=0
    )
    assert density(np.array([u]))[0] == pytest.approx(exact_normal.evaluate(lambda u, p, c: p, u), rel=3e-13, abs=0)


@pytest.mark.parametrize("v", [0.0, 0.5, 2.0, 3.999, 4.001, 9.0, 50.0, 1e6])
def test_the_remainders_are_those_of_the_hazard(v, exact_normal):
    K, J = (float(part[0]) for part in remainders(np.array([v])))
    assert pytest.approx(exact_normal.evaluate(lambda u, p, c: p / c + u, -v), rel=1e-13) == K
    assert pytest.approx(exact_normal.evaluate(lambda u, p, c: 1 / (p / c + u) + u, -v), rel=2e-13) == J


def test_between_the_near_and_the_far_form_no_digit_is_lost(exact_normal):
    v = np.geomspace(0.5, 60.0, 60)
    J = remainders(v)[1]
    assert pytest.approx([exact_normal.evaluate(lambda u, p, c: 1 / (p / c + u) + u, -x) for x in v], rel=3e-13) == J


def test_infinitely_far_left_there_is_nothing_to_expect():
    assert expected_excess(np.array([-np.inf])) == 0.0


def test_shapes_are_kept():
    assert expected_excess(np.zeros((2, 3))).shape == (2, 3)
