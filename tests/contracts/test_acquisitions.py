"""Every acquisition of the registries keeps the contract, without limits on other outputs and with them."""

from dataclasses import dataclass

import numpy as np
import pytest

from suffice.acquisition import ACQUISITIONS, FRONT_ACQUISITIONS, UCB, Acquisition, LogEI
from suffice.acquisition.constraints import among_feasible, to_find_feasible
from suffice.belief import Beliefs
from suffice.gp.posterior import Posterior
from suffice.testing import AcquisitionContract, FrontAcquisitionContract


class TestAcquisitions(AcquisitionContract):
    @pytest.fixture(params=ACQUISITIONS)
    def acquisition(self, request):
        return ACQUISITIONS[request.param]()


class TestFrontAcquisitions(FrontAcquisitionContract):
    @pytest.fixture(params=FRONT_ACQUISITIONS)
    def acquisition(self, request):
        return FRONT_ACQUISITIONS[request.param]()


@dataclass(frozen=True)
class Limited:
    """An acquisition where two other outputs have limits, which are made of the objective's own observations.

    Without one, the score that looks for a first point within the limits.
    """

    inner: Acquisition | None

    def __call__(self, beliefs, domain, *, step, rng):
        first = beliefs.objective
        outputs = {
            name: Posterior(first.factor, first.constant + first.scale * np.sin((k + 2) * first.X).sum(axis=1))
            for k, name in enumerate(("c", "d"))
        }
        levels = dict.fromkeys(outputs, first.constant - 0.2 * first.scale)
        within = np.all([outputs[name].z >= level for name, level in levels.items()], axis=0)
        known = Beliefs({**beliefs.posteriors, **outputs}, beliefs.pending, levels=levels, feasible=first.X[within])
        if self.inner is None:
            return to_find_feasible(known)
        return among_feasible(self.inner(known, domain, step=step, rng=rng), known)


class TestLimitedAcquisitions(AcquisitionContract):
    @pytest.fixture(params=[LogEI(), UCB(), None], ids=["logei", "ucb", "find"])
    def acquisition(self, request):
        return Limited(request.param)
