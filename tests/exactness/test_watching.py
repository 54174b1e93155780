"""Watchers: every library goes on as if nobody had looked, and the table has what its solves were worth."""

import csv

import numpy as np
import pytest

import suffice as sf
from suffice.exactness import watch
from suffice.exactness.libraries import LIBRARIES
from suffice.exactness.watch import Solve, Solves

from .loops import LOOPS, hill

# By the name of the library, what has to be installed; Optuna's GPSampler computes with torch.
NEEDED = {"botorch": ["botorch"], "ax": ["ax"], "baybe": ["baybe"], "optuna": ["optuna", "torch"]}
NEEDED |= {"skopt": ["skopt"], "bayes_opt": ["bayes_opt"], "suffice": []}

pytestmark = pytest.mark.filterwarnings("ignore")  # of other libraries


def test_there_is_a_loop_of_every_library():
    assert set(LOOPS) == set(LIBRARIES) == set(NEEDED)


@pytest.fixture(params=LOOPS)
def library(request):
    for package in NEEDED[request.param]:
        pytest.importorskip(package)
    return request.param


def test_watching_changes_nothing_and_measures_every_solve(library):
    alone = LOOPS[library]()
    with sf.watch_solves(library, draws=1000) as solves:
        seen = LOOPS[library]()
    assert seen == alone
    assert len(solves.etas) == len(solves) > 0, solves
    assert ((solves.etas >= 0.0) & (solves.etas <= 1.0)).all()
    assert all(solve.seconds > 0.0 for solve in solves)
    again = LOOPS[library]()
    assert again == alone  # nothing stays watched


def test_only_every_third_is_measured():
    with sf.watch_solves("suffice", every=3, draws=1000) as solves:
        LOOPS["suffice"]()
    assert [solve.quality is not None for solve in solves] == [i % 3 == 0 for i in range(len(solves))]
    assert "not measured" not in str(solves)


def test_a_worse_solver_is_caught():
    with sf.watch_solves("suffice", draws=1000) as bad:
        sf.minimize(hill, [(0, 1), (0, 1)], n_trials=16, seed=0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(4)))
    assert bad.below(0.99) > 0.5
    assert bad.m_t > 1.0


def test_a_library_that_is_not_known_is_named():
    with pytest.raises(ValueError, match=r"knows botorch, ax, .*: got 'sklearn'"), sf.watch_solves("sklearn"):
        pass


def test_a_version_that_nobody_tried_is_refused(monkeypatch):
    monkeypatch.setattr(watch, "version", lambda package: "99.1")
    with pytest.raises(ValueError, match=r"scikit-optimize and supports 0\.10: got 99\.1"), sf.watch_solves("skopt"):
        pass


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    def missing(package):
        raise watch.PackageNotFoundError(package)

    monkeypatch.setattr(watch, "version", missing)
    with pytest.raises(ImportError, match="pip install botorch"), sf.watch_solves("ax"):
        pass


def test_what_cannot_be_measured_is_written_down_with_its_reason():
    watcher = watch.Watcher(Solves("some 1.0"), 1, 1000, 0)

    def read():
        raise NotImplementedError("no box")

    watcher.saw(0.1, read)
    assert len(watcher.solves) == 1
    assert watcher.solves.measured == []
    assert "not measured: NotImplementedError: no box" in str(watcher.solves)


@pytest.fixture
def solves():
    table = Solves("some 1.0")
    for step, x in enumerate([0.3, 0.4, 0.9], 1):
        quality = sf.solve_quality(lambda V: np.exp(-50 * (V[:, 0] - 0.3) ** 2), [x], [(0, 1)], draws=1000)
        table.add(Solve(step, "hill", 0.01 * step, np.array([x]), quality))
    table.add(Solve(4, "hill", 0.01, np.array([0.5]), None))
    return table


def test_the_summary_has_shares_and_the_worst(solves):
    assert solves.below(0.9) == pytest.approx(2 / 3)
    assert solves.m_t == pytest.approx(3.0 - sum(solves.etas))
    text = str(solves)
    assert "some 1.0: 4 solves, 3 of them measured" in text
    assert "66.7 % below 0.99" in text
    assert len(text.splitlines()) < 24  # one screen
    assert solves[0].step == 1
    assert [solve.step for solve in solves[1:]] == [2, 3, 4]


def test_an_empty_table_has_a_summary():
    assert str(Solves("some 1.0")) == "some 1.0: 0 solves, 0 of them measured"
    assert np.isnan(Solves("some 1.0").below(0.9))


def test_the_table_as_csv(solves, tmp_path):
    solves.write(tmp_path / "solves.csv")
    with (tmp_path / "solves.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["1", "2", "3", "4"]
    assert float(rows[1]["eta"]) == pytest.approx(solves.etas[1])
    assert float(rows[1]["better"]) == pytest.approx(0.3, abs=1e-3)
    assert rows[3]["eta"] == ""


def test_the_figure(solves):
    pytest.importorskip("matplotlib")
    ax = solves.plot()
    lost = next(line for line in ax.lines if "inaccuracy" in line.get_label())
    assert lost.get_xdata().tolist() == [1.0, 2.0, 3.0]
    assert ax.get_ylabel() == "1 − η"
