"""The data inside a page: as they were told, all of them or the best, and read again."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.errors import UnreadableFile
from suffice.report import read, write
from suffice.report import tables as data

pytestmark = pytest.mark.usefixtures("without_figures")


def test_a_parameter_with_the_name_of_a_column_has_another_one(tmp_path):
    opt = sf.Optimizer({"value": (0.0, 1.0), "State": (0.0, 1.0)}, seed=0)
    opt.tell({"value": 0.25, "State": 0.5}, 7.0)
    write(opt, tmp_path / "x.html")
    found = read(tmp_path / "x.html")
    assert len(set(found["columns"])) == len(found["columns"])
    row = dict(zip(found["columns"], found["rows"][0], strict=True))
    assert (row["parameter:value"], row["parameter:State"], row["value"], row["state"]) == (0.25, 0.5, 7.0, "done")


def test_if_there_is_no_room_for_all_the_best_are_kept_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "LARGEST", 1000)
    opt = sf.Optimizer([(0, 1)], seed=0, direction="maximize")
    for x in np.linspace(0, 1, 60):
        opt.tell([x], float(x))
    write(opt, tmp_path / "x.html")
    found = read(tmp_path / "x.html")
    numbers = [row[0] for row in found["rows"]]
    assert 5 < len(numbers) < 30
    assert numbers == list(range(60 - len(numbers), 60))
    assert sum(len(json.dumps(row, separators=(",", ":"))) for row in found["rows"]) <= 1000
    assert f"{len(numbers)} of the trials" in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize("content", ["", "<p>a page</p>", '<script type="application/json" id="data">\n{}\n</script>'])
def test_another_page_has_no_data(content, tmp_path):
    (tmp_path / "x.html").write_text(content)
    with pytest.raises(UnreadableFile, match="no report of suffice"):
        read(tmp_path / "x.html")


def test_a_damaged_page_is_called_so(tmp_path):
    write(sf.Optimizer([(0, 1)], seed=0), tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text()
    (tmp_path / "x.html").write_text(text.replace('"rows": [', '"rows": ['[:-3]))
    with pytest.raises(UnreadableFile, match="damaged"):
        read(tmp_path / "x.html")
