"""Whatever the names, options and reasons of a study are, they are text on its page."""

import pytest

import suffice as sf
from suffice.report import read

EVIL = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "]]><!--",
    "\"'&amp;`",
    "\u202ertl\u200f",
    "a\u2028b\x00c",
    "\ud800",
    "w" * 10_000,
    " ",
)


@pytest.fixture
def evil():
    """A study in which everything that a user names is bad."""
    space = {name: sf.Float(0, 1) for name in EVIL}
    space |= {f"choice {i}": sf.Choice(name, name + "2") for i, name in enumerate(EVIL)}
    opt = sf.Optimizer(space, seed=0)
    opt.tell(opt.ask(), 1.0)
    for name in EVIL:
        opt.fail(opt.ask(), name)
    opt.cancel(opt.ask(), EVIL[0])
    return opt


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("name", EVIL, ids=range(len(EVIL)))
def test_a_name_makes_no_element_and_no_attribute(name, report):
    def made(part, option, reason, study):
        opt = sf.Optimizer({part: sf.Float(0, 1), "c": sf.Choice(option, "other")}, seed=0)
        opt.tell(opt.ask(), 1.0)
        opt.fail(opt.ask(), reason)
        return report(opt, name=study)

    plain, bad = made("part", "option", "reason", "study"), made(name, name, name, name)
    assert set(bad.tags) == set(plain.tags)
    assert bad.tags["script"] == 1
    assert {attribute[:2] for attribute in bad.attributes} == {attribute[:2] for attribute in plain.attributes}


def test_everything_at_once_is_harmless_and_small(evil, report, tmp_path):
    page = report(evil)
    assert page.tags["script"] == 1
    assert page.tags["img"] == 0
    assert "<img src=x onerror=alert(1)>" in page.shown
    assert not any(mark in page.text for mark in "\u202e\u200f\u2028\x00")
    assert "w" * 400 not in page.shown
    script = page.text[page.text.index("<script") + 8 : page.text.index("</script>")]
    assert "<" not in script.split(">", 1)[1]


def test_the_data_have_the_names_and_options_as_they_are(evil, report, tmp_path):
    report(evil)
    data = read(tmp_path / "report.html")
    parts = [name for name in data["columns"] if name in EVIL or name.startswith("choice")]
    assert parts == list(evil.trials[0].point)
    first = dict(zip(data["columns"], data["rows"][0], strict=True))
    assert {name: first[name] for name in parts} == evil.trials[0].point
    reasons = [row[data["columns"].index("reason")] for row in data["rows"]]
    assert reasons == [trial.reason for trial in evil.trials]
