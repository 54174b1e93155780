"""The examples of CONTRIBUTING.md are complete and keep the contracts of their kind."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import suffice.testing

from ..docs.pages import ROOT, Page

CONTRIBUTING = Page("CONTRIBUTING.md")
PAGE = CONTRIBUTING.text
EXAMPLES = {block.file: block.code.partition("\n")[2] for block in CONTRIBUTING.blocks if block.file}
CONTRACTS = {
    "SOLVERS": "tests/contracts/test_solvers.py",
    "ACQUISITIONS": "tests/contracts/test_acquisitions.py",
    "KERNELS": "tests/contracts/test_kernels.py",
    "CANDIDATES": "tests/contracts/test_candidates.py",
}
PARTS = dict(re.findall(r'^([A-Z]+)\["(\w+)"\] = ', PAGE, re.MULTILINE))  # registry -> name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A directory that holds the examples and nothing else."""
    path = tmp_path_factory.mktemp("contributed")
    for name, code in EXAMPLES.items():
        (path / name).write_text(code, encoding="utf-8")
    return path


def run(*arguments: object, path: Path, cwd: Path = ROOT) -> str:
    # The outer pytest's variables would make the inner one believe that it is a worker.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", *map(str, arguments)]
    environment = {**kept, "PYTHONPATH": os.pathsep.join([str(path), *sys.path])}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_there_is_a_part_and_a_test_for_each_kind():
    assert PARTS.keys() == CONTRACTS.keys()
    assert sorted(EXAMPLES) == sorted(f"{prefix}{name}.py" for prefix in ("", "test_") for name in PARTS.values())
    assert PAGE.count("```python\n") == len(EXAMPLES)


def test_the_examples_keep_their_contracts_in_a_folder_of_their_own(folder):
    options = ("-v", "-W", "error", "-p", "no:cacheprovider", "--hypothesis-seed=0")
    passed = run("pytest", *options, path=folder, cwd=folder)
    for name in PARTS.values():
        assert re.search(rf"^test_{name}\.py::\S+.* PASSED", passed, re.MULTILINE)
        assert f"\npytest test_{name}.py " in PAGE  # the command that the page gives


def test_the_examples_keep_their_contracts_once_they_are_registered(folder):
    # As plugins the examples register themselves before the contracts look into the registries.
    plugins = [word for name in PARTS.values() for word in ("-p", name)]
    options = (
        "-v",
        "-p",
        "no:cacheprovider",
        "-n0",
        "-m",
        "",
        "--hypothesis-profile=ci",
        "-k",
        " or ".join(PARTS.values()),
    )
    passed = run("pytest", *plugins, *options, *CONTRACTS.values(), path=folder)
    for registry, name in PARTS.items():
        assert re.search(rf"^{CONTRACTS[registry]}::\S+\[{name}\b.* PASSED", passed, re.MULTILINE)
        assert f'{CONTRACTS[registry]} -m "" -k {name} ' in PAGE  # the command that the page gives


def test_the_examples_keep_the_style(folder):
    # Both the library and the folder are home, so that imports from them stand together.
    config = ("--no-cache", "--config", ROOT / "pyproject.toml", "--config", f"src = ['{ROOT / 'src'}', '{folder}']")
    run("ruff", "check", *config, folder, path=folder)
    run("ruff", "format", "--check", *config, folder, path=folder)


def test_every_contract_that_the_page_names_exists():
    named = set(re.findall(r"tests/\w+/\w+\.py", PAGE))
    assert named == set(CONTRACTS.values())
    assert all((ROOT / path).is_file() for path in named)


def test_every_contract_of_a_registered_part_has_an_example():
    of_spaces = {"DomainContract", "OwnKernelContract", "OwnSpaceContract"}  # nothing is registered
    variants = {"FrontAcquisitionContract"}  # of one that has an example: the page has its name
    assert all(name in PAGE for name in variants)
    contracts = {name for name in suffice.testing.__all__ if name.endswith("Contract")} - of_spaces - variants
    assert set(re.findall(r"^from suffice\.testing import (\w+)$", PAGE, re.MULTILINE)) == contracts


def test_the_layers_of_the_page_are_those_in_force():
    diagram = CONTRIBUTING.code("text")[0]
    drawn = [re.sub(r"\s{2,}.*", "", line) for line in diagram.splitlines()]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers")
    assert drawn == [layer.replace("(", "").replace(")", "") for layer in layers]
