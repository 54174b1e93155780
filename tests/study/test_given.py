"""x0, y0 and rng: what is given to begin with."""

import numpy as np
import pytest

import suffice as sf
from suffice.space import Choice, Float, Int

SPACE = {"lr": (0.0, 1.0), "n": (1, 5)}
BOX = [(0.0, 1.0), (0.0, 1.0)]
POINTS = [{"lr": 0.25, "n": 2}, {"lr": 0.5, "n": 3}]


def f(point):
    return point["lr"] + point["n"]


@pytest.mark.parametrize(
    ("space", "x0"),
    [
        (SPACE, {"lr": 0.25, "n": 2}),
        (BOX, [0.25, 0.5]),
        (BOX, np.array([0.25, 0.5])),
        ([Float(0, 1), Int(1, 3), Choice("a", "b")], [0.25, 2, "b"]),
        ([(0.0, 1.0)], [0.25]),
    ],
)
def test_one_point_needs_no_list(space, x0):
    opt = sf.Optimizer(space, x0=x0, seed=0)
    trial = opt.ask()
    assert trial.origin == "given"
    assert trial.point == x0 if isinstance(x0, dict) else list(trial.point) == list(x0)
    assert opt.ask().origin == "design"
    assert sf.Optimizer(space, x0=[x0], seed=0).ask().origin == "given"


@pytest.mark.parametrize(
    ("space", "x0", "error", "words"),
    [
        (SPACE, 5, TypeError, r"x0 must be a list of points: got int 5; one point is x0=\[point\]"),
        (SPACE, {"lrr": 0.25, "n": 2}, ValueError, r"x0\[0\]: .*unknown 'lrr': did you mean 'lr'\?"),
        (SPACE, [*POINTS, {"lr": 2.0, "n": 1}], ValueError, r"x0\[2\]: parameter 'lr': 2.0 is outside"),
        ([(0.0, 1.0)], [0.25, 0.5], TypeError, r"x0\[0\]: a point of this space is a list .* got float"),
        (BOX, "ab", TypeError, "x0 must be a list of points"),
    ],
)
def test_what_is_no_point_is_refused_by_its_place(space, x0, error, words):
    with pytest.raises(error, match=words):
        sf.Optimizer(space, x0=x0)


def test_known_values_are_learned_from_and_not_evaluated():
    evaluated = []

    def objective(point):
        evaluated.append(point)
        return f(point)

    result = sf.minimize(objective, SPACE, 6, x0=POINTS, y0=[f(p) for p in POINTS], seed=0)
    assert len(evaluated) == 6
    assert not any(point in POINTS for point in evaluated)
    assert [(t.origin, t.value) for t in result.trials[:2]] == [("foreign", 2.25), ("foreign", 3.5)]
    opt = sf.Optimizer(SPACE, seed=result.seed, n_initial=result.settings.n_initial)
    for point in POINTS:
        opt.tell(point, f(point))
    for trial in result.trials[2:]:
        assert opt.ask().point == trial.point
        opt.tell(trial.point, trial.value)


def test_an_earlier_result_gives_its_points_with_their_values_and_their_noise(tmp_path):
    with sf.Optimizer(SPACE, seed=1) as opt:
        for point, noise in zip(POINTS, (0.01, None), strict=True):
            opt.tell(point, f(point), noise_var=noise)
        opt.fail(opt.ask())
    words = {"x0": opt.result(), "seed": 0, "storage": tmp_path / "run.db"}
    result = sf.minimize(f, SPACE, 3, **words)
    assert [(t.value, t.noise_var) for t in result.trials[:2]] == [(2.25, 0.01), (3.5, None)]
    assert [t.origin for t in result.trials] == ["foreign"] * 2 + [t.origin for t in result.trials[2:]]
    assert (result.nfev, sf.minimize(f, SPACE, 3, **words).nfev) == (5, 5)
    assert sf.Optimizer(SPACE, x0=sf.Optimizer(SPACE)).trials == ()  # of a run that found nothing
    with pytest.raises(ValueError, match="x0 is a result, which has the values at its points: got y0 as well"):
        sf.Optimizer(SPACE, x0=result, y0=[1.0])
    with pytest.raises(ValueError, match=r"x0\[1\]: parameter 'lr': 0.5 is outside"):
        sf.Optimizer({"lr": (0.0, 0.4), "n": (1, 5)}, x0=result)


def test_what_a_point_leaves_out_is_drawn_and_the_same_after_a_resume(tmp_path):
    with sf.Optimizer(SPACE, x0=[{"n": 4}, {"lr": None, "n": 5}], storage=tmp_path / "run.db") as opt:
        first, second = opt.ask(2)
    assert (first.point["n"], second.point["n"], first.origin) == (4, 5, "given")
    assert 0 < first.point["lr"] < 1
    with sf.Optimizer(SPACE, x0=[{"n": 4}, {"n": 5}], storage=tmp_path / "run.db") as again:
        assert [t.point for t in again.pending] == [first.point, second.point]
    with pytest.raises(ValueError, match=r"x0\[0\]: the point is missing 'lr'"):  # whose value is it?
        sf.Optimizer(SPACE, x0=[{"n": 4}], y0=[1.0])
    with pytest.raises(ValueError, match=r"x0\[0\]: parameter 'n': 9 is outside"):
        sf.Optimizer(SPACE, x0=[{"n": 9}])
    with pytest.raises(ValueError, match=r"x0\[0\]: the point is missing 'lr', 'n'"):
        sf.Optimizer(SPACE, x0=[{}])


def test_a_point_of_a_conditional_space_gets_the_parameters_that_are_active():
    space = sf.Space(
        kind=Choice("a", "b"), depth=Int(1, 9, when={"kind": "a"}), rate=(0.0, 1.0), where=lambda p: p["rate"] < 0.1
    )
    points = [{"kind": "a"}, {"kind": "b", "depth": float("nan")}, {"kind": "b", "rate": 0.05}]
    first, second, third = (trial.point for trial in sf.Optimizer(space, x0=points).ask(3))
    assert (first.keys(), second.keys()) == ({"kind", "depth", "rate"}, {"kind", "rate"})
    assert max(first["rate"], second["rate"]) < 0.1
    assert third == points[2]
    with pytest.raises(ValueError, match=r"x0\[0\]: parameter 'depth': it is inactive here.* leave it out"):
        sf.Optimizer(space, x0=[{"kind": "b", "depth": 3, "rate": 0.05}])
    wider = sf.Space(**space.params, width=Int(1, 9, when={"kind": "a"}))
    with pytest.raises(ValueError, match=r"x0\[0\]: parameter 'depth': it is inactive here.* leave it out"):
        sf.Optimizer(wider, x0=[{"kind": "b", "depth": 3, "rate": 0.05}])
    with pytest.raises(ValueError, match=r"x0\[0\]: .*'depth' is active only with .* fix 'kind' as well"):
        sf.Optimizer(space, x0=[{"depth": 3}])


def test_a_data_frame_gives_its_rows():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"n": [2, None, 3], "lr": [0.25, 0.5, None], "remark": ["", "", "late"]})
    trials = sf.Optimizer(SPACE, x0=table).ask(3)
    assert trials[0].point == POINTS[0]
    assert (trials[1].point["lr"], trials[2].point["n"]) == (0.5, 3)
    known = sf.Optimizer(SPACE, x0=pd.DataFrame(POINTS), y0=pd.Series([1.0, 2.0]))
    assert [(t.point, t.value) for t in known.trials] == list(zip(POINTS, (1.0, 2.0), strict=True))


class Table:
    """What a data frame has."""

    def to_dict(self, how):
        return POINTS


def test_a_table_of_points_is_answered_with_how_to_give_it_and_an_array_of_values_is_taken():
    with pytest.raises(TypeError, match=r"got a table; write x0=table.to_dict\('records'\)"):
        sf.Optimizer(SPACE, x0=Table())
    assert [t.value for t in sf.Optimizer(SPACE, x0=POINTS, y0=np.array([1.0, 2.0])).trials] == [1.0, 2.0]


def test_a_value_that_is_not_known_is_looked_for_first_and_a_nan_is_a_failure():
    opt = sf.Optimizer(SPACE, x0=POINTS, y0=[None, float("nan")], seed=0)
    assert [t.state for t in opt.trials] == ["failed"]
    assert opt.ask().point == POINTS[0]
    assert sf.Optimizer(SPACE, x0=POINTS[0], y0=1.5).best.value == 1.5


@pytest.mark.parametrize(
    ("words", "error", "answer"),
    [
        ({"y0": [1.0]}, ValueError, "got y0 without x0"),
        ({"x0": POINTS, "y0": [1.0]}, ValueError, "got 1 for 2 points; None stands for"),
        ({"x0": POINTS, "y0": {"a": 1}}, TypeError, "y0 must be a list of values"),
        ({"x0": POINTS, "y0": [1.0, "two"]}, TypeError, "must be one real number: got str"),
    ],
)
def test_values_that_do_not_go_with_the_points_are_refused(words, error, answer, tmp_path):
    with pytest.raises(error, match=answer):
        sf.Optimizer(SPACE, storage=tmp_path / "run.db", **words)
    assert not (tmp_path / "run.db").exists()


def test_a_stored_study_learns_known_values_once(tmp_path):
    words = {"x0": POINTS, "y0": [2.25, 3.5], "seed": 1, "storage": tmp_path / "run.db"}
    assert sf.minimize(f, SPACE, 3, **words).nfev == 5
    more = sf.minimize(f, SPACE, 4, **words)
    assert (more.nfev, sum(t.origin == "foreign" for t in more.trials)) == (6, 2)


def test_a_stored_ask_keeps_what_was_fixed(tmp_path):
    with sf.Optimizer(SPACE, seed=0, storage=tmp_path / "run.db") as opt:
        point = opt.ask(fixed={"n": 4}).point
    with sf.Optimizer.resume(tmp_path / "run.db") as again:
        (trial,) = again.pending
        assert (trial.fixed, trial.point) == ({"n": 4}, point)


# rng


@pytest.mark.parametrize(
    "make",
    [
        lambda: 7,
        lambda: np.random.SeedSequence(7),
        lambda: np.random.default_rng(7),
        lambda: np.random.PCG64(7),
        lambda: np.random.RandomState(7),
    ],
    ids=["int", "SeedSequence", "Generator", "BitGenerator", "RandomState"],
)
def test_any_source_of_randomness_gives_a_seed_that_repeats_the_run(make):
    first, again = (sf.minimize(f, SPACE, 4, seed=make()) for _ in range(2))
    assert first.x_iters == again.x_iters == sf.minimize(f, SPACE, 4, seed=first.seed).x_iters
    assert type(first.seed) is int


def test_a_generator_that_is_used_twice_gives_two_runs():
    rng = np.random.default_rng(7)
    assert sf.Optimizer(SPACE, seed=rng).seed != sf.Optimizer(SPACE, seed=rng).seed


def test_a_wrong_seed_is_refused():
    for wrong in ("7", 1.5, -1, True):
        with pytest.raises((TypeError, ValueError), match="seed must be a whole number ≥ 0"):
            sf.Optimizer(SPACE, seed=wrong)
    with pytest.raises(TypeError, match=r"'rng'.*'seed'"):
        sf.Optimizer(SPACE, rng=np.random.default_rng(0))


# Tellings that other libraries have.


def test_a_value_before_its_trial_and_lists_of_both_are_answered_with_how_to_tell():
    opt = sf.Optimizer(SPACE, seed=0)
    trials = opt.ask(2)
    with pytest.raises(TypeError, match=r"the trial comes first: tell\(trial, value\)"):
        opt.tell(1.0, trials[0])
    for several in (trials, [trial.point for trial in trials]):
        with pytest.raises(TypeError, match=r"got 2 and 2; write for trial, value in zip\(trials, values\)"):
            opt.tell(several, [1.0, 2.0])
    with pytest.raises(TypeError, match="wanted a trial, as ask"):
        opt.fail(trials[0].point)
    with pytest.raises(TypeError, match="wanted a trial, as ask"):
        opt.cancel(3)
    with pytest.raises(ValueError, match="seconds must be a finite number"):
        opt.tell(trials[0], 1.0, seconds="1.5")
    assert [trial.state for trial in opt.trials] == ["pending", "pending"]


def test_a_column_that_a_table_lacks_is_said_to_be_drawn(caplog):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"LR": [0.25], "n": [3]})
    sf.Optimizer({"lr": (0.0, 1.0), "n": sf.Int(1, 5)}, x0=table)
    assert [record.getMessage() for record in caplog.records] == ["x0: the table has no column 'lr': drawn at random"]
