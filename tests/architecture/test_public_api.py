"""No public name, argument, default or option changes unnoticed: all of them are in public_api.txt.

What is written there comes from the text of the source, so that it is the same with every Python and on every machine.
"""

import argparse
import ast
import dataclasses
import difflib
import inspect
import os
import textwrap
from functools import cache, cached_property
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString

import suffice.record.options
import suffice.run.options
from suffice.cli import make_parser
from suffice.record.options import options_of

SNAPSHOT = Path(__file__).parent / "public_api.txt"
HOW = """The public API is not what {name} says:

{diff}

If this is meant, write it into CHANGELOG.md, with what to write instead where a name is gone.
Then write the new list, and commit it with the change:

    SUFFICE_UPDATE_API=1 .venv/bin/pytest -n0 tests/architecture/test_public_api.py
"""


def test_the_public_api_is_what_the_snapshot_says(reference, seams, resolved):
    now = "\n".join([*names(reference | seams, resolved), *commands(make_parser())]) + "\n"
    if os.environ.get("SUFFICE_UPDATE_API") == "1":
        SNAPSHOT.write_text(now, encoding="utf-8")
    known = SNAPSHOT.read_text(encoding="utf-8")
    if now != known:
        diff = difflib.unified_diff(known.splitlines(), now.splitlines(), "before", "now", n=2, lineterm="")
        pytest.fail(HOW.format(name=SNAPSHOT.name, diff="\n".join(diff)), pytrace=False)


def test_the_snapshot_has_the_arguments_and_defaults_that_python_knows(reference, resolved):
    """What is read from the text is what is called."""
    for name in reference:
        thing = resolved(name)
        if not is_made_by_users(thing):
            continue
        shown = [line.strip() for line in taken(thing)]
        found = [line.split(":")[0].split(" = ")[0].lstrip("*") for line in shown if line not in ("*", "/")]
        python = [p.name for p in inspect.signature(thing).parameters.values()]
        assert [word for word in found if not word.startswith("->")] == python, name
        assert sum(" = " in line for line in shown) == sum(
            p.default is not inspect.Parameter.empty for p in inspect.signature(thing).parameters.values()
        ), name


# ---------------------------------------------------------------------- names


def names(reference, resolved):
    """The lines about everything that the reference describes."""
    for name, members in sorted(reference.items()):
        thing = resolved(name)
        yield f"{kind(thing)} {name}"
        yield from (f"    {line}" for line in taken(thing))
        yield from (f"    {line}" for line in attributes(thing))
        for member in sorted(members):
            yield from member_lines(thing, member)


def kind(thing):
    if not inspect.isclass(thing):
        return "function" if inspect.isroutine(thing) else type(thing).__name__
    if issubclass(thing, Exception):
        return f"exception ({', '.join(base.__name__ for base in thing.__bases__)})"
    return "class"


def is_made_by_users(thing):
    """Whether it is a function, or a class with arguments of its own."""
    return inspect.isfunction(thing) or (inspect.isclass(thing) and (is_written(thing) or is_data(thing)))


def taken(thing):
    """The arguments of a function or of a class, one on each line, and what is returned."""
    if inspect.isfunction(thing):
        return arguments(thing)
    if not inspect.isclass(thing):
        return [*arguments(type(thing).__call__, skip=1), *(f".{line}" for line in fields(type(thing)))]
    if is_data(thing):
        return fields(thing)
    return [line for line in arguments(thing.__init__, skip=1) if line != "-> None"] if is_written(thing) else []


def is_data(thing):
    return dataclasses.is_dataclass(thing) and thing.__dataclass_params__.init


def is_written(thing):
    return inspect.isfunction(inspect.unwrap(thing.__init__)) and thing.__init__.__module__.startswith("suffice")


def attributes(thing):
    """What the docstring of a class that is no dataclass promises to be there."""
    if not inspect.isclass(thing) or is_data(thing):
        return []
    found = NumpyDocString(inspect.getdoc(thing))["Attributes"]
    return [f".{word}: {entry.type}" for entry in found for word in entry.name.split(", ")]


def member_lines(owner, name):
    member = inspect.getattr_static(owner, name)
    if isinstance(member, property | cached_property):
        function = member.fget if isinstance(member, property) else member.func
        yield f"    .{name} {arguments(function)[-1]}"
    else:
        yield f"    .{name}()"
        function = member.__func__ if isinstance(member, classmethod) else member
        yield from (f"        {line}" for line in arguments(function, skip=1))


# ---------------------------------------------------------------------- from the text of the source


def arguments(function, skip=0):
    """The arguments of a function as they are written, without the first `skip`, and what it returns."""
    inner = inspect.unwrap(function)
    node = ast.parse(textwrap.dedent(inspect.getsource(inner))).body[0]
    own = node.args
    plain = [*own.posonlyargs, *own.args]
    defaults = [None] * (len(plain) - len(own.defaults)) + list(own.defaults)
    known = inspect.signature(inner).parameters
    lines = [argument(*pair, known) for pair in zip(plain, defaults, strict=True)]
    if own.posonlyargs:
        lines.insert(len(own.posonlyargs), "/")
    lines = lines[skip:]
    shared = own.kwarg is not None and options_named(own.kwarg.annotation)
    if own.vararg is not None:
        lines.append("*" + argument(own.vararg))
    elif own.kwonlyargs or shared:
        lines.append("*")
    lines += [argument(*pair, known) for pair in zip(own.kwonlyargs, own.kw_defaults, strict=True)]
    if shared:
        lines += shared_arguments(inner.__globals__[shared])
    elif own.kwarg is not None:
        lines.append("**" + argument(own.kwarg))
    return [*lines, *([] if node.returns is None else [f"-> {ast.unparse(node.returns)}"])]


def argument(node, default="", known=None):
    """As it is written; a default that is a plain value by that value, since it may be written as a name."""
    said = node.arg if node.annotation is None else f"{node.arg}: {ast.unparse(node.annotation)}"
    parameter = None if known is None else known.get(node.arg)
    if parameter is None or parameter.default is parameter.empty:
        return said
    return f"{said} = {shown_default(parameter.default, ast.unparse(default))}"


def shown_default(value, written):
    plain = value is None or isinstance(value, bool | int | float | str) or value == ()
    return repr(value) if plain else written


def options_named(annotation):
    """The name of a TypedDict in `**options: Unpack[...]`."""
    unpacked = isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Unpack"
    return ast.unparse(annotation.slice) if unpacked else None


def shared_arguments(options):
    """Those of a TypedDict, whose fields are written `name: Annotated[kind, Option(default, ...)]`."""
    written = {}
    for module in (suffice.record.options, suffice.run.options):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("Annotated["):
                type_, option = node.annotation.slice.elts
                written[node.target.id] = f"{ast.unparse(type_)} = {ast.unparse(option.args[0])}"
    return [f"{name}: {written[name]}" for name in options_of(options)]


def fields(thing):
    """The fields of a dataclass that its constructor takes, as they are written."""
    lines, keywords = [], False
    for field in dataclasses.fields(thing):
        if field.init:
            if field.kw_only and not keywords:
                lines, keywords = [*lines, "*"], True
            lines.append(f"{field.name}: {written_field(thing, field)}")
    return lines


def written_field(thing, field):
    for owner in thing.__mro__:
        for node in class_body(owner):
            if isinstance(node, ast.AnnAssign) and node.target.id == field.name:
                said = ast.unparse(node.annotation)
                if field.default_factory is not dataclasses.MISSING:
                    made = field.default_factory.__name__
                    return f"{said} = {'…' if made == '<lambda>' else f'{made}()'}"
                if field.default is dataclasses.MISSING:
                    return said
                return f"{said} = {shown_default(field.default, ast.unparse(node.value))}"
    raise AssertionError(f"{thing} has no field {field.name}")


@cache
def class_body(owner):
    if not owner.__module__.startswith("suffice"):
        return []
    return ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0].body


# ---------------------------------------------------------------------- commands


def commands(parser):
    """The lines about every command and its options."""
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in sorted(group.choices.items()):
        yield f"command suffice {name}"
        yield from (f"    {option(action)}" for action in command._actions if action.dest != "help")


def option(action):
    said = ", ".join(action.option_strings) or action.dest
    facts = {
        "nargs": action.nargs,
        "choices": None if action.choices is None else list(action.choices),
        "default": action.default,
        "required": (action.required and bool(action.option_strings)) or None,
    }
    return " ".join([said, *(f"{word}={fact!r}" for word, fact in facts.items() if fact is not None)])
