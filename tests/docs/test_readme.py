"""The front page: its example runs and finds the answer, which can be worked out by hand."""

import pytest

from .pages import Page

PAGE = Page("README.md")


@pytest.fixture(scope="module")
def result(ran):
    return ran.names["result"]


def test_its_example_finds_the_material_the_angle_and_the_number_of_layers(result):
    least = 0.25 * 6 + 8 / 6  # brass; √(8/0.25) is between 5 and 6 layers, of which 6 cost less; 32 degrees add nothing
    assert result.x["material"] == "brass"
    assert result.x["layers"] == 6
    assert result.x["angle"] == pytest.approx(32, abs=1)
    assert least <= result.fun < least + 0.01


def test_it_is_read_in_a_minute():
    assert len(PAGE.text.split()) < 900
