"""Random configurations driven through random events, with every warning an error.

    python -m research.benchmarks.fuzz                    1 000 configurations
    python -m research.benchmarks.fuzz --first 137 --count 1 --raise      one of them, with its traceback

A configuration is made of its number alone: a space, an acquisition, a solver, a kernel, a pruner, constraints or
several objectives, and the scale of the values. Its study is in a file. The events are asks, also of several points and
with fixed values, observations of every kind, failures, cancellations, reports and foreign points; again and again the
study is closed and resumed, and in the end it is looked at in all ways.

What counts as a fault: a warning; any exception, apart from the named errors that say that the space has no more
points, or an argument refused while the study is made; a point outside of its space; a trial that a resumed study has
not, or has in another way; a point that a resumed study would propose and the study itself would not.
"""

import argparse
import logging
import math
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from suffice.acquisition import ACQUISITIONS, LookAround
from suffice.errors import NoFeasiblePoint, SpaceExhausted
from suffice.gp import KERNELS
from suffice.solvers import SOLVERS, Fixed, Grid

EVENTS = 14  # of a configuration, after the initial design
SCALES: dict[str, Callable[[float], float]] = {
    "plain": lambda v: v,
    "small": lambda v: v * 1e-170,
    "large": lambda v: v * 1e160,
    "largest": lambda v: v * 1e307,
    "denormal": lambda v: v * 1e-310,
    "offset": lambda v: 1e9 + v,
    "constant": lambda v: 3.0,  # noqa: ARG005
    "outlier": lambda v: v if v > 0.02 else 1e12,
    "exponential": lambda v: math.exp(min(50.0 * v, 700.0)),
}


@dataclass(frozen=True)
class Configuration:
    """What a study is made of, and how its values come about."""

    number: int
    space: Any
    options: dict[str, Any]
    outputs: tuple[str, ...]  # () where there is one objective and nothing else
    scale: str

    def __str__(self) -> str:
        return f"{self.number}: {self.space!r}, {self.options}, values {self.scale}"

    def value(self, unit: Any, rng: random.Random) -> Any:
        """An observation at a place in the cube: usually a bowl, now and then no number."""
        if rng.random() < 0.07:
            bad = rng.choice([math.nan, math.inf, -math.inf])
            return dict.fromkeys(self.outputs, bad) if self.outputs else bad
        bowl = float(np.mean((np.asarray(unit) - 0.3) ** 2)) + 1e-3
        known = [SCALES[self.scale](bowl + i * 0.1 * math.sin(9.0 * bowl + i)) for i in range(len(self.outputs) or 1)]
        return dict(zip(self.outputs, known, strict=True)) if self.outputs else known[0]


def configuration(number: int) -> Configuration:
    """The configuration of a number."""
    rng = random.Random(number)
    space, several = spaces(rng), rng.random() < 0.15
    outputs = ("a", "b", "c")[: rng.choice([2, 2, 3])] if several else ()
    options: dict[str, Any] = {"seed": number, "n_initial": rng.choice([1, 2, 4])}
    if several:
        options["objectives"] = {name: rng.choice(["minimize", "maximize"]) for name in outputs}
        if rng.random() < 0.3:
            options["reference"] = {name: rng.choice([0.0, 1.0, -3.0]) for name in outputs}
    else:
        options["direction"] = rng.choice(["minimize", "maximize"])
        if rng.random() < 0.5:
            options["acquisition"] = rng.choice([*(make() for make in ACQUISITIONS.values()), LookAround()])
    if rng.random() < 0.2:
        limit = rng.choice([sf.AtMost, sf.AtLeast])(rng.choice([0.05, 0.2, -1.0, 5.0]))
        outputs = (*(outputs or ("value",)), "weight")
        options["constraints"] = {"weight": limit}
    if rng.random() < 0.6:
        name = rng.choice([*SOLVERS, "grid"])
        options["solver"] = Grid(size=Fixed(rng.choice([1, 30]))) if name == "grid" else SOLVERS[name]()
    if rng.random() < 0.5:
        kernel = KERNELS[rng.choice([*KERNELS])]()
        words = {word: rng.random() < 0.5 for word in ("ard", "warp", "standardize", "sharp")}
        options["model"] = sf.GP(kernel, members=rng.choice([1, 4]), noise=rng.choice([None, None, 1e-6]), **words)
    if rng.random() < 0.2 and not several:
        options["pruner"] = rng.choice([sf.pruning.Median, sf.pruning.Halving, sf.pruning.Race])()
    if rng.random() < 0.2:
        options["repeat"] = True
    return Configuration(number, space, options, outputs, rng.choice(["plain", *SCALES]))


def spaces(rng: random.Random) -> Any:
    """Boxes, mixed and conditional spaces, some with constraints, and pools."""
    kind = rng.choice(["box", "mixed", "mixed", "conditional", "constrained", "pool", "discrete"])
    if kind == "box":
        return [
            (low := rng.choice([-5.0, 0.0, 1e-3]), low + rng.choice([1e-9, 1.0, 1e6]))
            for _ in range(rng.choice([1, 2, 5]))
        ]
    if kind == "pool":
        return sf.Pool(np.array([[rng.random(), rng.random()] for _ in range(rng.choice([3, 30]))]))
    if kind == "conditional":
        return sf.Space(
            kind=sf.Choice("a", "b", "c"),
            x=sf.Float(0.0, 1.0),
            n=sf.Int(1, rng.choice([2, 9]), when={"kind": ("a", "b")}),
            rate=sf.Float(1e-4, 1.0, log=True, when={"kind": "b"}),
        )
    if kind == "constrained":
        where = rng.choice([lambda p: p["x"] + p["y"] <= 1.0, lambda p: p["x"] * p["y"] > 0.05])
        return sf.Space(x=sf.Float(0.0, 1.0), y=sf.Float(0.0, 1.0), n=sf.Int(0, 3), where=[where])
    names = "abcd"[: rng.choice([1, 2, 4])]
    return {name: parameter(rng, smooth=kind == "mixed") for name in names}


def parameter(rng: random.Random, smooth: bool) -> Any:
    """A parameter of any kind."""
    discrete: list[Any] = [
        sf.Int(0, rng.choice([1, 5, 1000, 2**60])),
        sf.Int(1, rng.choice([8, 2**40]), log=True),
        sf.Int(0, 30, step=rng.choice([3, 10])),
        sf.Float(0.0, 1.0, step=rng.choice([0.5, 0.1])),
        sf.Choice(*["u", "v", None, True, 2.5][: rng.choice([1, 2, 5])]),
        sf.Choice(*range(rng.choice([12, 40]))),
        sf.Ordinal("low", "mid", "high"),
    ]
    real: list[Any] = [
        sf.Float(-1.0, 1.0),
        sf.Float(1e-6, 1e3, log=True),
        sf.Float(-1e300, 1e300),
        sf.Float(5.0, 5.0 + 1e-12),
    ]
    return rng.choice(real + discrete if smooth else discrete)


# ---------------------------------------------------------------------- events


class Fault(AssertionError):
    """Something that must not be."""


@dataclass
class Drive:
    """One study through its events."""

    made: Configuration
    path: Path
    resumes: bool  # whether the study is closed and opened again on the way
    rng: random.Random
    study: sf.Optimizer

    def run(self) -> list[tuple[Any, ...]]:
        """All events, then a look at everything; the facts of the trials."""
        kinds = [
            self.ask,
            self.ask,
            self.ask,
            self.batch,
            self.fixed,
            self.fail,
            self.cancel,
            self.foreign,
            self.resume,
        ]
        with suppress(SpaceExhausted, NoFeasiblePoint):
            for _ in range(self.made.options["n_initial"]):
                self.ask()
        for _ in range(EVENTS):
            with suppress(SpaceExhausted, NoFeasiblePoint):
                self.rng.choice(kinds)()
        self.resume()
        if self.resumes:
            self.look()
        return facts(self.study)

    def ask(self, **words: Any) -> None:
        """A point, which is evaluated now or stays pending for a while."""
        trial = self.study.ask(**words)
        self.check(trial)
        if self.made.options.get("pruner") is not None:
            for step in range(self.rng.choice([0, 2, 4])):
                self.study.report(trial, self.rng.choice([self.rng.random(), math.nan]), step)
                if self.study.should_prune(trial):
                    self.study.prune(trial)
                    return
        if self.rng.random() < 0.8:
            self.tell(trial)

    def tell(self, trial: Any) -> None:
        """A value of one of the kinds that there are."""
        value, kind = self.made.value(trial.unit, self.rng), self.rng.choice(["plain"] * 3 + ["repeats", "noise"])
        if kind == "repeats" and isinstance(value, float) and math.isfinite(value):
            self.study.tell(trial, [value, value, 0.9 * value])
        elif kind == "noise" and not self.made.outputs:
            self.study.tell(trial, value, noise_var=self.rng.choice([0.0, 1e-3, 1e300]))
        else:
            self.study.tell(trial, value, seconds=self.rng.choice([None, 0.0, 3.0]))

    def batch(self) -> None:
        """Several points at once, and what was pending is told."""
        for trial in self.study.ask(self.rng.choice([2, 4])):
            self.check(trial)
        for trial in self.study.pending:
            self.tell(trial)

    def fixed(self) -> None:
        """A point with a value that is given."""
        point = self.some_point()
        if self.study.space.params and isinstance(point, dict):
            name = next(iter(point))
            self.ask(fixed={name: point[name]})

    def fail(self) -> None:
        """A point whose evaluation gives nothing."""
        self.study.fail(self.study.ask(), self.rng.choice(["", "broken", "x" * 500]))

    def cancel(self) -> None:
        """A point that is not evaluated."""
        self.study.cancel(self.study.ask(), "not now")

    def foreign(self) -> None:
        """A point from outside."""
        point = self.some_point()
        self.study.tell(point, self.made.value(self.study.space.to_unit(point), self.rng))

    def some_point(self) -> Any:
        """Any point of the space."""
        space = self.study.space
        return space.from_unit(space.sample(1, np.random.default_rng(self.rng.randrange(2**32)))[0])

    def check(self, trial: Any) -> None:
        """Whether the point is one of the space."""
        if not self.study.space.contains(trial.unit[None]).all():
            raise Fault(f"{trial} is not in the space")

    def resume(self) -> None:
        """Close the study and open it again."""
        if not self.resumes:
            return
        before = facts(self.study)
        self.study.close()
        self.study = sf.Optimizer(self.made.space, storage=self.path, **self.made.options)
        if facts(self.study) != before:
            raise Fault("a resumed study has other trials")

    def look(self) -> None:
        """Everything that can be read off a study."""
        result = self.study.result()
        repr(result), result._repr_html_(), repr(result.diagnose()), repr(result.trials[-1]), result.to_dataframe()
        if not self.study.settings.several and result.x is not None:
            _ = result.x_recommended, result.fun_recommended, result.fun_recommended_sd
            mean, sd = result.predict([result.x])
            if np.isnan(mean).any() or not (sd >= 0.0).all():
                raise Fault(f"a prediction of {mean} ± {sd}")
        saved = self.path.with_suffix(".json")
        result.save(saved)
        if facts(sf.load(saved)) != facts(self.study):
            raise Fault("a saved result has other trials")


def facts(study: Any) -> list[tuple[Any, ...]]:
    """What there is to know about all trials."""
    return [(t.number, t.unit.tobytes(), t.state, repr(t.values), t.cause, repr(t.noise_var)) for t in study.trials]


def drive(number: int) -> None:
    """Run a configuration; every fifth one twice, with resumes and without them, for the same points."""
    made, found = configuration(number), []
    for resumes in (True, False)[: 2 if number % 5 == 0 else 1]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.db"
            study = sf.Optimizer(made.space, storage=path, **made.options)
            driven = Drive(made, path, resumes, random.Random(number), study)
            try:
                found.append(driven.run())
            finally:
                driven.study.close()
    if found[0] != found[-1]:
        raise Fault("a study that was resumed went another way")


# ---------------------------------------------------------------------- many of them


def faults(numbers: Iterable[int]) -> Iterator[tuple[int, BaseException]]:
    """The configurations that go wrong, and how."""
    logging.getLogger("suffice").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in numbers:
            try:
                drive(number)
            except Exception as error:
                yield number, error


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the number of the first configuration")
    parser.add_argument("--count", type=int, default=1000, help="how many configurations")
    parser.add_argument("--raise", action="store_true", dest="raising", help="end with the first fault")
    given, start, kinds = parser.parse_args(), time.monotonic(), Counter[str]()
    for number, error in faults(range(given.first, given.first + given.count)):
        if given.raising:
            raise error
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {error}"
        kinds[kind[:200]] += 1
        print(f"configuration {configuration(number)}\n    {kind}", flush=True)
    print(f"{given.count} configurations in {time.monotonic() - start:.0f} s: {kinds.total()} faults")
    for kind, count in kinds.most_common():
        print(f"{count:5d}  {kind}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
