"""What `make test` leaves to `make test-all`, hypothesis profiles, signals, and programs that pip cannot install.

`default` explores anew at every run; `ci` repeats the same examples, so it cannot flake.
"""

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("default")

# A shell starts what runs in its background with SIGINT ignored, and the programs that tests start and interrupt would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` is what every change runs, in five minutes on two cores. What only few changes can break, and what takes
# seconds a test, waits for `make test-all`: files and folders below this one, with what `make test` has in their place.
SLOW = {
    "browser": "the report's page is opened in one of tests/report; the server is tested in tests/dashboard",
    "cli/test_reproduce.py": "tests/lab and tests/paper run small plans",
    "contracts/test_full.py": "pairs of circumstances instead of their full product",
    "docs/test_pages_howto.py": "README, the tutorial, the pages with tests of their own, and links",
    "docs/test_site.py": "links and docstrings are read without building the site",
    "docs/test_tutorial_pages.py": "the blocks of the tutorial run in test_pages_tutorial.py",
    "docs/test_simulation_page.py": "tests/faults",
    "docs/test_workers_page.py": "tests/run",
    "docs/test_tune_page.py": "tests/tune and tests/cli/test_tune.py",
    "docs/test_resume_page.py": "tests/faults kills a run and goes on",
    "docs/test_several_outputs_page.py": "tests/study has bounds and constraints",
    "docs/test_bounds_page.py": "tests/study/test_bound.py",
    "docs/test_lab_page.py": "tests/exchange",
    "docs/test_objectives_page.py": "tests/study has fronts",
    "examples": "README's example and the tutorial",
    "integrations/pages": "Ray, MLflow and optuna-dashboard; the sampler itself is tested in integrations/optuna",
    "integrations/workers": "PostgreSQL and several processes; memory and turns are tested in integrations/optuna",
    "lab/test_runner.py": "tests/paper and tests/lab run plans in one process",
    "paper/test_plots.py": "tests/paper/test_report.py draws every figure once",
    "research": "nothing that users install depends on it",
}


def pytest_collection_modifyitems(items):
    """Mark what is slow, so that `-m "not slow"` leaves it out."""
    here = Path(__file__).parent
    slow = [here / path for path in SLOW]
    for item in items:
        if any(item.path == path or path in item.path.parents for path in slow):
            item.add_marker("slow")


# Debian keeps the programs of a PostgreSQL server out of the search path, in a folder for each version.
_ELSEWHERE = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def need():
    """`need("initdb", "postgresql")` is the path of a program of that Debian package; without it the test is skipped.

    With SUFFICE_TEST_ALL=1 in the environment, as in continuous integration, the test fails instead of being skipped.
    """
    return _found


def _found(command: str, package: str) -> str:
    folders = [os.environ.get("PATH", os.defpath), *map(str, sorted(_ELSEWHERE.glob("*/bin"), reverse=True))]
    path = shutil.which(command, path=os.pathsep.join(folders))
    if path is None:
        reason = f"there is no program {command!r} here; on Debian and Ubuntu: apt install {package}"
        (pytest.fail if os.environ.get("SUFFICE_TEST_ALL") == "1" else pytest.skip)(reason)
    return path
