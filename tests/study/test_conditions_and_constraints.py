"""Every solver, candidate set and acquisition proposes members of conditional and of constrained spaces."""

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition import ACQUISITIONS
from suffice.candidates import CANDIDATES
from suffice.errors import DifferentStudy, SpaceAbsent
from suffice.result.coverage import coverage
from suffice.solvers import SOLVERS, Exhaustive


def below(point):
    return point["x"] + point["y"] <= 1.2


def shallow(point):
    return point.get("depth", 0) * point["x"] <= 4


SHORT = sf.solvers.Adaptive(draws=32, starts=2, cap=1)  # a search of which the point is what is looked at
SMALL = {"heavy": Exhaustive(draws=300, near=50, starts=4)}
SPACES = {
    "conditional": sf.Space(
        x=(0.0, 1.0),
        kind=sf.Choice("a", "b", "c"),
        y=sf.Float(0, 1, when={"kind": ("a", "b")}),
        depth=sf.Int(1, 9, when={"kind": "b"}),
        mode=sf.Choice(1, 2, when={"depth": (5, 6, 7, 8, 9)}),
    ),
    "constrained": sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), depth=sf.Int(0, 9), where=[below, shallow]),
    "both": sf.Space(
        x=(0.0, 1.0),
        kind=sf.Choice("a", "b"),
        depth=sf.Int(1, 9, when={"kind": "b"}),
        z=sf.Float(0, 1, when={"kind": "a"}),
        where=[shallow, lambda p: p["x"] + p.get("z", 0.5) <= 1.2],
    ),
}


def value(point):
    """Smallest where everything is large, which is where the constraints are."""
    return -sum(v for v in point.values() if isinstance(v, float)) - 0.05 * point.get("depth", 0)


def three_asks(space, **parts):
    optimizer = sf.Optimizer(space, seed=1, n_initial=4, **parts)
    for _ in range(7):
        trial = optimizer.ask()
        assert all(predicate(trial.point) for predicate in space.where)
        assert set(trial.point) == set(space.only_active(trial.point))
        optimizer.tell(trial, value(trial.point))
    assert sum(trial.origin == "model" for trial in optimizer.trials) == 3
    return optimizer


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_proposes_members(space, solver):
    three_asks(SPACES[space], solver=SMALL.get(solver) or SOLVERS[solver]())


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("candidates", CANDIDATES)
def test_every_candidate_set_proposes_members(space, candidates):
    three_asks(SPACES[space], solver=sf.solvers.Grid(CANDIDATES[candidates], sf.solvers.Fixed(60), near=False))
    rng, domain = np.random.default_rng(0), SPACES[space]
    design = domain.sample(12, rng)
    X = CANDIDATES[candidates](50, domain, design=design, rng=rng)
    assert X.shape == (50, domain.dim)
    assert domain.contains(X).all()
    assert len(np.unique(X, axis=0)) > 25


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("acquisition", ACQUISITIONS)
def test_every_acquisition_proposes_members(space, acquisition):
    three_asks(SPACES[space], acquisition=ACQUISITIONS[acquisition](), solver=SHORT)


def test_the_audit_solves_a_step_again_and_finds_no_less():
    optimizer = three_asks(SPACES["both"], diagnostics=sf.solvers.Diagnostics(audit=0.4))
    audited = [r.audited >= r.value for t in optimizer.trials if (r := t.solve) is not None and r.audited is not None]
    assert audited == [True]


FIXED = {
    "a parent": ("conditional", {"kind": "a"}),
    "a parent whose children are inactive then": ("conditional", {"kind": "c"}),
    "a chain": ("conditional", {"kind": "b", "depth": 7}),
    "beside a constraint": ("constrained", {"x": 0.75}),
    "both": ("both", {"kind": "b", "depth": 8}),
}


@pytest.mark.parametrize("case", FIXED)
def test_the_rest_of_a_fixed_point_follows_the_conditions_and_constraints(case):
    name, fixed = FIXED[case]
    space = SPACES[name]
    optimizer = sf.Optimizer(space, seed=2, n_initial=4)
    for i in range(8):
        trial = optimizer.ask(fixed=fixed if i in (1, 3, 5, 7) else None)
        if i % 2:
            assert trial.point.items() >= fixed.items()
        assert all(predicate(trial.point) for predicate in space.where)
        assert set(trial.point) == set(space.only_active(trial.point))
        optimizer.tell(trial, value(trial.point))


def test_a_fixed_value_of_a_conditional_parameter_needs_what_it_depends_on():
    optimizer = sf.Optimizer(SPACES["conditional"], seed=2)
    with pytest.raises(ValueError, match=r"fixed: 'depth' is active only with \{'kind': 'b'\}; fix 'kind' as well"):
        optimizer.ask(fixed={"depth": 3})
    with pytest.raises(ValueError, match=r"fixed: 'depth' is inactive here, because it needs \{'kind': 'b'\}"):
        optimizer.ask(fixed={"kind": "a", "depth": 3})


def test_an_optimum_on_a_constraint_is_reached():
    def sum_below_one(point):
        return point["x"] + point["y"] <= 1

    space = sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), where=sum_below_one)
    result = sf.minimize(lambda p: (p["x"] - 0.9) ** 2 + (p["y"] - 0.6) ** 2, space, n_trials=15, seed=0)
    assert result.fun == pytest.approx(0.125, abs=2e-4)  # at (0.65, 0.35), where the constraint is tight
    assert sum_below_one(result.x)


def test_a_run_of_a_conditional_space_is_saved_and_read_again(tmp_path):
    result = sf.minimize(value, SPACES["conditional"], n_trials=8, seed=3)
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert [trial.point for trial in again.trials] == [trial.point for trial in result.trials]
    assert again.settings.space == SPACES["conditional"]


def test_a_run_with_a_constraint_is_read_without_it(tmp_path):
    result = sf.minimize(value, SPACES["constrained"], n_trials=8, seed=3)
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert [trial.point for trial in again.trials] == [trial.point for trial in result.trials]
    assert again.settings.space.with_where([below, shallow]) == SPACES["constrained"]


def test_a_stored_study_goes_on_when_its_constraint_is_given_again(tmp_path, caplog):
    space, path = SPACES["constrained"], tmp_path / "run.db"
    whole = sf.minimize(value, space, n_trials=8, seed=3)
    sf.minimize(value, space, n_trials=6, seed=3, storage=path)
    assert len(sf.load(path).trials) == 6
    with caplog.at_level("WARNING", "suffice"):
        optimizer = sf.Optimizer.resume(path)
    assert "saved with the constraint 'below'" in caplog.text
    with pytest.raises(SpaceAbsent, match="pass the space again"):
        optimizer.ask()
    with pytest.raises(DifferentStudy, match="where=below and shallow"):
        sf.Optimizer.resume(path, space=sf.Space(dict(space.params), where=below))
    assert sf.Optimizer.resume(path, space=space).ask().point == whole.trials[6].point
    assert [t.point for t in sf.minimize(value, space, n_trials=8, storage=path).trials[:6]] == [
        t.point for t in whole.trials[:6]
    ]


def test_the_same_seed_gives_the_same_run():
    first, second = (sf.minimize(value, SPACES["both"], n_trials=7, seed=5, solver=SHORT).trials for _ in range(2))
    assert [trial.point for trial in first] == [trial.point for trial in second]


def test_nothing_is_said_about_options_and_bounds_that_were_not_there():
    space = sf.Space(
        kind=sf.Choice("a", "b"), x=sf.Float(0, 1, when={"kind": "a"}), mode=sf.Choice(1, 2, when={"kind": "b"})
    )
    optimizer = sf.Optimizer(space, seed=0)
    for point, y in (({"kind": "a", "x": 0.4}, 2.0), ({"kind": "b", "mode": 1}, 0.0), ({"kind": "b", "mode": 2}, 1.0)):
        optimizer.tell(point, y)
    assert not {finding.name for finding in coverage(optimizer.history)} & {"options", "bounds"}


def test_the_proof_of_a_conditional_step_closes_and_holds():
    space = SPACES["conditional"]
    optimizer = three_asks(space, acquisition=sf.UCB(), diagnostics=sf.solvers.Diagnostics(proof_seconds=0.5))
    for trial in optimizer.trials:
        if trial.solve is not None:
            assert trial.solve.upper >= trial.solve.value


def test_what_a_table_of_pandas_has_for_an_inactive_parameter_is_nothing():
    space = sf.Space(kind=sf.Choice("a", "b"), width=sf.Float(0, 1, when={"kind": "b"}))
    opt = sf.Optimizer(space, seed=0)
    assert opt.tell({"kind": "a", "width": float("nan")}, 1.0).point == {"kind": "a"}
    with pytest.raises(ValueError, match=r"'width': it is inactive here, .* as space.only_active"):
        opt.tell({"kind": "a", "width": 0.5}, 1.0)
    with pytest.raises(ValueError, match="width"):
        opt.tell({"kind": "b", "width": float("nan")}, 1.0)
