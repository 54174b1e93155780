"""Sobol' indices: those of functions whose indices are known, and of spaces of every kind."""

import math

import numpy as np
import pytest

import suffice as sf
from suffice.result.importance import by_replacing, importance, independent, measure
from suffice.streams import Streams


def rngs(seed=0):
    return [Streams(seed)("importance", k) for k in range(8)]


def agrees(values, errors, wanted):
    """Within five standard errors of eight rounds and a thousandth: one in a thousand is not, for each index."""
    return np.all(np.abs(values - np.array(wanted)) <= 5 * errors + 1e-3)


def of_points(space, f):
    """A function of a user's point as one of rows."""
    return lambda X: np.array([f(point) for point in space.points(X)])


# ------------------------------------------------------------------ functions with known indices


def test_ishigami():
    a, b = 7.0, 0.1

    def f(U):
        x = math.pi * (2 * U - 1)
        return np.sin(x[:, 0]) + a * np.sin(x[:, 1]) ** 2 + b * x[:, 2] ** 4 * np.sin(x[:, 0])

    p4, p8 = math.pi**4, math.pi**8
    V1, V2, V13 = 0.5 * (1 + b * p4 / 5) ** 2, a**2 / 8, 8 * b**2 * p8 / 225
    V = V1 + V2 + V13
    found = independent(f, 3, 1024, rngs())
    assert agrees(found.first, found.first_error, [V1 / V, V2 / V, 0.0])
    assert agrees(found.total, found.total_error, [(V1 + V13) / V, V2 / V, V13 / V])
    assert found.deviation == pytest.approx(math.sqrt(V), rel=0.01)
    assert found.total_error.max() < 0.01


def test_the_g_function():
    a = np.array([0.0, 1.0, 4.5, 9.0, 99.0])
    V = 1 / (3 * (1 + a) ** 2)
    whole = np.prod(1 + V) - 1
    found = independent(lambda U: np.prod((np.abs(4 * U - 2) + a) / (1 + a), axis=1), 5, 1024, rngs())
    assert agrees(found.first, found.first_error, V / whole)
    assert agrees(found.total, found.total_error, V * np.prod(1 + V) / (1 + V) / whole)


def test_a_sum_has_no_interactions_and_a_product_little_else():
    added = independent(lambda U: U @ np.array([3.0, 2.0, 1.0]), 3, 512, rngs())
    assert added.total == pytest.approx(np.array([9, 4, 1]) / 14, abs=2e-3)
    assert added.first == pytest.approx(added.total, abs=5e-3)
    assert added.first.sum() == pytest.approx(1.0, abs=5e-3)
    multiplied = independent(lambda U: np.prod(U - 0.5, axis=1), 3, 512, rngs())
    assert agrees(multiplied.first, multiplied.first_error, np.zeros(3))
    assert agrees(multiplied.total, multiplied.total_error, np.ones(3))


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200, -1.0])
def test_neither_unit_nor_level_of_the_values_changes_an_index(unit):
    def f(U):
        return np.sin(3 * U[:, 0]) + U[:, 0] * U[:, 1]

    plain, other = independent(f, 2, 256, rngs()), independent(lambda U: unit * (f(U) + 7.0), 2, 256, rngs())
    assert other.total == pytest.approx(plain.total, rel=1e-6)
    assert other.first == pytest.approx(plain.first, rel=1e-6)
    assert other.deviation == pytest.approx(abs(unit) * plain.deviation, rel=1e-6)


def test_a_constant_has_no_effects_and_infinite_values_do_no_harm():
    flat = independent(lambda U: np.full(len(U), 3.0), 2, 64, rngs())
    assert flat.total.tolist() == flat.first.tolist() == [0.0, 0.0]
    assert flat.deviation == 0.0
    steep = independent(lambda U: np.where(U[:, 0] > 0.5, np.inf, 0.0), 2, 64, rngs())
    assert steep.total == pytest.approx([1.0, 0.0], abs=0.01)


def test_the_error_is_that_of_other_seeds():
    def f(U):
        return np.sin(9 * U[:, 0]) * U[:, 1] + np.abs(U[:, 2] - 0.3)

    runs = [independent(f, 3, 64, rngs(seed)) for seed in range(30)]
    spread = np.std([run.total for run in runs], axis=0)
    said = np.mean([run.total_error for run in runs], axis=0)
    assert np.all((0.5 * said < spread) & (spread < 2 * said))  # the deviation of 30 is within a half in all but 1e-4


# ------------------------------------------------------------------ kinds of spaces


def indices(space, f, n=1024):
    over = measure(space)
    return independent(lambda U: of_points(space, f)(over.place(U)), len(space.coordinates), n, rngs())


def test_log_scales_whole_numbers_and_choices_count_as_they_are_sampled():
    space = sf.Space(
        k=sf.Float(1e-4, 1, log=True), n=sf.Int(1, 4), c=sf.Choice("a", "b", "c"), s=sf.Ordinal("s", "l"), fixed=3
    )
    levels = {"a": 0.0, "b": 1.0, "c": 5.0}
    found = indices(space, lambda p: math.log10(p["k"]) + p["n"] + levels[p["c"]] + (p["s"] == "l"))
    V = np.array([16 / 12, 15 / 12, np.var([0.0, 1.0, 5.0]), 0.25])
    assert found.total == pytest.approx(V / V.sum(), abs=0.01)
    assert found.first == pytest.approx(V / V.sum(), abs=0.01)


def test_a_parameter_counts_where_it_is_active():
    space = sf.Space(c=sf.Choice("a", "b"), y=sf.Float(0, 1, when={"c": "a"}))
    found = indices(space, lambda p: p.get("y", 0.5))
    # V = 1/24: half of the points vary as y does. E(f | y) = y/2 + 1/4, and f is 1/2 in the mean whatever c is.
    assert found.total == pytest.approx([0.5, 1.0], abs=0.01)
    assert found.first == pytest.approx([0.0, 0.5], abs=0.01)


def test_with_a_constraint_what_a_parameter_can_still_change_is_counted():
    space = sf.Space(x=sf.Float(0, 1), y=sf.Float(0, 1), where=lambda p: p["x"] + p["y"] <= 1)
    over = measure(space)
    found = by_replacing(lambda X: X[:, 0], 2, lambda rng: over.draw(1000, rng), over.replace, rngs())
    # On the triangle Var x = 1/18 and E Var(x | y) = E (1 − y)²/12 = 1/24.
    assert agrees(found.total, found.total_error, [0.75, 0.0])
    assert np.isnan(found.first).all()


def test_where_a_constraint_excludes_nothing_both_ways_agree():
    names = {"x": sf.Float(0, 1), "c": sf.Choice("a", "b", "c"), "y": sf.Float(0, 1, when={"c": ("a", "b")})}
    free, bound = sf.Space(names), sf.Space(names, where=lambda p: True)

    def f(p):
        return p["x"] * p.get("y", 0.2) + (p["c"] == "b")

    over = measure(bound)
    found = by_replacing(of_points(bound, f), 3, lambda rng: over.draw(400, rng), over.replace, rngs())
    assert agrees(found.total, found.total_error, indices(free, f).total)


def test_replaced_points_are_members_that_keep_all_other_values():
    space = sf.Space(
        x=sf.Float(0, 1),
        c=sf.Choice("a", "b"),
        y=sf.Float(0, 1, when={"c": "a"}),
        where=lambda p: p["x"] + p.get("y", 0) < 1,
    )
    over = measure(space)
    X = space.sample(200, np.random.default_rng(0))
    for i, (name, other) in enumerate([("x", "c"), ("c", "x"), ("y", "x")]):
        changed = over.replace(X, i, np.random.default_rng(1))
        assert space.contains(changed).all()
        pairs = list(zip(space.points(X), space.points(changed), strict=True))
        assert all(p[other] == q[other] for p, q in pairs)
        assert any(p.get(name) != q.get(name) for p, q in pairs)


def test_features_of_a_pool_are_distributed_as_in_the_pool():
    rng = np.random.default_rng(0)
    pool = sf.Pool([{"a": float(a), "s": "uvw"[k % 3]} for k, a in enumerate(rng.normal(size=90))])
    over = measure(pool)
    X = over.place(rng.random((4000, 2)))
    a, s = (X[:, c.columns] for c in pool.coordinates)
    assert set(map(bytes, s)) == set(map(bytes, np.eye(3)))
    assert s.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.05)
    assert set(a[:, 0]) <= set(pool.members.points[:, 0])
    assert abs(np.corrcoef(a[:, 0], s[:, 0])[0, 1]) < 0.06


# ------------------------------------------------------------------ results


def told(space, f, n=60, seed=0):
    optimizer = sf.Optimizer(space, seed=seed)
    for x in sf.candidates.sobol(n, optimizer.space, design=np.empty((0, 0)), rng=np.random.default_rng(seed)):
        point = optimizer.space.from_unit(x)
        optimizer.tell(point, float(f(point)))
    return optimizer.result()


@pytest.fixture(scope="module")
def additive():
    space = sf.Space(little=(0.0, 1.0), much=(-4.0, 4.0), none=(0.0, 1.0))
    return told(space, lambda p: math.sin(math.pi * p["much"] / 4) + 0.5 * p["little"])


def test_the_model_of_a_sum_has_the_indices_of_the_sum(additive):
    found = additive.importance()
    V = np.array([0.5, 0.25 / 12, 0.0])
    assert found.names == ("much", "little", "none")
    assert found.total == pytest.approx(V / V.sum(), abs=0.02)
    assert found.first == pytest.approx(V / V.sum(), abs=0.02)
    assert found.deviation == pytest.approx(math.sqrt(V.sum()), rel=0.05)
    assert found.uncertainty < 0.1 * found.deviation
    assert found.lengthscales[0] < found.lengthscales[2]


def test_the_order_of_the_parameters_does_not_matter(additive):
    space = sf.Space(dict(reversed(additive.settings.space.params.items())))
    optimizer = sf.Optimizer(space, seed=5)
    for trial in additive.trials:
        optimizer.tell(trial.point, trial.value)
    found, other = additive.importance(), optimizer.result().importance()
    assert other.names == found.names
    assert other.total == pytest.approx(found.total, abs=0.01)
    assert other.lengthscales == pytest.approx(found.lengthscales, rel=0.1)


def test_it_is_the_same_each_time_and_computed_once(additive):
    assert additive.importance() is additive.importance()
    again = sf.Optimizer(additive.settings.space, seed=0)
    for trial in additive.trials:
        again.tell(trial.point, trial.value)
    assert np.array_equal(again.result().importance().total, additive.importance().total)


def test_the_sense_does_not_matter(additive):
    other = sf.Optimizer(additive.settings.space, seed=0, direction="maximize")
    for trial in additive.trials:
        other.tell(trial.point, -trial.value)
    assert other.result().importance().total == pytest.approx(additive.importance().total, abs=1e-6)


def test_it_prints_a_table_of_bounded_length(additive):
    shown = repr(additive.importance())
    assert [line.split()[0] for line in shown.splitlines()[:4]] == ["parameter", "much", "little", "none"]
    assert "deviation is 0.7" in shown
    wide = sf.Space({f"{'<i>' * 300}{j}": (0.0, 1.0) for j in range(60)})
    found = told(wide, lambda p: sum(p.values()), 8).importance()
    assert len(found) == 60
    assert len(repr(found)) < 6000
    assert "… and 30 more" in repr(found)
    assert "<i>" not in found._repr_html_()
    assert len(found._repr_html_()) < 40_000


def test_constants_and_constant_values():
    result = told(sf.Space(x=(0.0, 1.0), fixed=3), lambda p: p["x"], 8)
    assert result.importance().names == ("x",)
    assert result.importance().total == pytest.approx([1.0], abs=0.01)
    flat = told([(0.0, 1.0), (0.0, 1.0)], lambda x: 4.0, 6).importance()
    assert flat.total.tolist() == [0.0, 0.0]
    nothing = told(sf.Space(a=1, b=2), lambda p: 1.0, 1).importance()
    assert len(nothing) == 0
    assert "parameter" in repr(nothing)


def test_where_nothing_can_be_changed_by_itself_it_is_refused(tmp_path):
    class Bits(sf.CustomSpace):
        def draw(self, rng):
            return tuple(rng.integers(2, size=4).tolist())

        def neighbour(self, point, rng):
            i = int(rng.integers(4))
            return (*point[:i], 1 - point[i], *point[i + 1 :])

        def encode(self, point):
            return np.array(point, dtype=float)

        def decode(self, row):
            return tuple((row > 0.5).astype(int).tolist())

    result = told(Bits(), lambda p: sum(p), 6)
    with pytest.raises(sf.errors.SufficeError, match="importance needs parameters"):
        result.importance()
    result.save(tmp_path / "run.json")
    with pytest.raises(sf.errors.SufficeError, match=r"only (a|by its|its) description"):
        sf.load(tmp_path / "run.json").importance()


def test_many_parameters_take_fewer_points():
    result = told([(0.0, 1.0)] * 120, lambda x: x[3], 12)
    found = importance(result.history)
    assert len(found.names) == 120
    assert np.isfinite(found.total).all()


def test_no_share_is_above_one_however_few_points_decide_about_the_variance():
    def heavy(U):
        return np.exp(120.0 * U[:, 0] + 500.0 * (U[:, 1] - 0.5))

    rngs = [np.random.default_rng(seed) for seed in range(8)]
    by_pairs = independent(heavy, 2, 64, rngs)
    by_draws = by_replacing(heavy, 2, lambda rng: rng.random((64, 2)), lambda X, i, rng: replaced(X, i, rng), rngs)
    for found in (by_pairs, by_draws):
        assert ((found.total >= 0.0) & (found.total <= 1.0)).all()
        assert np.isfinite(found.total_error).all()
    assert (by_pairs.first <= 1.0).all()


def replaced(X, i, rng):
    X = X.copy()
    X[:, i] = rng.random(len(X))
    return X
