"""The page about progress and the log: its examples run, and print what it says they do."""

import logging
import re

from .pages import Page, Run

PAGE = Page("docs/howto/progress.md")


def test_the_examples_show_a_run_and_log_an_evaluation(tmp_path, capsys, caplog):
    shown, run = PAGE.code("text")[0].strip(), Run(PAGE, tmp_path, {})
    display, log = (block for block in PAGE.blocks if block.language == "python")
    run.do(display)
    last = capsys.readouterr().err.splitlines()[-1]
    kinds, of_page = ([re.sub(r"\d[\d.e+-]*", "#", part) for part in text.split("; ")] for text in (last, shown))
    assert kinds == [part for part in of_page if part in kinds]
    assert len(kinds) == 3
    logger = logging.getLogger("suffice")
    try:
        run.do(log)
    finally:
        logger.setLevel(logging.NOTSET)
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert line.startswith("trial 0: ")
    assert line.endswith("the best so far, 0.2 s")
