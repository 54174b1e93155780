"""The keyword arguments of a study: the type, the default and the meaning of each stand here once.

`takes` gives them to every function or class that has them: type checkers see them by `Unpack`, people by `help` and in
the reference, and editors by `inspect.signature`.
"""

import functools
import inspect
import os
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from suffice.accuracy.report import Diagnostics
from suffice.acquisition import Acquisition
from suffice.aliases import instead
from suffice.gp.model import Model
from suffice.pruning import Pruner
from suffice.types import Solver

Taker = TypeVar("Taker", bound=Callable[..., Any])
Options = TypeVar("Options")


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
    return [f"{name} : {kind}{said}", *textwrap.wrap(meaning, initial_indent="    ", subsequent_indent="    ")]


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
    if annotation is Any:
        return "object"
    return str(getattr(origin or annotation, "__name__", annotation))  # not every form of `typing` has a name


Direction: TypeAlias = Literal["minimize", "maximize"]
Aim: TypeAlias = Literal["best", "regret"]


class SearchOptions(TypedDict, total=False):
    """What `Optimizer`, `minimize` and `maximize` all take."""

    seed: Annotated[
        Any,
        Option(
            None,
            "A whole number ≥ 0 from which every random choice follows: the same seed and the same values give the "
            "same points, bit for bit. None takes a random one. A SeedSequence, Generator or RandomState of NumPy is "
            "used once. The result reports the number as `seed`. Set it if the run must be reproducible.",
            kind="int, SeedSequence, Generator, RandomState or None",
        ),
    ]
    n_initial: Annotated[
        int | None,
        Option(
            None,
            "The size of the initial design, before the model chooses points; points that you give or observed "
            "elsewhere count. None takes 2 (parameters + 1) and at most 20, but `minimize` and `maximize` at most a "
            "third of n_trials (never less than 2). Use more if the objective is noisy, fewer if you give good points "
            "in x0.",
        ),
    ]
    x0: Annotated[
        Any,
        Option(
            None,
            "Points to evaluate first, in the form in which the objective gets them: a sequence of arrays or of dicts, "
            "a single one, or a table of pandas with a column for each parameter. Parameters missing in a dict are "
            "sampled. An earlier Result gives its points with their values. Give the point that you use today, so the "
            "search starts from a known solution.",
            kind="sequence of points, point, table, Result or None",
        ),
    ]
    y0: Annotated[
        Sequence[float | None] | float | None,
        Option(
            None,
            "Known values at the points x0: the model uses these points, they are not evaluated, and they do "
            "not count as n_trials. With several outputs each is a dict by name. None in the sequence stands for an "
            "unknown value.",
            kind="sequence of float, float or None",
        ),
    ]
    aim: Annotated[
        Aim,
        Option(
            "best",
            'The goal of the run. "best" searches for the best point: it improves the best one so far, and explores '
            'if that makes no progress. "regret" minimizes the sum of all values, as when you tune a machine in '
            "production: it stays in a good region, possibly in the second-best basin. It selects the acquisition, "
            "and has no effect if you give one, or several objectives.",
        ),
    ]
    resolution: Annotated[
        float | None,
        Option(
            None,
            "The smallest difference of the objective, in its units, that matters. None takes a thousandth of the "
            "distance from the best value to the median of the initial ones. Once the expected improvement is "
            "smaller, some suggestions explore. Set the precision that you need, if you know it.",
        ),
    ]
    model: Annotated[
        Model | None,
        Option(
            None,
            "The statistical model of the objective, and of every other output. None takes sf.GP(), a Gaussian "
            "process whose parameters are fitted to the values. Change it if you know how smooth or how noisy the "
            "objective is.",
        ),
    ]
    acquisition: Annotated[
        Acquisition | None,
        Option(
            None,
            "The acquisition function, which rates how promising a point is, such as sf.UCB(), sf.LogEI() or "
            "sf.acquisition.Thompson(). None selects it by the aim: LookAround() or UCB(), or Hypervolume() for "
            "several objectives. Change it to explore more or less.",
        ),
    ]
    solver: Annotated[
        Solver | None,
        Option(
            None,
            "How the acquisition function is maximized, such as sf.solvers.Grid() or sf.solvers.LBFGSB(). None takes "
            "sf.solvers.Adaptive(), which searches longer where a miss costs more. Change it to spend a fixed effort "
            "on every point.",
        ),
    ]
    repeat: Annotated[
        bool,
        Option(
            False,
            "Whether a point may be proposed more than once. False proposes every point once; in a finite space, "
            "failed points are tried again up to twice, after others. Set it to True if the objective is noisy, "
            "because a second measurement of a point then adds information.",
        ),
    ]
    diagnostics: Annotated[
        Diagnostics | None,
        Option(
            None,
            "Extra checks of how well the acquisition function was maximized, made after each point is chosen: "
            "sf.solvers.Diagnostics(proof_seconds=0.1) spends a tenth of a second on a proof, Diagnostics(audit=0.1) "
            "searches again for every tenth point. They change no point. None makes no checks.",
        ),
    ]
    pruner: Annotated[
        Pruner | None,
        Option(
            None,
            "The rule that prunes running trials by their intermediate values: sf.pruning.Median() or "
            "sf.pruning.Halving() for learning curves, sf.pruning.Race() for folds. The objective takes the trial as "
            "its second argument, calls trial.report(value, step), and returns when trial.should_prune() "
            "is true. None prunes no trial; reports are recorded in any case (docs/howto/early-stopping.md).",
            kind="rule or None",
        ),
    ]
    constraints: Annotated[
        Mapping[str, Any] | None,
        Option(
            None,
            "Constraints on further outputs of an evaluation: a dict such as "
            '{"latency": sf.AtMost(50), "recall": sf.AtLeast(0.9)}. The objective returns a dict then, '
            '{"value": …, "latency": …, "recall": …}, whose other entries may be missing or None if a constraint '
            "is violated. The best point is the best feasible one. None sets no "
            "constraints. For constraints on parameters, use `where` of sf.Space.",
            kind="dict of sf.AtMost and sf.AtLeast, or None",
        ),
    ]
    storage: Annotated[
        str | os.PathLike[str] | None,
        Option(
            None,
            'The file of the study, such as "run.db": an SQLite database, created if it does not exist; or the address '
            'of a study that many processes share, "postgresql://host/database?study=name". It '
            "keeps every proposed point and every observed value, whatever ends the program; with the same file the "
            "study resumes where it was, bit for bit. A different space or different settings raise an error. None "
            "keeps the study in memory. See docs/howto/store.md.",
            kind="path, address or None",
        ),
    ]


class FrontOptions(TypedDict, total=False):
    """What only studies of several objectives take."""

    reference: Annotated[
        Mapping[str, float] | None,
        Option(
            None,
            "With several objectives, the worst value of interest for each, as a dict by name, in their units: only "
            "points better in all of them count in the hypervolume. None derives it from the observations; the result "
            "reports it as `reference`.",
            kind="dict of float, or None",
        ),
    ]


class StudyOptions(SearchOptions, FrontOptions, total=False):
    """What `Optimizer` takes."""

    objectives: Annotated[
        Mapping[str, str] | None,
        Option(
            None,
            'Several objectives by name, each with its direction: {"error": "minimize", "throughput": "maximize"}. '
            "Every evaluation returns all of them in a dict, and the study searches for the front. None: one "
            "objective, optimized in `direction`.",
            kind="dict of 'minimize' and 'maximize', or None",
        ),
    ]

    direction: Annotated[
        Direction,
        Option("minimize", 'Whether small values are good, "minimize", or large ones, "maximize".'),
    ]
