"""What is not in the wheel: its tests carry the marker `research`, so that `-m "not research"` leaves them out."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.research)
