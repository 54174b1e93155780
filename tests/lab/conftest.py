"""Runs made by hand, whose numbers can be checked by hand, and a look at the optimizers of real ones."""

import numpy as np
import pytest

from suffice.lab import results as trace
from suffice.lab.plan import Method, Plan, Task
from suffice.lab.results import COLUMNS, Run
from suffice.paper.presets import for_regret
from suffice.study.optimizer import Optimizer


@pytest.fixture(scope="session")
def make_run():
    """make_run("branin", "uniform", 0, [3, 1], audited_eta=[0.5, nan]): a run with these regrets and columns."""

    def make(problem, method, seed, regrets, *, plan="toy", initial=10.0, version="1.2", **columns):
        T = len(regrets)
        known = {"t": np.arange(1, T + 1), "regret": regrets, "value": regrets}
        zeros = dict.fromkeys(("fit", "bind", "solve", "report", "objective", "n_evals"), np.zeros(T))
        nothing = dict.fromkeys(COLUMNS, np.full(T, np.nan))
        table = {name: np.asarray(v, dtype=float) for name, v in (nothing | zeros | known | columns).items()}
        seconds = float(sum(table[phase].sum() for phase in ("fit", "bind", "solve", "report")))
        return Run(plan, problem, method, seed, initial, seconds, table, version=version)

    return make


@pytest.fixture(scope="session")
def make_plan():
    """make_plan({"branin": 2}, "uniform", "cg"): a plan with these budgets and methods."""

    def make(budgets, *methods, name="toy", reps=20, **words):
        tasks = tuple(Task(problem, 4, T) for problem, T in budgets.items())
        made = tuple(m if isinstance(m, Method) else Method(m, m.upper(), for_regret) for m in methods)
        return Plan(name, "A title", "What it is about.", tasks, made, reps=reps, **words)

    return make


@pytest.fixture(scope="session")
def make_runs(make_run):
    """make_runs(plan, seeds=3): runs for all cells of a plan, every second step of the first seeds audited."""

    def make(plan, seeds=3, audited=2):
        rng = np.random.default_rng(0)
        runs = []
        for task in plan.tasks:
            for method in plan.methods:
                for seed in range(seeds):
                    T = task.iterations
                    found = np.where((np.arange(T) % 2 == 0) & (seed < audited), rng.random(T), np.nan)
                    columns = {name: 0.01 + rng.random(T) for name in ("fit", "bind", "solve", "report", "n_evals")}
                    known = {"gap": rng.random(T), "eta": rng.random(T), "width": rng.random(T)}
                    audits = dict.fromkeys(("audited_gap", "audited_eta", "audited_inaccuracy"), found)
                    regrets = rng.exponential(size=T)
                    words = {**columns, **known, **audits}
                    runs.append(make_run(task.problem, method.name, seed, regrets, plan=plan.name, **words))
        return runs

    return make


@pytest.fixture
def optimizers(monkeypatch):
    """The optimizers that jobs use, as they are made."""
    made = []

    def recorded(*words, **named):
        made.append(Optimizer(*words, **named))
        return made[-1]

    monkeypatch.setattr(trace, "Optimizer", recorded)
    return made
