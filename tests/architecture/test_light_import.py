"""`import suffice` is light and leaves the process as it was."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import suffice

HEAVY = ("scipy.stats", "scipy.spatial", "matplotlib", "sklearn", "rich", "pytest", "hypothesis", "sqlite3")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_heavy_or_optional_is_imported():
    # SciPy's own optimize module imports scipy.spatial: what comes with these three is paid for already.
    loaded = run(
        "import sys, scipy.linalg, scipy.optimize, scipy.special\n"
        "before = set(sys.modules)\n"
        "from suffice import *\n"
        "print(*(set(sys.modules) - before), sep='\\n')"
    ).split()
    assert "suffice.types" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_changes_no_setting_of_the_process():
    state = """
def state():
    generator = np.random.get_state()
    return (
        np.geterr(), np.get_printoptions(), generator[1].tolist(), generator[2], list(warnings.filters),
        dict(os.environ), os.getcwd(), sys.path[:], threading.active_count(), signal.getsignal(signal.SIGINT),
        logging.getLogger().handlers[:], random.getstate(),
    )
"""
    # NumPy and SciPy come first: what they do on import is theirs.
    run(
        "import logging, os, random, signal, sys, threading, warnings\n"
        "import numpy as np, scipy.linalg, scipy.optimize, scipy.special\n"
        f"{state}\n"
        "before = state()\n"
        "import suffice\n"
        "[getattr(suffice, name) for name in suffice.__all__]\n"
        "assert state() == before\n"
    )


def test_the_import_itself_loads_nothing_else():
    loaded = run("import sys, suffice\nprint(*(name for name in sys.modules if name.startswith('suffice')))").split()
    assert loaded == ["suffice"]


def test_public_names_and_no_others_are_completed():
    assert set(dir(suffice)) == {*suffice.__all__, "__version__"}
    for name in suffice.__all__:
        assert getattr(suffice, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'minimise'"):
        _ = suffice.minimise


def test_type_checkers_see_the_names_where_they_are_at_run_time():
    tree = ast.parse(Path(suffice.__file__).read_text(encoding="utf-8"))
    seen = {
        name.name: node.module.removeprefix("suffice.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("suffice.")
        for name in node.names
    }
    assert seen == {name: home for home, names in suffice._HOMES.items() for name in names.split()}
    (modules,) = (
        [name.name for name in node.names]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "suffice"
    )
    assert modules == list(suffice._MODULES)
    assert {*seen, *modules} == set(suffice.__all__)
