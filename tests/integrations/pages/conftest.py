"""The programs that pages show, run as they stand: each in a process of its own, in an empty folder."""

import pytest

from ...docs.pages import Page, shell


@pytest.fixture
def program(tmp_path):
    """`program(page, name)` writes a program of a page into an empty folder, and runs it there; what it prints."""

    def run(page: Page, name: str, **environment: str) -> str:
        (tmp_path / name).write_text(page.file(name), encoding="utf-8")
        return shell(f"python {name}", tmp_path, **environment)

    return run
