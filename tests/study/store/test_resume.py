"""A study that was interrupted anywhere goes on bit for bit as the one that was not."""

import numpy as np
import pytest

import suffice as sf
from suffice.ask.models import fit_outputs
from suffice.errors import UnusableFile

MIXED = sf.Space(rate=sf.Float(1e-3, 1.0, log=True), depth=sf.Int(1, 9), loss=sf.Choice("a", "b", "c"))
SQUARE = sf.Space(x=sf.Float(0, 1), y=sf.Float(-1, 1))
BRANCHES = sf.Space(
    kernel=sf.Choice("linear", "rbf"),
    gamma=sf.Float(1e-3, 1.0, log=True, when={"kernel": "rbf"}),
    c=sf.Int(1, 64, log=True),
)
FAST = sf.solvers.Grid(size=sf.solvers.Fixed(60))


def value(point):
    numbers = [v if isinstance(v, float | int) else float(len(v)) for v in point.values()]
    return float(np.sin(5 * numbers[0]) + 0.3 * (numbers[1] - 0.4) ** 2)


def noisy(point):
    return value(point) + 0.2 * np.sin(1e5 * sum(v for v in point.values() if isinstance(v, float)))


def sequential(opt, i):
    """One trial; every fifth fails, every seventh is cancelled."""
    trial = opt.ask()
    if i % 5 == 4:
        opt.fail(trial, "no luck")
    elif i % 7 == 6:
        opt.cancel(trial)
    else:
        opt.tell(trial, value(trial.point), seconds=0.5)


def outlying(opt, i):
    trial = opt.ask()
    opt.tell(trial, 1e6 if i == 6 else value(trial.point))


def batches(opt, i):
    """Three at a time, told out of order, one of them late; and a point from elsewhere."""
    trials = opt.ask(3)
    for late in opt.pending[:-3]:
        opt.tell(late, value(late.point), noise_var=0.01)
    for trial in trials[:0:-1]:
        opt.tell(trial, value(trial.point), noise_var=0.01)
    if i == 2:
        opt.tell(opt.space.from_unit(np.full(opt.space.dim, 0.25)), 0.7)


def measured(opt, i):
    trial = opt.ask()
    opt.tell(trial, noisy(trial.point))


def hurried(opt, i):
    trial = opt.ask(deadline=1e-9 if i % 2 else 100.0)
    opt.tell(trial, value(trial.point))


def branching(opt, i):
    """Points of a conditional space, every third with a value that is fixed; some fail."""
    trial = opt.ask(fixed={"c": 8} if i % 3 == 2 else None)
    if i % 4 == 3:
        opt.fail(trial, "no luck")
    else:
        opt.tell(trial, trial.point.get("gamma", 0.5) + abs(trial.point["c"] - 16) / 16)


STUDIES = {
    "default, mixed": (MIXED, sequential, 10, {}),
    "batches": (SQUARE, batches, 5, {"solver": FAST}),
    "noise": (SQUARE, measured, 10, {"solver": FAST, "repeat": True, "acquisition": sf.UCB()}),
    "a rough kernel": (
        MIXED,
        sequential,
        10,
        {"model": sf.GP(sf.gp.Matern(1.5)), "acquisition": sf.acquisition.EI(), "solver": FAST},
    ),
    "thompson": (SQUARE, sequential, 9, {"acquisition": sf.acquisition.Thompson(features=64), "solver": FAST}),
    "a subset": (SQUARE, sequential, 17, {"model": sf.GP(max_points=10), "solver": FAST, "aim": "regret"}),
    "an outlier": (SQUARE, outlying, 9, {"solver": FAST}),
    "rare fits": (
        SQUARE,
        sequential,
        14,
        {"model": sf.GP(refit=sf.gp.Refit(growth=9.0, surprise=99.0)), "solver": FAST},
    ),
    "conditions and fixed values": (BRANCHES, branching, 12, {"solver": FAST}),
    "a deadline": (SQUARE, hurried, 10, {"solver": FAST}),
}


def facts(opt):
    """Everything that a study has said, without the clock."""
    said = []
    for trial in opt.trials:
        report = trial.solve
        numbers = None
        if report is not None:
            numbers = {name: value for name, value in vars(report).items() if name != "seconds"}
        said.append((repr(trial.point), trial.value, trial.state, trial.order, numbers))
    return said


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_opened_again_after_every_step_is_the_one_that_was_never_closed(name, tmp_path):
    space, step, steps, options = STUDIES[name]
    whole = sf.Optimizer(space, seed=3, n_initial=4, **options)
    for i in range(steps):
        step(whole, i)
    path = tmp_path / "study.db"
    sf.Optimizer(space, seed=3, n_initial=4, storage=path, **options).close()
    for i in range(steps):
        with sf.Optimizer.resume(path) as part:
            step(part, i)
    with sf.Optimizer.resume(path) as part:
        assert facts(part) == facts(whole)
        assert part.accuracy.gain == whole.accuracy.gain
        assert part.result().notes == whole.result().notes
        fits = [fit_outputs(opt.settings, opt.history, opt._fitted)["value"] for opt in (part, whole)]
        assert fits[0].posterior.factor.R.tolist() == fits[1].posterior.factor.R.tolist()


@pytest.mark.parametrize("address", ["sqlite:///run.db", "sqlite:////run.db", "mysql://host/run.db"])
def test_an_address_of_another_kind_is_no_store(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UnusableFile,
        match=r"storage is the path of a file, or an address postgresql://…: .*; write '(/|host/)?run\.db'",
    ):
        sf.Optimizer([(0, 1)], storage=address)
    assert not list(tmp_path.iterdir())


def test_a_saved_result_is_no_study_to_go_on_with(tmp_path):
    path = tmp_path / "run.json"
    sf.minimize(lambda x: x[0], [(0, 1)], n_trials=3, seed=0).save(path)
    for begin in (sf.Optimizer.resume, lambda storage: sf.Optimizer([(0, 1)], storage=storage)):
        with pytest.raises(UnusableFile, match=r"is a saved result, which cannot be extended: sf\.load"):
            begin(path)
    assert len(sf.load(path).trials) == 3


def test_fewer_trials_than_are_done_add_none_and_the_message_says_so(tmp_path):
    storage = tmp_path / "run.db"
    sf.minimize(lambda x: x[0], [(0, 1)], n_trials=5, seed=0, storage=storage)
    again = sf.minimize(lambda x: x[0], [(0, 1)], n_trials=3, storage=storage)
    assert again.message == "5 trials are already done, and n_trials=3 adds none"
    assert again.nfev == 5
