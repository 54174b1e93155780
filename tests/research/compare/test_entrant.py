"""One run of a system: the same designs and noise for all, and regret of the values without noise."""

import numpy as np
import pytest

from research.compare.entrant import NOISE, Entrant
from research.compare.peer import PeerFailed
from research.compare.systems import SUFFICE, SYSTEMS
from research.problems import find
from suffice.lab.plan import Job, Method, Task
from suffice.lab.results import initial_design, run_job

BRANIN = find("branin")
TASK = Task("branin", initial=6, iterations=3)


def job(entrant, task=TASK, seed=0):
    return Job("full", task, entrant.method, seed)


def installed(system, make_entrant):
    return Entrant(system, make_entrant("fixed").python, {})


@pytest.mark.parametrize("name", ["random", "sobol"])
def test_blind_systems_stay_in_the_box_and_repeat_themselves(name, make_entrant):
    entrant = installed(SYSTEMS[name], make_entrant)
    trace = run_job(job(entrant))
    low, high = np.array(BRANIN.bounds).T
    points = np.array(trace.points)
    assert points.shape == (3, 2)
    assert np.all((low <= points) & (points <= high))
    assert [row.regret for row in trace.rows] == [BRANIN(x) - BRANIN.optimum for x in points]
    assert [row.t for row in trace.rows] == [1, 2, 3]
    longer = run_job(job(entrant, Task("branin", 6, 5)))
    assert longer.points[:3] == trace.points  # a horizon is no secret hint
    assert run_job(job(entrant, seed=1)).points != trace.points


def test_suffice_behind_its_adapter_is_suffice(make_entrant):
    trace = run_job(job(installed(SUFFICE, make_entrant)))
    direct = run_job(Job("full", TASK, Method("suffice", "suffice", lambda _problem: {}, shifted=False), 0))
    assert np.array(trace.points) == pytest.approx(np.array(direct.points), rel=1e-6)
    assert trace.initial == direct.initial


def test_time_is_that_inside_the_peer(make_entrant):
    trace = run_job(job(make_entrant("fixed")))
    assert trace.seconds == pytest.approx(sum(row.solve + row.fit for row in trace.rows))
    assert all(row.bind == row.report == 0.0 for row in trace.rows)


def test_a_peer_is_told_the_design_and_its_own_values(make_entrant):
    design = initial_design(BRANIN, 6, 0)
    trace = run_job(job(make_entrant("fixed")))
    told = [100.0 * point[0] for point in trace.points]
    assert told == pytest.approx([BRANIN(design[-1]), *(row.value for row in trace.rows[:-1])])
    assert trace.initial == pytest.approx(min(BRANIN.values(design)) - BRANIN.optimum)


def test_noise_is_the_same_for_all_systems_and_not_in_the_regret(make_entrant):
    share, values = 0.01, BRANIN.values(initial_design(BRANIN, 6, 1))
    errors = share * np.ptp(values) * np.random.default_rng([NOISE, 1]).standard_normal(9)
    for second in (1.0, 2.0):  # two systems
        trace = run_job(job(make_entrant("fixed", noise=share, second=second), seed=1))
        told = [100.0 * point[0] for point in trace.points]
        assert told == pytest.approx([values[-1] + errors[5], *(trace.rows[t].value + errors[6 + t] for t in (0, 1))])
        assert [row.value for row in trace.rows] == [BRANIN(point) for point in trace.points]
        assert trace.initial == pytest.approx(values.min() - BRANIN.optimum)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("crashes", {}, r"CRASHES, step 2: its process ended with exit code 7; its last words:\nout of luck"),
        ("talks", {}, r"TALKS, step 1: RuntimeError: read ''"),
        ("fixed", {"second": 15.1}, r"FIXED, step 1: the point \[.*, 15\.1\] is not in the box"),
        ("fixed", {"second": float("nan")}, r"FIXED, step 1: the point \[.*, nan\] is not in the box"),
        ("fixed", {"third": 1.0}, r"FIXED, start: TypeError: .* unexpected keyword argument 'third'"),
    ],
)
def test_a_failure_names_the_system_and_the_step(make_entrant, name, settings, message):
    with pytest.raises(PeerFailed, match=message):
        run_job(job(make_entrant(name, **settings)))


def test_a_peer_that_hangs_fails_after_its_time(make_entrant, tmp_path):
    with pytest.raises(PeerFailed, match=r"HANGS, step 1: no answer within 0\.2 s"):
        run_job(job(make_entrant("hangs", timeout=0.2, file=str(tmp_path / "pids"))))


def test_rounding_does_not_leave_the_box(make_entrant):
    (point, *_) = run_job(job(make_entrant("fixed", second=15.0 + 1e-12))).points
    assert point[1] == 15.0


def test_a_run_is_another_one_if_the_system_is_but_not_if_it_may_take_longer(make_entrant):
    def digest(*args, **words):
        return job(make_entrant(*args, **words)).digest(BRANIN)

    base = digest("fixed", versions={"fixed": "1.0"})
    assert digest("fixed", versions={"fixed": "1.0"}, timeout=1.0, python="elsewhere") == base
    others = [
        digest("fixed", versions={"fixed": "1.1"}),
        digest("fixed", versions={"fixed": "1.0"}, second=2.0),
        digest("fixed", versions={"fixed": "1.0"}, noise=0.1),
    ]
    assert len({base, *others}) == 4


def test_only_suffice_depends_on_the_defaults_of_suffice(make_entrant, monkeypatch):
    entrants = [installed(system, make_entrant) for system in (SUFFICE, SYSTEMS["random"])]
    assert [{"model", "acquisition", "solver"} <= set(e.method.make(BRANIN)) for e in entrants] == [True, False]
    before = [job(entrant).digest(BRANIN) for entrant in entrants]
    monkeypatch.setattr("suffice.lab.plan.DEFAULTS", {})
    assert [job(entrant).digest(BRANIN) for entrant in entrants] == before  # neither takes them a second time
