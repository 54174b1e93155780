"""Random configurations through random events, with every warning an error: a part of `research.benchmarks.fuzz`."""

import pytest

from research.benchmarks.fuzz import configuration, faults

COUNT = 120  # configurations: about a minute


@pytest.mark.parametrize("first", range(0, COUNT, 20))
def test_no_configuration_warns_or_raises_or_loses_anything(first):
    found = [f"{configuration(number)}: {error!r}" for number, error in faults(range(first, first + 20))]
    assert found == []
