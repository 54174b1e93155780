"""Parameters as they are written in a TOML file, and on a command line.

lr = { type = "float", low = 1e-5, high = 1.0, log = true }          lr=float:1e-5:1:log
depth = { type = "int", low = 1, high = 10, step = 3 }               depth=int:1:10:step=3
opt = { type = "choice", options = ["adam", "sgd"] }                 opt=choice:adam,sgd
epochs = 10                                                          epochs=const:10
"""

import json
from collections.abc import Mapping
from typing import Any

from suffice.checks import short
from suffice.space import Choice, Float, Int, Ordinal
from suffice.tune.command import as_text, near

KINDS: dict[str, Any] = {"float": Float, "int": Int, "choice": Choice, "ordinal": Ordinal}
LISTS = ("choice", "ordinal")  # kinds that have options
KEYS = {"float": ("low", "high", "log", "step", "when"), "choice": ("options", "when")}
KEYS |= {"int": KEYS["float"], "ordinal": KEYS["choice"]}
WRITTEN = 'wanted a table such as { type = "float", low = 0.0, high = 1.0 }, or a constant'
INLINE = (
    "wanted NAME=float:LOW:HIGH, NAME=int:LOW:HIGH (then :log or :step=S), NAME=choice:A,B,C, NAME=ordinal:A,B,C or "
    "NAME=const:VALUE"
)


def parameter(given: Any) -> Any:
    """The parameter that a value in a TOML file describes: a table, or a constant."""
    if not isinstance(given, Mapping):
        return _constant(given)
    words = dict(given)
    kind = words.pop("type", None)
    if kind is None:
        raise ValueError(f"the type is missing: {WRITTEN}")
    if kind not in KINDS:
        raise ValueError(f"type = {short(kind)} is not known: {near(str(kind), KINDS)}")
    for word in words:
        if word not in KEYS[kind]:
            raise ValueError(f"the key {word!r} is not known for a {kind}: {near(word, KEYS[kind])}")
    if kind in LISTS:
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
        raise ValueError(f"--param {text}: {INLINE}")
    if kind == "const":
        return name, rest
    if kind in LISTS:
        return name, {"type": kind, "options": _listed(rest)}
    if kind not in KINDS:
        raise ValueError(f"--param {text}: {kind!r} is no type: {near(kind, [*KINDS, 'const'])}")
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


def _constant(value: Any) -> Any:
    if isinstance(value, str) and value.partition(":")[0] in (*KINDS, "const") and ":" in value:
        raise ValueError(f"{value!r} is the way to write it on a command line: {WRITTEN}")
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
    elif value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{what} must be finite: got {value!r}")


def _listed(text: str) -> list[Any]:
    """Options on a command line: separated by commas, or a JSON list, which has types and may hold commas."""
    if not text.startswith("["):
        return text.split(",")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no JSON list: {error}") from None
    return found if isinstance(found, list) else [text]


def _number(text: str, whole: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{whole}: {text!r} is no number; {INLINE}") from None
