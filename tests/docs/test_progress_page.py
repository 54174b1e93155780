"""The page about progress and the log: its examples run, and print what it says they do."""

import logging
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "progress.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_show_a_run_and_log_an_evaluation(capsys, caplog):
    names = {}
    shown = re.search(r"^```text\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL).group(1)
    display, log = EXAMPLES
    exec(display, names)
    last = capsys.readouterr().err.splitlines()[-1]
    kinds, of_page = ([re.sub(r"\d[\d.e+-]*", "#", part) for part in text.split("; ")] for text in (last, shown))
    assert kinds == [part for part in of_page if part in kinds]
    assert len(kinds) == 3
    logger = logging.getLogger("suffice")
    try:
        exec(log, names)
    finally:
        logger.setLevel(logging.NOTSET)
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert line.startswith("trial 0: ")
    assert line.endswith("the best so far, 0.2 s")
