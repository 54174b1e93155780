"""The examples of CONTRIBUTING.md are complete and keep the contracts of their kind."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (src/suffice/\w+/\w+\.py)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
CONTRACTS = {
    "solvers": "tests/contracts/test_solvers.py",
    "acquisition": "tests/contracts/test_acquisitions.py",
    "gp": "tests/contracts/test_kernels.py",
    "candidates": "tests/candidates/test_candidates_contract.py",
}


def run(*arguments: object, path: Path) -> subprocess.CompletedProcess[str]:
    # The outer pytest's variables would make the inner one believe that it is a worker.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", *map(str, arguments)]
    environment = {**kept, "PYTHONPATH": os.pathsep.join([str(path), *sys.path])}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_there_is_one_example_for_each_kind_of_part():
    assert sorted(Path(path).parent.name for path in EXAMPLES) == sorted(CONTRACTS)
    assert PAGE.count("```python\n") == len(EXAMPLES)


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_keeps_the_contract_of_its_kind(path, tmp_path):
    code = EXAMPLES[path]
    (name,) = re.findall(r'^[A-Z]+\["(\w+)"\] = ', code, re.MULTILINE)
    module = f"contributed_{name}"
    (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
    contract = CONTRACTS[Path(path).parent.name]
    # As a plugin the example registers itself before the contract looks into the registry.
    options = ("-p", module, "-p", "no:cacheprovider", "-n0", "-q", "--hypothesis-profile=ci", "-k", name)
    done = run("pytest", *options, contract, path=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"{contract} -k {name}" in PAGE  # the command that the page gives


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_keeps_the_style(path, tmp_path):
    file = tmp_path / Path(path).name
    file.write_text(EXAMPLES[path], encoding="utf-8")
    config = ("--config", ROOT / "pyproject.toml")
    for check in (("ruff", "check", "--no-cache"), ("ruff", "format", "--check", "--no-cache")):
        done = run(*check, *config, file, path=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_contract_that_the_page_names_exists():
    named = set(re.findall(r"tests/\w+/\w+\.py", PAGE))
    assert named == set(CONTRACTS.values())
    assert all((ROOT / path).is_file() for path in named)


def test_the_layers_of_the_page_are_those_in_force():
    diagram = re.search(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL).group(1)
    drawn = [re.sub(r"\s{2,}.*", "", line) for line in diagram.splitlines()]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers")
    assert drawn == [layer.replace("(", "").replace(")", "") for layer in layers]
