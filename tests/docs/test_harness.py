"""The harness itself: what it writes, runs, leaves out, and how an error of a page is shown."""

import subprocess
import sys

import pytest

from .pages import Page

PAGE = """# A page

```python
# part.py
VALUE = 20
```

1. In a list:

   ```python
   from part import VALUE

   twice = 2 * VALUE
   ```

```json
// given.json
{"a": 1}
```

```sh
python -c "import json, part; print(part.VALUE + json.load(open('given.json'))['a'])"
```

```sh
pip install nothing-of-this-name
```
"""


@pytest.fixture
def page(tmp_path):
    def written(text):
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        return Page(str(tmp_path / "page.md"))

    return written


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def test_blocks_are_run_in_order_in_one_folder_and_files_are_written(page, folder):
    ran = page(PAGE).run(folder)
    assert ran["twice"] == 40
    assert ran.printed == ["21\n"]
    assert "part" not in sys.modules
    assert (folder / "part.py").read_text() == "# part.py\nVALUE = 20\n"


def test_an_error_has_the_line_of_the_page(page, folder):
    with pytest.raises(ZeroDivisionError) as caught:
        page(PAGE.replace("2 * VALUE", "2 / 0")).run(folder)
    last = caught.traceback[-1]
    assert last.path.name == "page.md"
    assert "2 / 0" in last.path.read_text().splitlines()[last.lineno]


def test_a_command_that_fails_or_does_not_end_fails_the_page(page, folder, monkeypatch):
    with pytest.raises(AssertionError, match="no-such-program"):
        page("```sh\nno-such-program\necho on\n```\n").run(folder)
    monkeypatch.setattr("tests.docs.pages.SECONDS", 0.2)
    with pytest.raises(subprocess.TimeoutExpired):
        page("```sh\nsleep 5\n```\n").run(folder)
