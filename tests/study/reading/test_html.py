"""What a notebook shows: small, valid, harmless, and in the colours of its surroundings."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import suffice as sf
from suffice.result.display import curve

EVIL = "<img src=x onerror=alert(1)>\"'&"
VOID = {"br", "hr", "img", "meta"}


class Balance(HTMLParser):
    """Opens and closes, in order; and all that could do harm."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.names, self.text = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.names += [name for name, _ in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)
        self.names += [name for name, _ in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(thing):
    """The HTML of a thing, checked."""
    html = thing._repr_html_() if hasattr(thing, "_repr_html_") else thing
    parser = Balance()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert len(html.encode()) < 40_000
    assert not {"script", "img", "iframe", "link", "style", "a"} & set(parser.seen)
    assert not [name for name in parser.names if name.startswith("on") or name in ("id", "href", "src", "class")]
    return " ".join(parser.text)


def told(space, values, **words):
    optimizer = sf.Optimizer(space, seed=0, **words)
    rows = optimizer.space.sample(len(values), np.random.default_rng(0))
    with optimizer.together():
        for x, value in zip(rows, values, strict=True):
            optimizer.tell(optimizer.space.from_unit(x), value)
    return optimizer


@pytest.fixture(scope="module")
def optimizer():
    space = sf.Space(
        {EVIL: sf.Float(1e-3, 1, log=True), "c": sf.Choice(EVIL, "b"), "y": sf.Int(1, 9, step=2, when={"c": "b"})},
        where=lambda p: p["c"] != 7,
    )
    optimizer = told(space, [3.0, 1.0, 2.0, math.nan, 0.5])
    trial = optimizer.ask()
    optimizer.fail(trial, f"ValueError: {EVIL}\x1b[31m", cause="raised")
    return optimizer


def test_every_thing_is_shown_and_names_do_no_harm(optimizer):
    result = optimizer.result(f"ended by {EVIL}")
    for thing in (result, optimizer, optimizer.space, *optimizer.trials, result.diagnose()):
        assert read(thing)
    assert EVIL in read(result)
    assert "best seen 0.5, trial" in read(result)
    assert "ended by" in read(result)
    assert "\x1b" not in read(result)
    assert "float, log" in read(optimizer.space)
    assert "c = 'b'" in read(optimizer.space)
    assert "1 to 9 in steps of 2" in read(optimizer.space)
    assert "raised" in read(optimizer.trials[-1])


def test_long_names_and_many_parameters_are_cut():
    space = sf.Space({f"{'<é>' * 3000}{j}": sf.Float(0, 1) for j in range(500)})
    optimizer = told(space, [1.0, 2.0, 3.0])
    for thing in (optimizer, optimizer.result("x" * 10_000), space, optimizer.trials[0]):
        assert "… and 470 more" in read(thing)
    many = sf.Space(c=sf.Choice(*(f"{'<' * 500}{k}" for k in range(2000))), d=sf.Choice("a" * 5000, "b"))
    assert "2000 options: " in read(many)
    quotes = '"' * 90
    assert read(sf.Space({f"{quotes}{j}": sf.Choice(*(f"{quotes}{k}" for k in range(40))) for j in range(60)}))


def test_a_long_run_is_as_small_as_a_short_one():
    rng = np.random.default_rng(0)
    optimizer = told([(0.0, 1.0)] * 2, np.where(rng.random(1500) < 0.2, np.nan, rng.exponential(size=1500)).tolist())
    picture = curve(optimizer.history)
    read(picture)
    assert len(picture) < 15_000
    assert read(optimizer)
    falling = told([(0.0, 1.0)], np.linspace(1, 0, 1500).tolist())
    assert len(curve(falling.history)) < 15_000


def heights(picture):
    """The heights of the steps of the best value, from the top."""
    way = re.search(r'd="M[\d.]+ ([\d.]+)((?:H[\d.]+V[\d.]+)*)H', picture)
    return [float(way[1]), *map(float, re.findall(r"V([\d.]+)", way[2]))]


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1), ("maximize", -1)])
def test_the_line_follows_the_best_value(direction, sign):
    values = [3.0, 5.0, 2.0, 2.5, 1.0]
    found = heights(curve(told([(0.0, 1.0)], [sign * v for v in values], direction=direction).history))
    assert len(found) == 3  # 3, 2, 1
    down = np.diff(found) > 0
    assert down.all() if direction == "minimize" else not down.any()


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        [2.0, 2.0, 2.0],
        [math.nan, 1.0],
        [1.7e308, -1.7e308, 1.0],
        [5e-324, 1e-320],
        [1e-9, 1.0, 1e9, 1e12],
        [0.0, 0.0],
        [-1e-300, 1e300],
    ],
)
def test_every_run_of_values_has_a_picture(values):
    optimizer = told([(0.0, 1.0)], values)
    picture = curve(optimizer.history)
    assert "nan" not in picture
    assert "inf" not in picture
    assert read(optimizer.result())


def test_without_a_value_there_is_no_picture():
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0)
    assert "svg" not in optimizer._repr_html_()
    assert "none yet" in read(optimizer)
    assert read(optimizer.result())
    assert read(optimizer.ask())
    assert read(sf.Result())


def test_spaces_without_parameters_have_a_table_too():
    pool = sf.Pool(["<b>", "C", "CC"], features=np.array([[1.0], [2.0], [3.0]]))
    optimizer = sf.Optimizer(pool, seed=0)
    optimizer.tell("<b>", 1.0)
    assert "'<b>'" in read(optimizer.result())
    assert read(optimizer.trials[0])


def test_it_has_the_colours_of_its_surroundings(optimizer):
    html = optimizer.result()._repr_html_()
    assert "currentColor" in html
    assert not re.search(r"background|[^-]color:\s*#", html)


def test_several_in_one_notebook_do_not_disturb_each_other(optimizer):
    assert read(optimizer.result()._repr_html_() + optimizer.result()._repr_html_() + optimizer._repr_html_())
