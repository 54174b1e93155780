"""Keyword arguments that several functions share: each is described once, and every one of them shows it.

`takes` gives them to a function or a class: type checkers see them by `Unpack`, people by `help` and in the reference,
and editors by `inspect.signature`.
"""

import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from suffice.study.words import instead

Taker = TypeVar("Taker", bound=Callable[..., Any])
Options = TypeVar("Options")

WIDTH = 100  # of a completed docstring: `help` indents it, and a terminal has 80 to 120 columns


@dataclass(frozen=True)
class Option:
    """What stands beside the type of a keyword argument; `kind` is that type in words, where it says too little."""

    default: Any
    meaning: str
    kind: str = ""


def takes(options: type, complete: bool = True) -> Callable[[Taker], Taker]:
    """Give a function, or a class, the keyword arguments of a TypedDict; which declares `**options: Unpack[...]`.

    Its signature shows every name with its type and default, the Parameters of its docstring go on with their
    meanings, what a caller leaves out arrives as its default, and an unknown name is refused with the nearest known
    one.

    complete    False: what a caller leaves out does not arrive, for a taker that has to know what was given
    """
    table = options_of(options)

    def decorate(taker: Taker) -> Taker:
        taker.__doc__ = with_parameters(inspect.cleandoc(taker.__doc__ or ""), _meanings(table))
        if not isinstance(taker, type):
            return cast(Taker, _completed(taker, taker.__name__, table, complete))
        made: Any = taker  # checkers frown on a class whose __init__ is exchanged
        made.__init__ = _completed(made.__init__, made.__name__, table, complete)
        return taker

    return decorate


def options_of(options: type) -> dict[str, tuple[Any, Option]]:
    """The type and the Option of every keyword argument of a TypedDict, by its name."""
    hints = get_type_hints(options, include_extras=True)
    return {name: cast(tuple[Any, Option], get_args(hint)[:2]) for name, hint in hints.items()}


def part(options: Mapping[str, Any], of: type[Options]) -> Options:
    """Those of the keyword arguments that the smaller TypedDict `of` has."""
    return cast(Options, {name: options[name] for name in of.__annotations__ if name in options})


def _completed(
    function: Callable[..., Any], name: str, table: dict[str, tuple[Any, Option]], complete: bool
) -> Callable[..., Any]:
    """The function, called with every keyword argument of the table."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    shown = [inspect.Parameter(n, keyword_only, default=o.default, annotation=a) for n, (a, o) in table.items()]
    known = [*(parameter.name for parameter in own), *table]
    defaults = {name: option.default for name, (_, option) in table.items()} if complete else {}

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        for word in words:
            if word not in known:
                raise TypeError(f"{name}() has no keyword argument {word!r}: {instead(word, known)}")
        return function(*args, **(defaults | words))

    call.__signature__ = signature.replace(parameters=own + shown)  # type: ignore[attr-defined]
    return call


# ---------------------------------------------------------------------- the docstring


def with_parameters(text: str, described: Sequence[str]) -> str:
    """A docstring whose Parameters, the first of its sections if it has none, go on with these lines."""
    lines = text.split("\n")
    heads = [i for i, line in enumerate(lines[:-1]) if line and set(lines[i + 1]) == {"-"}]
    own = [i for i in heads if lines[i] == "Parameters"]
    after = min((i for i in heads if not own or i > own[0]), default=len(lines))
    before = "\n".join(lines[:after]).rstrip().split("\n")
    head = [] if own else ["", "Parameters", "----------"]
    return "\n".join([*before, *head, *described, *([""] if lines[after:] else []), *lines[after:]])


def _meanings(table: dict[str, tuple[Any, Option]]) -> list[str]:
    """The lines about every keyword argument, as numpydoc has them."""
    return [
        line
        for name, (annotation, option) in table.items()
        for line in entry(name, option.kind or in_words(annotation), option.default, option.meaning)
    ]


def entry(name: str, kind: str, default: Any, meaning: str) -> list[str]:
    """What a docstring says about one argument; `inspect.Parameter.empty` is no default."""
    said = "" if default is inspect.Parameter.empty else f", default: {default!r}"
    return [f"{name} : {kind}{said}", *textwrap.wrap(meaning, WIDTH, initial_indent="    ", subsequent_indent="    ")]


def in_words(annotation: Any) -> str:
    """A type as numpydoc writes it: "int or None" for `int | None`."""
    origin, within = get_origin(annotation), get_args(annotation)
    if origin in (types.UnionType, Union):
        *others, last = [in_words(kind) for kind in within]
        return f"{', '.join(others)} or {last}"
    if origin is Literal:
        return f"{{{', '.join(map(repr, within))}}}"
    if origin is not None and issubclass(origin, Sequence):
        return "sequence" if within == (Any,) else f"sequence of {in_words(within[0])}"
    if origin is not None and issubclass(origin, Callable):  # type: ignore[arg-type]
        return "callable"
    if annotation is types.NoneType:
        return "None"
    return "object" if annotation is Any else str(getattr(origin or annotation, "__name__", annotation))
