"""The page for users of other libraries: its examples run, and all names that it gives exist."""

import re
from pathlib import Path

import suffice as sf

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coming-from" / "index.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_find_what_they_look_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(EXAMPLES[0], names)
    assert len(names["result"].trials) == 30
    assert names["result"].fun > 0.99
    assert 9 < names["result"].x["C"] < 11
    exec(EXAMPLES[0], names)  # the same line run again
    assert len(sf.load("run.db").trials) == 30
    exec(EXAMPLES[1], names)
    assert names["opt"].best.value > -2


def test_every_name_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)):
        assert hasattr(sf, name), name
    for name in ("x", "fun", "trials", "x_iters", "func_vals"):
        assert f"result.{name}" in PAGE
