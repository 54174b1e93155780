"""The folder for OptunaHub's registry: it loads from its path, its examples run, its README has the form."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import optuna
import pytest

from suffice.integrations.optuna import SufficeSampler

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "optunahub" / "package" / "samplers" / "suffice"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def hub(monkeypatch):
    """A stand-in for `optunahub`, which finds packages in this repository."""
    stand_in = ModuleType("optunahub")
    stand_in.load_module = load
    monkeypatch.setitem(sys.modules, "optunahub", stand_in)
    monkeypatch.setattr(sys, "argv", ["example.py"])


def load(package):
    path = ROOT / "optunahub" / "package" / package / "__init__.py"
    spec = importlib.util.spec_from_file_location(f"hub.{package.replace('/', '.')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_module_has_the_sampler():
    assert load("samplers/suffice").__all__ == ["SufficeSampler"]
    assert load("samplers/suffice").SufficeSampler is SufficeSampler


def test_the_example_of_the_readme_runs(hub):
    (example,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    names = {}
    exec(example, names)
    assert isinstance(names["study"].sampler, SufficeSampler)
    assert names["study"].best_params["kind"] == "shifted"
    assert names["study"].best_value < -0.9


def test_the_example_runs(hub):
    study = runpy.run_path(str(FOLDER / "example.py"), run_name="__main__")["study"]
    assert len(study.trials) == 30
    assert {t.state for t in study.trials} == {optuna.trial.TrialState.COMPLETE}


def test_the_readme_has_what_the_registry_reads():
    head, *_ = re.match(r"---\n(.*?)\n---\n", README, re.DOTALL).groups()
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields.keys() == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert "sampler" in fields["tags"].strip("[]").split(", ")
    assert fields["license"] == (FOLDER / "LICENSE").read_text(encoding="utf-8").splitlines()[0]
    for section in ("## Abstract", "## Installation", "## Example"):
        assert f"\n{section}\n" in README
