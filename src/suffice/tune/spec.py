"""What to tune: the command, its parameters, the aims and the limits, from a TOML file or from a command line."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.checks import as_bool, as_count, as_float, short
from suffice.space import Space
from suffice.study.early.rule import EarlyStop
from suffice.tune.aims import KEYS as AIMS
from suffice.tune.aims import Aims
from suffice.tune.command import Template, check_names, near
from suffice.tune.early import as_early_stop
from suffice.tune.metric import Metric
from suffice.tune.parameters import condition, described, parameter

KEYS = ("command", *AIMS, "step", "params", "start")  # what a study is …
STEP = "step"  # what counts the steps, unless another name is given
LIMITS = (
    "trials",
    "jobs",
    "timeout",
    "trial_timeout",
    "target",
    "keep_going",
    "seed",
    "store",
    "early_stop",
)  # … and how long it goes on


@dataclass(frozen=True)
class Tuning:
    """A study of a command line."""

    template: Template
    space: Space
    aims: Aims
    folder: Path  # where the command runs
    store: Path
    start: tuple[dict[str, Any], ...] = ()  # points to evaluate first
    trials: int = 50
    jobs: int = 1
    timeout: float | None = None  # seconds for the whole run …
    trial_timeout: float | None = None  # … and for one trial
    seed: int | None = None
    target: float | None = None
    keep_going: bool = False  # even if the first trials all fail
    early_stop: EarlyStop | None = None  # the rule by which commands are stopped on their way
    step: Metric | None = None  # what counts the steps in the output; None: it is not looked at on the way

    @property
    def outputs(self) -> Path:
        """The folder that holds the output of every trial: beside the store, named after it."""
        return self.store.with_name(self.store.name + ".trials")


def of_file(path: Path, given: Mapping[str, Any]) -> Tuning:
    """The study that a TOML file describes; limits that are given take the place of those in the file.

    The command runs in the folder of the file, and the store is there: the study is the same wherever one stands.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file; a command is tuned by suffice tune … -- COMMAND") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from None
    folder = path.resolve().parent
    with _about(path):
        for key in table:
            if key not in KEYS + LIMITS:
                raise ValueError(f"the key {key!r} is not known: {near(key, KEYS + LIMITS)}")
        limits = {name: table[name] for name in LIMITS if name in table}
        if isinstance(limits.get("store"), str):
            limits["store"] = str(folder / limits["store"])
        table = {**table, **limits, **{name: value for name, value in given.items() if value is not None}}
        return _tuning(table, folder, folder / (path.stem + ".db"))


def of_arguments(
    params: Sequence[str],
    whens: Sequence[str],
    command: Sequence[str],
    aims: Mapping[str, Any],
    given: Mapping[str, Any],
) -> Tuning:
    """The study that a command line describes; the command runs in the present folder.

    aims    as a TOML file would have them; None where one is not there
    """
    table: dict[str, Any] = {"command": list(command), **{k: v for k, v in {**aims, **given}.items() if v is not None}}
    tables: dict[str, Any] = {}
    for text in params:
        name, words = described(text)
        if name in tables:
            raise ValueError(f"--param {text}: there is a parameter {name!r} already")
        tables[name] = words
    for text in whens:
        name, when = condition(text)
        if not isinstance(tables.get(name), dict):
            raise ValueError(f"--when {text}: there is no such parameter; {near(name, tables)}")
        numeric = any(isinstance(tables.get(other), dict) and "low" in tables[other] for other in when)
        tables[name].setdefault("when", {}).update(condition(text, numeric)[1])
    folder = Path.cwd()
    # What is the same study has the same name. Parameters and limits that changed are refused, with the difference.
    limited = {"constraints": sorted(aims["constraints"])} if aims.get("constraints") else {}
    named = [table["command"], {**aims, **limited}]
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:8]
    return _tuning({**table, "params": tables}, folder, folder / f"tune-{digest}.db")


def _tuning(table: Mapping[str, Any], folder: Path, store: Path) -> Tuning:
    aims = Aims.of(table)
    space = _space(table.get("params"))
    conditional = [name for name, p in space.params.items() if getattr(p, "when", None)]
    template = Template.of(_command(table.get("command")), space.names, conditional)
    start = table.get("start", [])
    if not isinstance(start, list) or not all(isinstance(point, dict) for point in start):
        raise TypeError(f"start: wanted a list of points such as [{{ lr = 0.1 }}]: got {short(start)}")
    for point in start:
        with _about("start"):
            space.to_unit(point)
    seed, target = table.get("seed"), table.get("target")
    if target is not None and aims.several:
        raise ValueError(f"target: it is for one objective, and there are {', '.join(aims.objectives)}; leave it out")
    if table.get("early_stop") is not None and aims.several:
        raise ValueError(
            f"early_stop: it is for one objective, and there are {', '.join(aims.objectives)}; leave it out"
        )
    return Tuning(
        template,
        space,
        aims,
        folder,
        _path(table.get("store"), store),
        tuple(start),
        trials=as_count(table.get("trials", 50), "trials", 1),
        jobs=as_count(table.get("jobs", 1), "jobs", 1),
        timeout=_seconds(table, "timeout"),
        trial_timeout=_seconds(table, "trial_timeout"),
        seed=None if seed is None else as_count(seed, "seed", 0),
        target=None if target is None else as_float(target, "target"),
        keep_going=as_bool(table.get("keep_going", False), "keep_going"),
        early_stop=as_early_stop(table.get("early_stop")),
        step=_step(table),
    )


def _step(table: Mapping[str, Any]) -> Metric | None:
    """What counts the steps, "step" by default; None where nobody wants to know."""
    name = table.get("step")
    if name is None:
        return None if table.get("early_stop") is None else Metric(STEP)
    if not isinstance(name, str):
        raise TypeError(f"step: wanted the name of what counts the steps, such as epoch: got {short(name)}")
    return Metric(name)


def _space(tables: Any) -> Space:
    if not isinstance(tables, Mapping) or not tables:
        raise ValueError("there are no parameters; wanted [params] with a line each, or --param NAME=float:LOW:HIGH")
    check_names(list(tables))
    found = {}
    for name, table in tables.items():
        with _about(f"parameter {name!r}"):
            found[name] = parameter(table)
    space = Space(found)
    if all(p.constant for p in space.parameters):
        raise ValueError("every parameter is a constant, so there is nothing to tune")
    return space


def _command(given: Any) -> list[str | list[str]]:
    if isinstance(given, str):
        raise TypeError(f"command: wanted a list, since no shell takes it apart: write {json.dumps(given.split())}")
    words = (
        [word for item in given for word in (item if isinstance(item, list) else [item])]
        if isinstance(given, list)
        else []
    )
    if not words or not all(isinstance(word, str) for word in words):
        raise TypeError(f'command: wanted a list such as ["python", "train.py", "--lr={{lr}}"]: got {short(given)}')
    return [item for item in given if item]


def _path(given: Any, default: Path) -> Path:
    if given is None:
        return default
    if not isinstance(given, str) or not given or "\0" in given:
        raise TypeError(f"store: wanted the name of a file: got {short(given)}")
    return Path(given).absolute()


def _seconds(table: Mapping[str, Any], key: str) -> float | None:
    if table.get(key) is None:
        return None
    seconds = as_float(table[key], key)
    if seconds <= 0:
        raise ValueError(f"{key}: wanted seconds > 0: got {short(table[key])}")
    return seconds


@contextmanager
def _about(what: object) -> Iterator[None]:
    """Put in front of a message what it is about."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{what}: {error}") from None
