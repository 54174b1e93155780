"""Peers of a few lines, and runs made by hand."""

import sys
from pathlib import Path

import numpy as np
import pytest

from research.compare.entrant import Entrant
from research.compare.systems import System
from suffice.lab.results import COLUMNS, Run

PEERS = Path(__file__).parent / "peers"


@pytest.fixture(scope="session")
def make_entrant():
    """make_entrant("fixed", second=2.0): the peer of that file, with these settings."""

    def make(name, *, noise=0.0, timeout=60.0, versions=None, python=sys.executable, **settings):
        system = System(name, name.upper(), "A toy.", PEERS / f"{name}.py", (), settings)
        return Entrant(system, python, versions or {}, noise, timeout)

    return make


@pytest.fixture(scope="session")
def make_run():
    """make_run("branin", "tpe", 0, [3, 1], ask=[0.5, 0.1]): a run with these regrets and times."""

    def make(problem, method, seed, regrets, *, ask=0.0, tell=0.0, initial=10.0, plan="full"):
        T = len(regrets)
        columns = dict.fromkeys(COLUMNS, np.zeros(T)) | {"t": np.arange(1, T + 1), "regret": np.array(regrets, float)}
        columns |= {"solve": np.broadcast_to(ask, T).astype(float), "fit": np.broadcast_to(tell, T).astype(float)}
        seconds = float((columns["solve"] + columns["fit"]).sum())
        return Run(plan, problem, method, seed, initial, seconds, columns, version="1.2")

    return make
