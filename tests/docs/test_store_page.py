"""The page about studies in files: its examples run, one after the other, and what it says about them is true."""

import re
from pathlib import Path

import pytest

import suffice as sf
from suffice.errors import DifferentStudy

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "store.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def told(folder):
    """What the names of the page stand for after each example."""
    names, after = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for example in EXAMPLES:
            exec(example, names)
            after.append(dict(names))
    return after


def test_the_second_call_goes_on_with_the_first(told):
    result = told[0]["result"]
    assert result.nfev == 20
    alone = sf.minimize(told[0]["f"], told[0]["space"], 20, seed=0, n_initial=result.settings.n_initial)
    assert [trial.point for trial in alone.trials] == [trial.point for trial in result.trials]


def test_the_study_by_hand_is_in_the_file(told, folder):
    assert told[1]["trial"].number == 20
    assert told[1]["opt"].pending == ()
    assert len(sf.load(folder / "run.db").trials) == 21


def test_the_loop_may_be_killed_and_run_again(told, folder, monkeypatch):
    monkeypatch.chdir(folder)
    loop = EXAMPLES[2]
    exec(loop, dict(told[2]))  # all is done: nothing happens
    whole = [trial.point for trial in sf.load("loop.db").trials]
    exec(loop.replace("loop.db", "killed.db").replace("< 12", "< 5"), dict(told[2]))
    with sf.Optimizer.resume("killed.db") as killed:
        killed.ask()
    exec(loop.replace("loop.db", "killed.db"), dict(told[2]))
    assert [trial.point for trial in sf.load("killed.db").trials] == whole
    assert len(whole) == 12


def test_the_values_are_taken_along(told, folder):
    assert len(sf.load(folder / "wider.db").trials) == 21


def test_nothing_is_lost(told):
    saved = told[4]["saved"]
    assert (len(saved.trials), saved.lost) == (21, ())


def test_the_refusal_is_as_printed(told, folder):
    space = sf.Space(rate=sf.Float(1e-4, 1.0, log=True), depth=sf.Int(1, 12))
    with pytest.raises(DifferentStudy) as error:
        sf.Optimizer(space, seed=1, store=folder / "run.db")
    (printed,) = re.findall(r"^DifferentStudy: run\.db (.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    assert printed.strip() in str(error.value)


def test_every_name_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)):
        assert hasattr(sf, name), name
