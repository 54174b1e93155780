import numpy as np
import pytest
from scipy.stats import chisquare, qmc

from suffice.candidates import halton, latin, sobol, uniform
from suffice.candidates.spacefilling import _scrambled
from suffice.space import Choice, Float, Space, UnitCube


def draw(rule, n, domain, seed=0):
    return rule(n, domain, design=np.empty((0, domain.dim)), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("rule", [sobol, halton, latin])
@pytest.mark.parametrize("d", [2, 5])
def test_space_filling_points_are_more_even_than_uniform_ones(rule, d):
    # The centred L2 discrepancies of 20 streams each: the worst space-filling set beats the median uniform set.
    uneven = [qmc.discrepancy(draw(uniform, 250, UnitCube(d), seed)) for seed in range(20)]
    even = [qmc.discrepancy(draw(rule, 250, UnitCube(d), seed)) for seed in range(20)]
    assert max(even) < np.median(uneven)
    assert np.mean(even) < 0.5 * np.mean(uneven)


@pytest.mark.parametrize("n", [1, 7, 64])
def test_a_latin_hypercube_has_one_point_in_every_stratum(n):
    strata = np.sort(np.floor(n * draw(latin, n, UnitCube(4))), axis=0)
    assert np.array_equal(strata, np.tile(np.arange(n)[:, None], 4))


def test_a_sobol_set_of_a_power_of_two_is_balanced():
    X = draw(sobol, 64, UnitCube(3))
    assert np.array_equal(np.sort(np.floor(64 * X), axis=0), np.tile(np.arange(64)[:, None], 3))


@pytest.mark.parametrize("rule", [sobol, halton])
def test_fewer_points_are_the_beginning_of_more(rule):
    assert np.array_equal(draw(rule, 5, UnitCube(3)), draw(rule, 100, UnitCube(3))[:5])


@pytest.mark.parametrize("rule", [uniform, sobol, halton, latin])
def test_every_option_of_a_choice_is_equally_likely(rule, mixed):
    # 30 streams of 100 points, so that the sets' own balance does not hide a bias. False alarms: at most one in 10^4,
    # less for the balanced sets, whose counts vary less than independent ones.
    counts = sum(draw(rule, 100, mixed, seed)[:, 2:].sum(axis=0) for seed in range(30))
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("rule", [sobol, halton, latin])
def test_every_option_has_its_share_of_the_points(rule):
    # Even numbers in one coordinate are even options: four of each, where 64 independent draws would differ by four.
    options = draw(rule, 64, Space(x=Float(0, 1), c=Choice(*range(16))))[:, 1:]
    most = {sobol: 0, latin: 1, halton: 2}[rule]  # strata of 1/64 in any order; halton's are of 1/3 and 1/9
    assert np.abs(options.sum(axis=0) - 4).max() <= most


@pytest.mark.parametrize("rule", [sobol, halton, latin])
def test_options_beyond_the_columns_of_sobol_are_as_good_as_any(rule):
    space = Space(c=Choice(*range(30_000)), x=Float(0, 1))
    X = draw(rule, 8, space)
    assert space.contains(X).all()
    chosen = X[:, :-1].argmax(axis=1)
    assert sorted(chosen // (30_000 // 8)) == list(range(8))


def test_more_coordinates_than_sobol_has_are_uniform():
    X = draw(sobol, 3, UnitCube(21_202))
    assert np.array_equal(X, draw(uniform, 3, UnitCube(21_202)))
    assert np.array_equal(X[:2], draw(sobol, 2, UnitCube(21_202)))


def test_both_spellings_of_scipys_generator_keyword_are_understood():
    rng = np.random.default_rng(0)
    assert _scrambled(lambda d, *, rng=None, seed=None: (d, rng, seed), 3, rng) == (3, rng, None)
    assert _scrambled(lambda d, *, seed=None: (d, seed), 3, rng) == (3, rng)
