#!/usr/bin/env -S uv run --script

# /// script
# dependencies = ["nox>=2025.2.9"]
# ///

"""The library on each Python, installed as users install it: `nox` for all that are here, `nox -s tests-3.12` for one.

For everyday work there is `make`, which needs nothing but Python.
"""

import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = False  # what is not here is not tried, and nox says so

PROJECT = nox.project.load_toml("pyproject.toml")
TESTS = nox.project.dependency_groups(PROJECT, "test", "docs")  # the tests build the site and read docstrings


@nox.session(python=nox.project.python_versions(PROJECT))
def tests(session: nox.Session) -> None:
    """The tests against the installed library; what follows `--` goes to pytest."""
    session.install(".[all]", *TESTS)
    session.run("pytest", "--hypothesis-profile=ci", *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python=nox.project.python_versions(PROJECT))
def core(session: nox.Session) -> None:
    """The heart of the tests where only NumPy and SciPy are installed besides."""
    session.install(".", "pytest", "pytest-xdist", "hypothesis")
    where = session.posargs or ["tests/space", "tests/study", "tests/gp"]
    session.run("pytest", "--hypothesis-profile=ci", *where, env={"OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    nox.main()
