"""The programs that pages show, run as they stand: each in a process of its own, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "howto"


@pytest.fixture
def program(tmp_path):
    """`program(page, name)` writes a program of a page into an empty folder, and runs it there; what it prints."""

    def run(page: str, name: str, **environment: str) -> str:
        text = (DOCS / page).read_text(encoding="utf-8")
        (code,) = (c for c in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) if c.startswith(f"# {name}\n"))
        (tmp_path / name).write_text(code, encoding="utf-8")
        words = {"capture_output": True, "text": True, "cwd": tmp_path, "timeout": 300, "check": False}
        done = subprocess.run([sys.executable, name], env={**os.environ, **environment}, **words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
