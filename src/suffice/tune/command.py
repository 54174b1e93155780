"""A command line with places for parameters: a list of arguments, from which no shell ever makes anything else.

    Template.of(["python", "train.py", "--lr={lr}"], names=["lr"]).filled({"lr": 0.1})
    → ["python", "train.py", "--lr=0.1"]

`{name}` is the value of a parameter, `{{` and `}}` are braces. `{SUFFICE_DIR}` and `{SUFFICE_TRIAL}` are the folder and
the number of the trial. An argument is left out as a whole where a parameter in it has no value, because it is not
active; a list of arguments inside the list is left out together, as in ["--momentum", "{momentum}"].
"""

import difflib
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from suffice.checks import short

Scalar: TypeAlias = str | int | float | bool  # what can be written into an argument
Part: TypeAlias = tuple[str, str | None]  # text, and the name whose value follows it; None at the end

FOLDER, NUMBER = "SUFFICE_DIR", "SUFFICE_TRIAL"  # environment variables, and names in a command
PREFIX = "SUFFICE_PARAM_"  # of the environment variables that hold the values


@dataclass(frozen=True)
class Argument:
    """One argument, cut at its places."""

    text: str  # as it was written
    parts: tuple[Part, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.parts if name is not None)

    def filled(self, values: Mapping[str, Scalar]) -> str:
        """The argument with values in its places."""
        return "".join(text + ("" if name is None else as_text(values[name])) for text, name in self.parts)


@dataclass(frozen=True)
class Template:
    """A command line: groups of arguments, each of which is there as a whole or not at all."""

    groups: tuple[tuple[Argument, ...], ...]

    @classmethod
    def of(
        cls, command: Sequence[str | Sequence[str]], names: Collection[str], optional: Collection[str] = ()
    ) -> "Template":
        """The command line as written; `names` are the parameters, `optional` those that are not always active."""
        groups = tuple(
            tuple(_argument(text, names) for text in ([given] if isinstance(given, str) else given))
            for given in command
        )
        if not groups or not groups[0] or groups[0][0].names:
            raise ValueError(
                "the command must begin with the name of a program, the same in every trial: "
                f"got {short(list(command))}"
            )
        template = cls(groups)
        template._check_flags(optional)
        return template

    @property
    def arguments(self) -> Iterator[Argument]:
        for group in self.groups:
            yield from group

    @property
    def program(self) -> str:
        """What is run: the first argument."""
        return self.groups[0][0].filled({})

    @property
    def written(self) -> list[str | list[str]]:
        """The command line as it was written, in plain lists."""
        return [group[0].text if len(group) == 1 else [argument.text for argument in group] for group in self.groups]

    def __str__(self) -> str:
        return shlex.join(argument.text for argument in self.arguments)

    def filled(self, values: Mapping[str, Scalar]) -> list[str]:
        """The list of arguments for these values; a group with a place for which there is none is left out."""
        return [
            argument.filled(values)
            for group in self.groups
            if all(name in values for argument in group for name in argument.names)
            for argument in group
        ]

    def _check_flags(self, optional: Collection[str]) -> None:
        """Refuse `--flag {name}` where `{name}` may be left out: the flag would take what follows for its value."""
        for before, group in zip(self.groups, self.groups[1:], strict=False):
            (flag, argument) = (before[-1], group[0])
            left_out = set(argument.names) & set(optional) - {name for part in before for name in part.names}
            if left_out and argument.parts[0][0] == "" and flag.text.startswith("-") and not flag.names:
                raise ValueError(
                    f"{argument.text!r} is left out where {sorted(left_out)[0]!r} is not active, which leaves "
                    f"{flag.text!r} without a value; write {flag.text + '=' + argument.text!r}, or in a TOML file "
                    f"the list [{flag.text!r}, {argument.text!r}], which is left out as a whole"
                )


def as_text(value: Scalar) -> str:
    """A value as it stands in an argument: true and false as in TOML, a float with all its digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def environment(values: Mapping[str, Scalar]) -> dict[str, str]:
    """The environment variables that hold the values."""
    return {variable(name): as_text(value) for name, value in values.items()}


def variable(name: str) -> str:
    """The environment variable that holds the value of a parameter: SUFFICE_PARAM_LR for "lr"."""
    return PREFIX + re.sub(r"[.-]", "_", name).upper()


def check_names(names: Sequence[str]) -> None:
    """Refuse names that no placeholder and no environment variable can have."""
    variables: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,99}", name) or name.upper().startswith("SUFFICE_"):
            raise ValueError(
                f"parameter {short(name)}: a name has letters, digits, '_', '-' and '.', begins with a letter and not "
                "with SUFFICE_, and has at most 100 of them"
            )
        other = variables.setdefault(variable(name), name)
        if other != name:
            raise ValueError(
                f"parameters {other!r} and {name!r} would both be the environment variable {variable(name)}; rename one"
            )


def near(word: str, known: Collection[str]) -> str:
    """What was probably meant, as the end of a sentence; else everything that there is."""
    match = difflib.get_close_matches(word, known, 1)
    return f"did you mean {match[0]!r}?" if match else f"there is {', '.join(map(repr, known))}"


def _argument(text: str, names: Collection[str]) -> Argument:
    if "\0" in text:
        raise ValueError(f"an argument cannot hold a NUL character: got {short(text)}")
    parts: list[Part] = []
    plain, end = "", 0
    for token in re.finditer(r"\{\{|\}\}|\{([^{}]*)\}|[{}]", text):
        plain += text[end : token.start()]
        end = token.end()
        if token[0] in ("{{", "}}"):
            plain += token[0][0]
        elif token[1] is None:
            raise ValueError(f"the argument {text!r} has a lone {token[0]!r}; a brace is written {2 * token[0]!r}")
        else:
            known = [*names, FOLDER, NUMBER]
            if token[1] not in known:
                raise ValueError(f"the argument {text!r} has a place for {token[1]!r}: {near(token[1], known)}")
            parts.append((plain, token[1]))
            plain = ""
    return Argument(text, (*parts, (plain + text[end:], None)))
