"""Going on with a study: what was given must be what it was made with, or the difference is said."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from suffice.belief import VALUE
from suffice.errors import DifferentStudy
from suffice.space import AbsentSpace, SearchSpace
from suffice.study.border import from_plain, to_plain
from suffice.study.given import as_given
from suffice.study.settings import Opaque, Settings
from suffice.study.spaces import space_to_spec
from suffice.study.spec import to_spec

FIELDS = {"sense": "objectives", "aim": "acquisition"}  # where a word of the user's is kept, if not under its own name
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of a function: another one each time


def continued(stored: Settings, given: Settings, words: Collection[str], path: object) -> Settings:
    """The stored settings, with those parts that the file could only describe as they were given.

    words    what the caller gave; the rest of `given` are defaults, which do not matter. DifferentStudy if something
             is another one now.
    """
    names = dict.fromkeys(FIELDS.get(word, word) for word in words if word not in ("space", "store"))
    if "acquisition" in words and "aim" in words:
        names.pop("aim", None)  # where an acquisition is given, the aim has no effect
    found = list(_of_spaces(stored.space, given.space)) if "space" in words else []
    for name in names:
        old, new = getattr(stored, name), getattr(given, name)
        if not same(old, new):
            found.append(_difference(name, old, new))
    if found:
        raise DifferentStudy(
            f"{path} was made with other settings (there -> given now):\n  " + "\n  ".join(found) + "\nGive the same "
            "ones, or leave out those that are not the space; for a new study name another file: the old values are "
            f"told to it as optimizer.tell(trial.point, {_values(stored)}), for the trials of sf.load(path)"
        )
    opaque = {name: getattr(given, name) for name in names if isinstance(getattr(stored, name), Opaque)}
    if "space" in words and isinstance(stored.space, AbsentSpace):
        x0 = (from_plain(to_plain(point, stored.space), given.space) for point in stored.x0)
        opaque |= {"space": given.space, "x0": tuple(as_given(point, given.space) for point in x0)}
    elif "space" in words and getattr(stored.space, "where", None):  # of a constraint a file has the text only
        opaque["space"] = given.space
    return replace(stored, **opaque)


def same(old: Any, new: Any) -> bool:
    """Whether two settings are the same, as far as a file can tell."""
    if isinstance(old, Opaque):
        return ADDRESS.sub("", old.text) == ADDRESS.sub("", repr(new))
    try:
        return bool(to_spec(old) == to_spec(new))  # nan is an option like any other there
    except TypeError:
        return bool(old == new)


def _of_spaces(old: SearchSpace, new: SearchSpace) -> Iterator[str]:
    """Parameter by parameter, where the spaces differ."""
    if space_to_spec(old) == space_to_spec(new):
        return
    count = 0
    for name in dict.fromkeys((*old.params, *new.params)):
        before, now = old.params.get(name), new.params.get(name)
        if before is None or now is None or not same(before, now):
            count += 1
            yield f"space, {name}: {_there(before)} -> {_there(now)}"
    if not count and tuple(old.params) != tuple(new.params):
        count += 1
        yield f"space, order: {', '.join(old.params)} -> {', '.join(new.params)}"
    if not count:
        yield f"space: {old!r} -> {new!r}"


def _there(parameter: Any) -> str:
    return "(none)" if parameter is None else repr(parameter)


def _values(settings: Settings) -> str:
    return "trial.value" if len(settings.outputs) == 1 else "trial.values"


def _difference(name: str, old: Any, new: Any) -> str:
    """One setting that is another one now; of a study with one unnamed objective that is its sense."""
    if name == "objectives" and list(old) == list(new) == [VALUE]:
        return f"sense: {old[VALUE]!r} -> {new[VALUE]!r}"
    return f"{name}: {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_of(part)}" for name, part in value.items()) or "(none)"
    return value.text if isinstance(value, Opaque) else repr(value)


def _of(part: Any) -> str:
    """A limit, a sense or a number, in words."""
    return f"{part:g}" if isinstance(part, float) else str(part)
