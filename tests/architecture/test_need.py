"""What happens to a test whose program is not installed, and to those that wait for `make test-all`."""

import os
from pathlib import Path

import pytest

from tests.conftest import SLOW


def test_a_program_that_is_there_is_found(need):
    assert os.access(need("sh", "dash"), os.X_OK)


def test_without_the_program_the_test_is_skipped_and_names_the_package(need, monkeypatch):
    monkeypatch.delenv("SUFFICE_TEST_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt install postgresql"):
        need("no-such-program", "postgresql")


def test_where_everything_has_to_be_tested_it_fails(need, monkeypatch):
    monkeypatch.setenv("SUFFICE_TEST_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match=r"'no-such-program'.*apt install postgresql"):
        need("no-such-program", "postgresql")


def test_what_waits_for_make_test_all_is_there():
    for path in SLOW:
        file, _, name = path.partition("::")
        found = Path(__file__).parents[1] / file
        assert found.exists(), path
        assert not name or f"def {name.partition('[')[0]}" in found.read_text(encoding="utf-8"), path
