"""A page taken apart, and studies of every kind."""

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np
import pytest

import suffice as sf
from suffice.report import write

VOID = {"meta", "br", "img", "hr", "input", "link"}


@dataclass
class Page(HTMLParser):
    """The elements of a page, each closed in order, and the text that a reader sees."""

    text: str
    tags: Counter = field(default_factory=Counter)
    headings: list = field(default_factory=list)  # (level, text)
    links: list = field(default_factory=list)
    attributes: list = field(default_factory=list)  # (tag, name, value)
    shown: str = ""
    open: list = field(default_factory=list)

    def __post_init__(self):
        super().__init__(convert_charrefs=True)
        self.feed(self.text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((int(tag[1]), ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style", "title"):
            return
        self.shown += data
        if self.open and self.open[-1] in ("h1", "h2", "h3", "h4"):
            level, text = self.headings[-1]
            self.headings[-1] = (level, text + data)

    def section(self, heading):
        """The text between a heading of the second level and the next."""
        _, after = self.shown.rsplit(f"\n{heading}\n", 1) if f"\n{heading}\n" in self.shown else ("", "")
        following = [text for level, text in self.headings if level == 2]
        later = following[following.index(heading) + 1 :]
        return after.split(f"\n{later[0]}\n", 1)[0] if later else after


@pytest.fixture
def report(tmp_path):
    """The page of a study, taken apart."""
    return lambda study, **words: _page(study, tmp_path / "report.html", **words)


@pytest.fixture
def without_figures(monkeypatch):
    """Pages as fast as text is: for what has nothing to do with figures."""
    monkeypatch.setattr("suffice.report.page.drawn", lambda charts: "")


def _page(study, path, **words):
    write(study, path, **words)
    return Page(path.read_text(encoding="utf-8"))


def told(space, n=12, f=None, seed=0, **options):
    """A study whose values are those of f, by default sums of places in the cube; its points need no model."""
    opt = sf.Optimizer(space, seed=seed, n_initial=100, **options)
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, float(np.sum(trial.unit)) if f is None else f(trial.point))
    return opt


def all_failed():
    opt = sf.Optimizer([(0, 1)], seed=0)
    for trial in opt.ask(3):
        opt.fail(trial, "MemoryError: too large", cause="raised")
    return opt


def mixed():
    """A trial of every state and every cause."""
    opt = told({"x": (0.0, 1.0), "kind": sf.Choice("a", "b")}, 6)
    for cause in ("raised", "nan", "inf", "infeasible", "crashed", "timed out", "failed"):
        opt.fail(opt.ask(), f"because of {cause}", cause=cause)
    opt.cancel(opt.ask())
    opt.ask()
    opt.tell({"x": 0.5, "kind": "b"}, 2.0, seconds=0.5, noise_var=0.1)
    return opt


def two(p):
    return {"error": p["x"], "speed": p["x"] - p["y"] ** 2, "heat": p["x"] + p["y"]}


AIMS = {"error": "minimize", "speed": "maximize"}
SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def half_told(p):
    """Where the limit is broken, the objectives are missing."""
    return two(p) if p["x"] + p["y"] < 1.0 else {"heat": p["x"] + p["y"]}


def failed_front():
    opt = sf.Optimizer(SQUARE, seed=0, objectives=AIMS)
    for trial in opt.ask(3):
        opt.fail(trial, "MemoryError: too large", cause="raised")
    return opt


def told_with_noise():
    opt = told(SQUARE, 6, two, objectives=AIMS, constraints={"heat": sf.AtMost(1.0)})
    opt.tell({"x": 0.2, "y": 0.2}, two({"x": 0.2, "y": 0.2}), noise_var={"error": 0.1})
    return opt


CONDITIONAL = {
    "kernel": sf.Choice("rbf", "poly", "linear"),
    "gamma": sf.Float(1e-4, 1, log=True, when={"kernel": ("rbf", "poly")}),
    "degree": sf.Int(2, 5, when={"kernel": "poly"}),
    "size": sf.Ordinal("small", "medium", "large"),
    "batch": sf.Int(16, 64, step=16),
    "k": 3,
}
STUDIES = {
    "no trial": lambda: sf.Optimizer([(0, 1)], seed=0),
    "one trial": lambda: told([(0, 1)], 1),
    "two trials": lambda: told([(0, 1)], 2),
    "all failed": all_failed,
    "every state": mixed,
    "a run": lambda: sf.minimize(lambda x: float((x[0] - 0.3) ** 2 + x[1] ** 2), [(0, 1), (-1, 1)], 14, seed=0),
    "maximize": lambda: sf.maximize(lambda p: -abs(p["x"] - 0.5), {"x": (0.0, 1.0)}, 12, seed=0),
    "equal values": lambda: told([(0, 1)], 12, lambda x: 1.0),
    "huge values": lambda: told([(0, 1)], 12, lambda x: 1e308 * (float(x[0]) - 0.5)),
    "names in any script": lambda: told({"学习率": (0.0, 1.0), "λ": (0.0, 1.0), "a$b_{x}^2": (0.0, 1.0)}, 8),
    "conditional": lambda: told(CONDITIONAL, 14),
    "constrained": lambda: told(
        sf.Space({"x": sf.Float(0, 1), "y": sf.Float(0, 1)}, where=lambda p: p["x"] + p["y"] <= 1), 10
    ),
    "a list": lambda: told([sf.Float(0, 1), sf.Int(1, 5), sf.Choice("a", "b")], 10),
    "a pool": lambda: told(sf.Pool(np.random.default_rng(0).random((40, 3))), 8, lambda p: float(p[0])),
    "a pool of dicts": lambda: told(sf.Pool([{"a": i, "b": -i} for i in range(20)]), 8, lambda p: float(p["a"])),
    "500 parameters": lambda: told({f"p{i}": (0.0, 1.0) for i in range(500)}, 3),
    "only constants": lambda: told({"k": 3, "c": sf.Choice("x")}, 1),
    "limits": lambda: told(
        SQUARE, 12, lambda p: {"value": p["x"], "heat": p["y"]}, constraints={"heat": sf.AtMost(0.5)}
    ),
    "limits without values": lambda: told(
        SQUARE,
        12,
        lambda p: {"heat": p["y"]} | ({"value": p["x"]} if p["y"] < 0.5 else {}),
        constraints={"heat": sf.AtMost(0.4)},
    ),
    "nothing within limits": lambda: told(
        SQUARE, 8, lambda p: {"value": p["x"], "heat": p["y"]}, constraints={"heat": sf.AtMost(-1.0)}
    ),
    "only the limited output": lambda: told(
        SQUARE, 8, lambda p: {"heat": p["y"]}, constraints={"heat": sf.AtMost(-1.0)}
    ),
    "two objectives": lambda: told(SQUARE, 14, lambda p: {k: two(p)[k] for k in AIMS}, objectives=AIMS),
    "two objectives and a limit": lambda: told(
        SQUARE, 14, half_told, objectives=AIMS, constraints={"heat": sf.AtMost(1.0)}
    ),
    "one trial of two objectives": lambda: told(SQUARE, 1, two, objectives=AIMS, constraints={"heat": sf.AtMost(9.0)}),
    "no front": lambda: told(SQUARE, 8, two, objectives=AIMS, constraints={"heat": sf.AtMost(-1.0)}),
    "three objectives": lambda: told(
        SQUARE, 10, two, objectives=AIMS | {"heat": "minimize"}, reference={"error": 2.0, "speed": -2.0, "heat": 3.0}
    ),
    "six objectives": lambda: told(
        SQUARE,
        7,
        lambda p: {f"f{i} <b>": float(np.cos(i * p["x"] + p["y"])) for i in range(6)},
        objectives={f"f{i} <b>": "maximize" for i in range(6)},
    ),
    "all of two objectives failed": failed_front,
    "no trial of two objectives": lambda: sf.Optimizer(SQUARE, seed=0, objectives=AIMS),
    "known noise of one of two": told_with_noise,
}


class Order(sf.CustomSpace):
    """Permutations of four things."""

    def draw(self, rng):
        return tuple(rng.permutation(4).tolist())

    def neighbour(self, point, rng):
        i, j = rng.choice(4, 2, replace=False)
        swapped = list(point)
        swapped[i], swapped[j] = point[j], point[i]
        return tuple(swapped)

    def encode(self, point):
        return np.argsort(point) / 3

    def decode(self, row):
        return tuple(np.argsort(row, kind="stable").tolist())

    def __repr__(self):
        return "Order()"


@pytest.fixture
def own_space():
    """A space whose points are not made of parameters."""
    return Order()


@pytest.fixture(scope="module", params=STUDIES)
def kind(request, tmp_path_factory):
    """A study of every kind, its page, and where that is."""
    study, path = STUDIES[request.param](), tmp_path_factory.mktemp("kind") / "report.html"
    return study, _page(study, path), path
