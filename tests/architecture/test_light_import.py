"""`import suffice` is light and leaves the process as it was."""

import subprocess
import sys

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
        "import suffice\n"
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
        "assert state() == before\n"
    )
