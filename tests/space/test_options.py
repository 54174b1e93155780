"""Options that are sequences lie near each other where they have something in common."""

from collections import Counter
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

from suffice.space import Choice
from suffice.space.options import embedding

ORDERS = tuple(permutations("abcde"))


def squared(places, group):
    """Squared distances between all options in the columns of one group, (m, m)."""
    E = places.points[:, places.groups == group]
    return np.sum((E[:, None] - E) ** 2, axis=2)


def pairs_in_another_order(one, other):
    return sum((one.index(a) < one.index(b)) != (other.index(a) < other.index(b)) for a, b in combinations(one, 2))


def other_successions(one, other):
    return len(set(pairwise(one)) ^ set(pairwise(other)))


def test_arrangements_differ_by_pairs_in_another_order_by_places_with_another_item_and_by_what_follows_what():
    places = embedding(ORDERS)
    assert np.bincount(places.groups).tolist() == [10, 25, 20]
    kendall = [[pairs_in_another_order(one, other) for other in ORDERS] for one in ORDERS]
    hamming = [[sum(a != b for a, b in zip(one, other, strict=True)) for other in ORDERS] for one in ORDERS]
    assert np.array_equal(squared(places, 0), kendall)
    assert np.array_equal(squared(places, 1), 2 * np.array(hamming))
    assert np.array_equal(squared(places, 2), [[other_successions(one, other) for other in ORDERS] for one in ORDERS])


def test_words_of_the_same_letters_are_arrangements():
    words, tuples = embedding(["".join(order) for order in ORDERS]), embedding(ORDERS)
    assert np.array_equal(words.points, tuples.points)


def test_of_items_that_repeat_the_share_of_pairs_counts():
    places = embedding(["aab", "aba", "baa"])
    assert places.points[:, places.groups == 0].tolist() == [[1.0], [0.5], [0.0]]
    assert places.points[:, places.groups == 2].tolist() == [[1, 1, 0], [0, 1, 1], [1, 0, 1]]  # aa, ab, ba


def test_other_tuples_have_a_group_for_each_position_and_numbers_lie_by_rank():
    options = [(64, "relu", 0), (512, "tanh", 0), (128, "gelu", 0), (64, "tanh", 0)]
    places = embedding(options)
    assert places.groups.tolist() == [0, 1, 1, 1]  # nothing for the position at which all agree
    assert places.points[:, 0].tolist() == [0.0, 1.0, 0.5, 0.0]
    assert np.array_equal(squared(places, 1), 2.0 * (1.0 - np.equal.outer(*[[o[1] for o in options]] * 2)))


def test_truth_values_are_no_numbers_and_numbers_may_be_huge():
    assert len(embedding([(True, 10**400), (False, 10**400), (True, -1)]).groups) == 3


@pytest.mark.parametrize(
    "options",
    [
        ("a", "b", "c"),
        (1, 2, 3),
        ("ab", "ba"),  # two options
        ("stop", "pots", "spot", "go"),
        ("abc", "abd", "abe"),  # words of other letters: spelling means nothing
        ((1,), (1, 2), (2, 1)),
        ((1, 2), (2, 1), "12"),
        ((float("nan"), 2), (float("nan"), 2), (1, 3)),  # no column tells the first two apart
        tuple((*range(k, 20), *range(k)) for k in range(20)),  # 190, 400 and 380 columns for 20 options
    ],
    ids=repr,
)
def test_everything_else_is_a_one_hot_block(options):
    choice = Choice(*options)
    assert choice.embedding is None
    assert np.array_equal(choice.members(np.arange(len(options))), np.eye(len(options)))


@pytest.mark.parametrize("options", [ORDERS, tuple(product((16, 32, 64), "ab", (None, 1)))], ids=["orders", "tuples"])
def test_every_option_is_found_again_and_other_points_go_to_the_nearest(options):
    choice = Choice(*options)
    assert [choice.from_unit(choice.to_unit(option)) for option in options] == list(options)
    E = choice.members(np.arange(len(options)))
    U = np.random.default_rng(0).random((200, choice.width))
    nearest = np.argmin(np.sum((U[:, None] - E) ** 2, axis=2), axis=1)
    assert np.array_equal(choice.snap(U), E[nearest])


def test_many_points_are_snapped_a_few_at_a_time(monkeypatch):
    places, U = embedding(ORDERS), np.random.default_rng(1).random((50, 55))
    whole = places.nearest(U)
    monkeypatch.setattr("suffice.space.domain.HELD", 7 * len(ORDERS))
    assert np.array_equal(places.nearest(U), whole)
    assert places.nearest(U[:0]).shape == (0,)


def test_another_option_is_rather_a_near_one_but_may_be_any():
    choice = Choice(*ORDERS)
    x = choice.to_unit(ORDERS[40])
    drawn = Counter(choice.from_unit(row) for row in choice.embedding.others(x, 20_000, np.random.default_rng(0)))
    assert set(drawn) == set(ORDERS) - {ORDERS[40]}
    steps = Counter(pairs_in_another_order(ORDERS[40], order) for order in drawn.elements())
    assert steps[1] > 2000 > 20_000 * 4 / 119  # four of 119 others are a swap of neighbours away
