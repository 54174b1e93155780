"""The page about workers: its examples run, as files or one after the other, and its words are options that exist."""

import inspect
import re

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/workers.md")


def test_its_programs_make_all_trials(ran):
    assert [printed.splitlines()[-1].split()[-1] for printed in ran.printed] == ["12"]


def test_the_other_examples_run(ran):
    assert ran["result"].nfev == 16


def test_every_option_of_the_page_exists():
    known = inspect.signature(sf.minimize).parameters
    named = set(re.findall(r"`(\w+)=", PAGE.text)) | {"n_parallel", "executor"}
    assert named - {"pure", "storage"} <= set(known)
    fields = set(re.findall(r"sf\.Evaluation\((\w+)=", PAGE.text))
    assert fields == {"retries", "timeout"}
    assert fields <= set(inspect.signature(sf.Evaluation).parameters)
