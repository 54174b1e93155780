"""docs/howto/shared.md and kubernetes.md: their programs, commands, rights and manifest."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import suffice as sf

from ..docs.pages import Page
from .test_servers import RIGHTS

SHARED = Page("docs/howto/shared.md")
KUBERNETES = Page("docs/howto/kubernetes.md")
ADDRESS = "postgresql://worker@db.example.org/lab?study=valley"


def together(commands, folder, **variables):
    """What several processes print, one after the other."""
    paths = os.pathsep.join([str(Path(sf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    words = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder}
    environment = {**os.environ, "PYTHONPATH": paths, **variables}
    processes = [subprocess.Popen(command, env=environment, **words) for command in commands]
    printed = []
    for process in processes:
        out, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        printed.append(out)
    return printed


def program(tmp_path, address, trials):
    """The program of the page, with another address and fewer trials."""
    text = SHARED.file("tune.py")
    assert ADDRESS in text
    text = text.replace(ADDRESS, address).replace("n_trials=200", f"n_trials={trials}")
    (tmp_path / "tune.py").write_text(text, encoding="utf-8")


def test_the_program_of_the_page_is_run_by_several_processes(place, tmp_path):
    program(tmp_path, place, 10)
    printed = together([[sys.executable, "tune.py"]] * 2, tmp_path)
    assert {line.split()[-1] for line in printed} == {"10"}
    work = [sys.executable, "-m", "suffice", "work", place, "tune:f", "--trials", "12"]
    assert f'suffice work "{ADDRESS}" tune:f --trials 200' in SHARED.text
    together([work], tmp_path)
    assert sf.load(place).nfev == 12


def test_the_rights_of_the_page_are_those_that_the_tests_have():
    (block,) = [block.code for block in SHARED.blocks if block.language == "sql"]
    for line in block.splitlines():
        assert re.sub(r" LOGIN;", " LOGIN", line) in RIGHTS


def test_the_manifest_is_one_of_kubernetes_and_its_command_shares_the_study(server, tmp_path):
    yaml = pytest.importorskip("yaml")
    (block,) = [block.code for block in KUBERNETES.blocks if block.language == "yaml"]
    manifest = yaml.safe_load(block)
    spec = manifest["spec"]
    assert (manifest["apiVersion"], manifest["kind"]) == ("batch/v1", "Job")
    assert spec["parallelism"] == spec["completions"]
    (container,) = spec["template"]["spec"]["containers"]
    assert container["command"] == ["python", "tune.py"]
    names = {variable["name"] for variable in container["env"]}
    assert names == {"PGHOST", "PGUSER", "PGPASSWORD", "OMP_NUM_THREADS"}
    address = "postgresql:///lab?study=valley"
    assert f'storage="{address}"' in KUBERNETES.text
    with server.connect() as connection:
        connection.execute("CREATE DATABASE lab")
    program(tmp_path, address, 8)
    variables = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "owner", "PGPASSWORD": "secret"}
    together([[sys.executable, "tune.py"]] * 2, tmp_path, **variables)
    assert sf.load(f"{server.address(database='lab')}?study=valley").nfev == 8
    checked = pytest.importorskip("kubernetes_validate")
    checked.validate(manifest, "1.30", strict=True)
