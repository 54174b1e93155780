"""The page for users of other libraries: its examples run, and find what they look for."""

import suffice as sf

from .pages import Page

PAGE = Page("docs/coming-from/index.md")


def test_the_examples_find_what_they_look_for(ran, monkeypatch):
    assert len(ran["result"].trials) == 30
    assert ran["result"].fun > 0.99
    assert 9 < ran["result"].x["C"] < 11
    assert ran["opt"].best.value > -2
    monkeypatch.chdir(ran.folder)
    exec(PAGE.code("python")[0], dict(ran.names))  # the same line run again
    assert len(sf.load("run.db").trials) == 30


def test_what_is_said_of_results_is_there():
    for name in ("x", "fun", "trials", "x_iters", "func_vals"):
        assert f"result.{name}" in PAGE.text
