"""Optuna's own tests of samplers, for those kinds of sampler that SufficeSampler is."""

import pytest
from optuna.testing.pytest_samplers import BasicSamplerTestCase, MultiObjectiveSamplerTestCase, RelativeSamplerTestCase

from suffice.integrations.optuna import SufficeSampler


class TestSufficeSampler(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: SufficeSampler(seed=0)
