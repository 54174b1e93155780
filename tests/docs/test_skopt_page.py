"""The page for people from scikit-optimize: its example runs, and what it names is there."""

import re

import pytest

import suffice.compat.skopt as skopt
from suffice.compat.skopt import callbacks, plots, utils

from .pages import ROOT, Page

PAGE = Page("docs/howto/skopt.md")
ARGUMENTS = Page("docs/howto/skopt-arguments.md")
HERE = PAGE.text.partition("## What is not supported")[0]


def test_the_example_runs(tmp_path, capsys):
    ran = PAGE.run(tmp_path)
    assert ran["result"].x[2] == "tanh"
    assert "tanh" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\b((?:plot|gp|dummy|expected|create|use|point)_\w+)`", HERE))))
def test_every_function_of_scikit_optimize_that_is_said_to_be_here_is(name):
    assert any(hasattr(module, name) for module in (skopt, utils, plots)), name


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+(?:Stopper|Callback|Saver))`", PAGE.text))))
def test_every_callback_is_here(name):
    assert hasattr(callbacks, name)


def test_the_parameters_that_are_explained_are_parameters():
    import inspect

    known = set(inspect.signature(skopt.gp_minimize).parameters) | set(inspect.signature(skopt.Optimizer).parameters)
    table = ARGUMENTS.text.partition("| argument |")[2].partition("## What has no effect")[0]
    words = re.findall(r"^\| `(\w+)", table, re.MULTILINE)
    assert len(words) > 8
    assert [word for word in words if word not in known and word not in ("n_jobs", "optimizer_kwargs")] == []


def test_other_pages_lead_to_it():
    assert "(../howto/skopt.md)" in (ROOT / "docs" / "coming-from" / "scikit-optimize.md").read_text(encoding="utf-8")
