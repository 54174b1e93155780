"""The page about reading a result: its examples run, one after the other, and what it says about them is true."""

import re
from pathlib import Path

import pytest

import suffice as sf

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "reading.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names():
    """What the names of the page stand for after its examples."""
    found = {}
    for example in EXAMPLES:
        exec(example, found)
    return found


def test_predictions_are_near_the_objective(names):
    assert abs(names["mean"] - names["loss"](names["point"])) < 5 * names["sd"] + 0.2
    assert names["means"].shape == names["sds"].shape == (2,)


def test_the_table_of_importance_is_the_one_that_is_printed(names):
    found = names["importance"]
    assert found.names[0] == "lr"
    assert found.names[-1] == "workers"
    printed = re.search(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1].splitlines()
    assert [line.split()[0] for line in printed[:6]] == [line.split()[0] for line in repr(found).splitlines()[:6]]
    for line, total in zip(printed[1:5], found.total, strict=True):
        assert float(line.split()[1]) == pytest.approx(total, abs=0.02)


def test_the_findings_are_those_that_the_page_names(names):
    said = {finding.name: finding.sentence for finding in names["found"]}
    assert "workers" in said["effect"]
    assert "dropout" in said["bounds"]


def test_every_kind_of_finding_is_in_the_table():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/suffice/study").rglob("*.py"))
    kinds = set(re.findall(r'Finding\(\s*"(\w+)"', source))
    assert len(kinds) > 10
    for kind in kinds:
        assert f"`{kind}`" in PAGE, kind


def test_the_table_of_trials_has_the_columns_of_the_page(names):
    assert list(names["table"].columns)[:7] == ["number", "state", "value", "lr", "dropout", "optimizer", "workers"]
    assert len(names["good"]) == len(names["again"]) == 5
    words = PAGE.split("A row for each trial")[1]
    for column in list(names["table"].columns):
        assert column in words or column in names["space"].names


def test_every_name_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)):
        assert hasattr(sf, name), name
    for word in set(re.findall(r"\bresult\.(\w+)\(", PAGE)):
        assert hasattr(sf.Result, word), word
