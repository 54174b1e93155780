"""Hypothesis profiles, signals, and programs that pip cannot install.

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
