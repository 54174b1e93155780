"""What the package asks of an installation."""

import re
import tomllib
from pathlib import Path

import suffice

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]


def package_name(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement).group()


def test_the_core_needs_numpy_and_scipy_only():
    assert {package_name(requirement) for requirement in PROJECT["dependencies"]} == {"numpy", "scipy"}


def test_the_extra_named_all_holds_every_optional_feature():
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.search(r"\[(.*)\]", everything).group(1).split(","))
    assert named == set(extras) - {"all"}


def test_other_optimizers_come_only_to_those_who_ask_for_them():
    groups = SETTINGS["dependency-groups"]
    assert {"optuna", "botorch", "cma"} <= set(map(package_name, groups["compare"]))  # gigabytes
    assert {"include-group": "compare"} not in groups["dev"]


def test_type_hints_are_shipped():
    assert (Path(suffice.__file__).parent / "py.typed").is_file()


def test_the_licence_is_the_one_declared():
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
