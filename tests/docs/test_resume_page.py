"""The page about going on after a kill: somebody kills its programs, and what it says comes true."""

import suffice as sf

from .pages import Page

PAGE = Page("docs/howto/resume.md")
LOOP = PAGE.code("python")[-1]


def test_the_program_is_killed_and_goes_on_to_the_end(ran, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    alone = sf.minimize(ran["f"], ran["space"], 15, seed=0)
    assert [trial.point for trial in sf.load(ran.folder / "run.db").trials] == [t.point for t in alone.trials]
    assert f"15 {alone.fun} {alone.x}" in ran.printed[0]


def test_an_exception_has_the_result_so_far(ran):
    assert ran["saved"].nfev == 5


def test_the_loop_may_be_killed_and_run_again(ran, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with ran.entered():
        exec(LOOP, {})  # all is done: nothing happens
        whole = [trial.point for trial in sf.load("loop.db").trials]
        exec(LOOP.replace("loop.db", "killed.db").replace("< 12", "< 5"), {})
        with sf.Optimizer.resume("killed.db") as killed:
            killed.ask()
        exec(LOOP.replace("loop.db", "killed.db"), {})
        assert [trial.point for trial in sf.load("killed.db").trials] == whole
    assert len(whole) == 12
