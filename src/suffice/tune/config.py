"""What to tune: the command, its parameters, objectives and constraints, from a TOML file or from a command line.

    lr = { type = "float", low = 1e-5, high = 1.0, log = true }          lr=float:1e-5:1:log
    depth = { type = "int", low = 1, high = 10, step = 3 }               depth=int:1:10:step=3
    opt = { type = "choice", options = ["adam", "sgd"] }                 opt=choice:adam,sgd
    epochs = 10                                                          epochs=const:10

A command line is first turned into what a TOML file would have.
"""

import hashlib
import inspect
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from suffice.checks import as_bool, as_count, as_float, short
from suffice.pruning import Halving, Median, Pruner, Race
from suffice.record.options import Direction
from suffice.space import Choice, Float, Int, Ordinal, Space
from suffice.store.postgres import Address, is_address
from suffice.tune.command import Template, as_text, check_names, near
from suffice.tune.metric import Aims, Metric

# The words of a configuration for parameters.
KINDS: dict[str, Any] = {"float": Float, "int": Int, "choice": Choice, "ordinal": Ordinal}
RULES: dict[str, Any] = {"median": Median, "halving": Halving, "race": Race}  # of early stopping
KEYS = ("command", *get_args(Direction), "objectives", "constraints", "step", "params", "start")  # what a study is …
LIMITS = (
    "trials",
    "jobs",
    "timeout",
    "trial_timeout",
    "target",
    "keep_going",
    "seed",
    "storage",
    "pruner",
)  # … and how long it runs


@dataclass(frozen=True)
class Tuning:
    """A study of a command line."""

    template: Template
    space: Space
    aims: Aims
    folder: Path  # where the command runs
    storage: Path | str  # a file, or the address of a study on a server
    start: tuple[dict[str, Any], ...] = ()  # points to evaluate first
    trials: int = 50
    jobs: int = 1
    timeout: float | None = None  # seconds for the whole run …
    trial_timeout: float | None = None  # … and for one trial
    seed: int | None = None
    target: float | None = None
    keep_going: bool = False  # even if the first trials all fail
    pruner: Pruner | None = None  # the rule that prunes running commands
    step: Metric | None = None  # what counts the steps in the output; None: it is not looked at on the way

    @property
    def outputs(self) -> Path:
        """The folder that holds the output of every trial here: next to the study, named after it."""
        if not isinstance(self.storage, Path):
            return self.folder / f"{re.sub(r'[^A-Za-z0-9._-]', '_', Address.of(self.storage).study)}.trials"
        return self.storage.with_name(self.storage.name + ".trials")

    @property
    def place(self) -> str:
        """Where the study is, to be shown: of an address without a password."""
        return str(self.storage) if isinstance(self.storage, Path) else Address.of(self.storage).shown

    @property
    def description(self) -> Path:
        """The file that describes the command, which the study does not store."""
        return self.outputs / "study.json"


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
        if isinstance(limits.get("storage"), str) and not is_address(limits["storage"]):
            limits["storage"] = str(folder / limits["storage"])
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
    tables = tables_of(params, whens)
    folder = Path.cwd()
    # What is the same study has the same name. Parameters and limits that changed are refused, with the difference.
    limited = {"constraints": sorted(aims["constraints"])} if aims.get("constraints") else {}
    named = [table["command"], {**aims, **limited}]
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:8]
    return _tuning({**table, "params": tables}, folder, folder / f"tune-{digest}.db")


def tables_of(params: Sequence[str], whens: Sequence[str]) -> dict[str, Any]:
    """The parameters of `--param` and `--when`, as a TOML file would have them."""
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
    return tables


def _tuning(table: Mapping[str, Any], folder: Path, storage: Path) -> Tuning:
    aims = Aims.of(table)
    space = _space(table.get("params"))
    conditional = [name for name, p in space.params.items() if p.when]
    template = Template.of(_command(table.get("command")), space.names, conditional)
    start = table.get("start", [])
    if not isinstance(start, list) or not all(isinstance(point, dict) for point in start):
        raise TypeError(f"start: wanted a list of points such as [{{ lr = 0.1 }}]: got {short(start)}")
    for point in start:
        with _about("start"):
            space.to_unit(point)
    seed, target = table.get("seed"), table.get("target")
    for word in ("target", "pruner"):
        if table.get(word) is not None and aims.several:
            raise ValueError(
                f"{word}: it needs one objective, but there are {', '.join(aims.objectives)}; leave it out"
            )
    return Tuning(
        template,
        space,
        aims,
        folder,
        _path(table.get("storage"), storage),
        tuple(start),
        trials=as_count(table.get("trials", 50), "trials", 1),
        jobs=as_count(table.get("jobs", 1), "jobs", 1),
        timeout=_seconds(table, "timeout"),
        trial_timeout=_seconds(table, "trial_timeout"),
        seed=None if seed is None else as_count(seed, "seed", 0),
        target=None if target is None else as_float(target, "target"),
        keep_going=as_bool(table.get("keep_going", False), "keep_going"),
        pruner=as_pruner(table.get("pruner")),
        step=_step(table),
    )


def _step(table: Mapping[str, Any]) -> Metric | None:
    """What counts the steps, "step" by default; None where nobody wants to know."""
    name = table.get("step")
    if name is None:
        return None if table.get("pruner") is None else Metric("step")
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
        raise TypeError(f"command: wanted a list, because no shell splits it: write {json.dumps(given.split())}")
    items = given if isinstance(given, list) else []
    words = [word for item in items for word in (item if isinstance(item, list) else [item])]
    if not words or not all(isinstance(word, str) for word in words):
        raise TypeError(f'command: wanted a list such as ["python", "train.py", "--lr={{lr}}"]: got {short(given)}')
    return [item for item in given if item]


def _path(given: Any, default: Path) -> Path | str:
    if given is None:
        return default
    if is_address(given):
        return str(given)
    if not isinstance(given, str) or not given or "\0" in given:
        raise TypeError(f"storage: wanted the name of a file: got {short(given)}")
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


# ---------------------------------------------------------------------- parameters


def parameter(given: Any) -> Any:
    """The parameter that a value in a TOML file describes: a table, or a constant."""
    if not isinstance(given, Mapping):
        return _constant(given)
    words = dict(given)
    kind = words.pop("type", None)
    if kind is None:
        raise ValueError(f"the type is missing: {_written()}")
    if kind not in KINDS:
        raise ValueError(f"type = {short(kind)} is not known: {near(str(kind), KINDS)}")
    known = tuple(inspect.signature(KINDS[kind]).parameters)
    for word in words:
        if word not in known:
            raise ValueError(f"the key {word!r} is not known for a {kind}: {near(word, known)}")
    if "options" in known:
        return KINDS[kind](*_options(words.pop("options", None)), **_conditions(words))
    for word in ("low", "high"):
        if word not in words:
            raise ValueError(f"{word!r} is missing: a {kind} needs low and high")
    return KINDS[kind](**_conditions(words))


def described(text: str) -> tuple[str, Any]:
    """The name and the description, as a TOML file would have it, of a parameter written on a command line."""
    name, equals, rest = text.partition("=")
    kind, _, rest = rest.partition(":")
    if not (name and equals and kind and rest):
        raise _unreadable(f"--param {text}:")
    if kind == "const":
        return name, rest
    if kind not in KINDS:
        raise ValueError(f"--param {text}: there is no type {kind!r}: {near(kind, [*KINDS, 'const'])}")
    if issubclass(KINDS[kind], Choice | Ordinal):
        return name, {"type": kind, "options": _listed(rest)}
    low, high, *more = (*rest.split(":"), "")[:2] + tuple(rest.split(":")[2:])
    words: dict[str, Any] = {"type": kind, "low": _number(low, text), "high": _number(high, text)}
    for word in more:
        key, equals, value = word.partition("=")
        if key == "log" and not equals:
            words["log"] = True
        elif key == "step" and equals:
            words["step"] = _number(value, text)
        else:
            raise ValueError(f"--param {text}: {word!r} is not known; wanted log or step=S")
    return name, words


def condition(text: str, numeric: bool = False) -> tuple[str, dict[str, Any]]:
    """The name and the condition of `--when NAME:OTHER=VALUE,VALUE`; numeric: the other one is a number."""
    name, colon, rest = text.partition(":")
    other, equals, values = rest.partition("=")
    if not (name and colon and other and equals and values):
        raise ValueError(f"--when {text}: wanted NAME:OTHER=VALUE or NAME:OTHER=VALUE,VALUE")
    listed = _listed(values)
    return name, {other: [_number(v, text) if isinstance(v, str) else v for v in listed] if numeric else listed}


def _conditions(words: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a parameter; values that another one must have are one, or a tuple."""
    when = words.get("when")
    if when is None:
        return words
    if not isinstance(when, Mapping):
        raise TypeError(f'when: wanted a table such as {{ opt = "sgd" }}: got {short(when)}')
    return {**words, "when": {name: tuple(v) if isinstance(v, list) else v for name, v in when.items()}}


def _written() -> str:
    return 'wanted a table such as { type = "float", low = 0.0, high = 1.0 }, or a constant'


def _constant(value: Any) -> Any:
    if isinstance(value, str) and value.partition(":")[0] in (*KINDS, "const") and ":" in value:
        raise ValueError(f"{value!r} is the way to write it on a command line: {_written()}")
    _check_option(value, "a constant")
    return Choice(value)


def _options(given: Any) -> list[Any]:
    if not isinstance(given, list) or not given:
        raise TypeError(f'options: wanted a list such as ["a", "b"]: got {short(given)}')
    seen: dict[str, Any] = {}
    for option in given:
        _check_option(option, "an option")
        if as_text(option) in seen:
            raise ValueError(f"options {seen[as_text(option)]!r} and {option!r} are the same argument of a command")
        seen[as_text(option)] = option
    return given


def _check_option(value: Any, what: str) -> None:
    if not isinstance(value, str | int | float):
        raise TypeError(f"{what} must be a string, a number, true or false: got {short(value)}")
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{what} cannot hold a NUL character, since no argument can: got {short(value)}")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{what} must be valid text: got {short(value)}") from None
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what} must be finite: got {value!r}")


def _listed(text: str) -> list[Any]:
    """Options on a command line: separated by commas, or a JSON list, which has types and may hold commas."""
    if not text.startswith("["):
        return [option.strip() for option in text.split(",")]
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no JSON list: {error}") from None
    return found if isinstance(found, list) else [text]


def _number(text: str, whole: str) -> int | float:
    with suppress(ValueError):
        return int(text)
    try:
        return float(text)
    except ValueError:
        raise _unreadable(f"{whole}: {text!r} is no number;") from None


def _unreadable(what: str) -> ValueError:
    """The error of a parameter that is not written as one on a command line is."""
    return ValueError(
        f"{what} wanted NAME=float:LOW:HIGH, NAME=int:LOW:HIGH (then :log or :step=S), NAME=choice:A,B,C, "
        "NAME=ordinal:A,B,C or NAME=const:VALUE"
    )


def as_pruner(given: Any) -> Pruner | None:
    """A rule by its name, "median", or with settings of its own: {rule = "median", risk = 0.05}."""
    if given is None:
        return None
    words = {"rule": given} if isinstance(given, str) else given
    if not isinstance(words, Mapping) or not isinstance(words.get("rule"), str):
        raise TypeError(f'pruner: wanted "median", "halving" or "race", or {{ rule = "median" }}: got {short(given)}')
    name, own = words["rule"], {word: value for word, value in words.items() if word != "rule"}
    if name not in RULES:
        raise ValueError(f"pruner: there is no rule {short(name)}; {near(name, RULES)}")
    try:
        rule: Pruner = RULES[name](**own)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        known = [field.name for field in fields(RULES[name]) if field.name != "level"]
        raise TypeError(f"pruner: {name} has the settings {', '.join(known)}: got {', '.join(own)}") from None
    return rule
