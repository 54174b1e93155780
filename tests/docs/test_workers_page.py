"""The page about workers: its examples run, as files or one after the other, and its words are options that exist."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import suffice as sf

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "workers.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
FILES = {text.splitlines()[0].removeprefix("# "): text for text in EXAMPLES if text.startswith("# ")}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_page_runs(name, tmp_path):
    if name == "cluster.py":
        pytest.importorskip("distributed")
    (tmp_path / name).write_text(FILES[name])
    words = {"capture_output": True, "text": True, "cwd": tmp_path, "timeout": 300}
    done = subprocess.run([sys.executable, name], env={**os.environ, "DASK_LOGGING__DISTRIBUTED": "critical"}, **words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(" 12")


def test_the_other_examples_run():
    pytest.importorskip("joblib")
    names = {}
    for example in EXAMPLES:
        if not example.startswith("# "):
            exec(example, names)
    assert names["saved"].nfev == 5
    assert names["result"].nfev == 16
    names["get_reusable_executor"]().shutdown(kill_workers=True)


def test_every_option_of_the_page_exists():
    known = inspect.signature(sf.minimize).parameters
    named = set(re.findall(r"`(\w+)=", PAGE)) | {"retries", "trial_timeout", "n_parallel", "executor"}
    assert named - {"pure", "store"} <= set(known)
    assert set(FILES) == {"tune.py", "cluster.py"}
