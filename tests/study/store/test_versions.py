"""A study that an earlier version has written is read and goes on; these files are never written again."""

import shutil
from pathlib import Path

import pytest

import suffice as sf

FILES = sorted((Path(__file__).parent / "files").glob("*.db"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_study_of_an_earlier_version_is_read_and_goes_on(path, tmp_path):
    before = path.read_bytes()
    trials = sf.load(path).trials
    assert [trial.state for trial in trials] == ["done"] * 2 + ["failed", "done", "cancelled"] + ["done"] * 3 + [
        "pending"
    ]
    assert [trial.origin for trial in trials] == ["design"] * 3 + ["model"] * 4 + ["foreign", "model"]
    assert trials[2].reason == "no luck"
    assert trials[3].seconds == 0.25
    assert trials[7].point == {"rate": 0.5, "depth": 2, "loss": "b"}
    assert all((trial.solve is None) == (trial.origin != "model") for trial in trials)
    copy = shutil.copy(path, tmp_path)
    with sf.Optimizer.resume(copy) as opt:
        opt.tell(opt.pending[0], 1.0)
        assert opt.ask().number == 9
    assert path.read_bytes() == before
