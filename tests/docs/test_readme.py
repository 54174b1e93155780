"""The front page: its examples run, one after the other, and its links lead somewhere."""

import matplotlib as mpl

import suffice as sf

from .pages import Page

PAGE = Page("README.md")
EXAMPLES = PAGE.code("python")


def test_the_examples_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    failing = []

    def train(kernel, C, batch, gamma=None, degree=None):
        if kernel == "linear" and not failing:
            failing.append(C)
            raise RuntimeError("out of memory")
        return -abs(C - 1) - (0 if gamma is None else abs(gamma - 0.1)) - batch / 256

    names = {"train": train}
    for example in EXAMPLES:
        exec(example, names)
    assert names["result"].fun < 0.4
    trials = names["opt"].trials
    assert [trial.reason for trial in trials if trial.state == "failed"] == ["out of memory"]
    assert len(trials) == 30
    assert all(("gamma" in t.point) == (t.point["kernel"] != "linear") for t in trials)
    assert all(t.point["C"] * t.point["batch"] < 1e5 for t in trials)
    assert len(sf.load("run.db").trials) == 30


def test_the_examples_with_other_libraries_can_be_copied_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alone = [example for example in EXAMPLES if "suffice.integrations" in example]
    assert len(alone) == 2
    for example in alone:
        exec(example, {})
    assert (tmp_path / "report.html").exists()
