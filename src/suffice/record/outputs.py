"""What an evaluation returns: the objectives and the constrained outputs, by name.

A study has one objective, which is called "value" unless it was named, or several; and limits on further outputs.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from suffice.belief import VALUE
from suffice.checks import as_real, short
from suffice.record.arguments import as_noise, as_value
from suffice.record.options import Sense
from suffice.space.parameters import nearest_name
from suffice.text import visible

#| -- study.limit: What a constrained output must reach: at most, or at least, a limit in the user's units.


@dataclass(frozen=True)
class AtMost:
    """A constraint: an output of the objective function must not be above a limit.

    Parameters
    ----------
    limit : float
        The largest value that is allowed, in the units in which the function returns it.

    See Also
    --------
    AtLeast : The same from below.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return {"value": -point["x"], "weight": point["x"] ** 2}
    >>> result = sf.minimize(f, {"x": (0.0, 5.0)}, 15, constraints={"weight": sf.AtMost(4.0)}, seed=0)
    >>> bool(result.x["x"] <= 2.0)
    True
    """

    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _finite(self.limit, "AtMost"))

    def __str__(self) -> str:
        return f"at most {self.limit:g}"

    @property
    def sign(self) -> float:
        """What turns the output into larger-is-better."""
        return -1.0

    def violation(self, value: float) -> float:
        """Say how far a value is beyond the limit.

        Parameters
        ----------
        value : float
            A value of the output.

        Returns
        -------
        float
            In its units; 0 where the value is allowed.
        """
        return max(0.0, value - self.limit)


@dataclass(frozen=True)
class AtLeast:
    """A constraint: an output of the objective function must not be below a limit.

    Parameters
    ----------
    limit : float
        The smallest value that is allowed, in the units in which the function returns it.

    See Also
    --------
    AtMost : The same from above, with an example.
    """

    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _finite(self.limit, "AtLeast"))

    def __str__(self) -> str:
        return f"at least {self.limit:g}"

    @property
    def sign(self) -> float:
        """What turns the output into larger-is-better."""
        return 1.0

    def violation(self, value: float) -> float:
        """Say how far a value is beyond the limit.

        Parameters
        ----------
        value : float
            A value of the output.

        Returns
        -------
        float
            In its units; 0 where the value is allowed.
        """
        return max(0.0, self.limit - value)


Limit: TypeAlias = AtMost | AtLeast


def _finite(limit: object, name: str) -> float:
    number = as_real(limit, f"{name}: limit")
    if not math.isfinite(number):
        raise ValueError(f"{name} needs a finite limit: got {limit!r}; leave the constraint out if there is none")
    return number


def as_constraints(constraints: Any) -> dict[str, Limit]:
    """Limits by the name of the output, from what a user gives; None: none."""
    if constraints is None:
        return {}
    if not isinstance(constraints, Mapping):
        raise TypeError(
            'constraints must be a dict of outputs and limits, such as {"latency": sf.AtMost(50)}: got '
            f"{type(constraints).__name__} {short(constraints)}; what is known of a point without evaluating it is a "
            "constraint of the space, sf.Space(..., where=...)"
        )
    for name, limit in constraints.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"constraints must have names that are strings: got {name!r}")
        if not isinstance(limit, AtMost | AtLeast):
            raise TypeError(
                f"constraints[{name!r}] must be sf.AtMost(limit) or sf.AtLeast(limit): got {short(limit)} of type "
                f"{type(limit).__name__}"
            )
    return dict(constraints)


OUTPUT = "output:"  # in front of the column of an output whose name another column of a table of trials has
SENSES: tuple[Sense, Sense] = ("minimize", "maximize")


def as_objectives(objectives: Any, sense: Any, constraints: Iterable[str]) -> dict[str, Sense]:
    """Senses by the name of the objective: those that were given, or the one that is called "value"."""
    if objectives is None:
        given: Any = "minimize" if sense is None else sense
        if not _is_sense(given):
            raise ValueError(f"sense must be 'minimize' or 'maximize': got {short(sense)}")
        found: dict[str, Sense] = {VALUE: given}
    elif sense is not None:
        raise ValueError(
            f"give sense or objectives, not both: got sense={short(sense)} and objectives={short(objectives)}; each "
            "objective has its sense in objectives"
        )
    else:
        found = _named_senses(objectives)
    both = sorted(set(found) & set(constraints))
    if both:
        raise ValueError(
            f"{both[0]!r} is an objective and a constraint: an output is one of them; to limit an objective, return "
            "its value a second time under another name"
        )
    return found


def _named_senses(objectives: Any) -> dict[str, Sense]:
    example = 'such as {"error": "minimize", "throughput": "maximize"}'
    if not isinstance(objectives, Mapping):
        raise TypeError(f"objectives must be a dict of names and senses, {example}: got {type(objectives).__name__}")
    if not objectives:
        raise ValueError(f"objectives must name at least one, {example}: got none")
    for name, sense in objectives.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"objectives must have names that are strings, {example}: got {name!r}")
        if not _is_sense(sense):
            raise ValueError(f"objectives[{name!r}] must be 'minimize' or 'maximize': got {short(sense)}")
    return dict(objectives)


def _is_sense(given: Any) -> bool:
    return isinstance(given, str) and given in SENSES  # an array would compare each of its elements


def as_reference(reference: Any, objectives: Mapping[str, Sense]) -> dict[str, float] | None:
    """The reference point of the hypervolume, in the user's units, by the name of the objective; None: chosen."""
    if reference is None:
        return None
    if len(objectives) < 2:
        raise ValueError("reference is for several objectives: this study has one; leave it out")
    if not isinstance(reference, Mapping) or set(reference) != set(objectives):
        raise ValueError(
            f"reference must be a dict with the worst value of interest of each objective, "
            f"{', '.join(objectives)}: got {short(reference)}"
        )
    found = {name: as_real(reference[name], f"reference[{name!r}]") for name in objectives}
    for name, value in found.items():
        if not math.isfinite(value):
            raise ValueError(f"reference[{name!r}] must be finite: got {value!r}")
    return found


def as_values(value: Any, objectives: Mapping[str, Sense], constraints: Mapping[str, Limit]) -> dict[str, float]:
    """Every output by name, nan where it is missing; from a number where there is one output, or from a mapping."""
    wanted = (*objectives, *constraints)
    named = isinstance(value, Mapping) and (wanted != (VALUE,) or set(value) == {VALUE})
    if len(wanted) == 1 and not named:
        return {wanted[0]: as_value(value)}
    if not isinstance(value, Mapping):
        raise TypeError(
            f"an evaluation of this study has {len(wanted)} outputs: return a dict with {', '.join(map(repr, wanted))}"
            f"; got {short(value)} of type {type(value).__name__}"
        )
    for name in value:
        if name not in wanted:
            raise TypeError(
                f"the values have {name!r}, which is neither an objective nor a constraint: "
                f"{nearest_name(str(name), wanted)}"
            )
    return {name: _number(value.get(name), name) for name in wanted}


def _number(value: Any, name: str) -> float:
    if value is None:
        return math.nan
    return as_value(value, repr(name))


def as_variances(noise_var: Any, objectives: Mapping[str, Sense], outputs: Iterable[str]) -> Any:
    """Known variances of the noise: of the only objective as a number, or by name; None where nothing is known."""
    if noise_var is None:
        return None
    if not isinstance(noise_var, Mapping):
        if len(objectives) > 1:
            raise TypeError(
                f"noise_var must be a dict by the names of {', '.join(objectives)}: got {short(noise_var)}, and there "
                "are several objectives"
            )
        return as_noise(noise_var)
    known = tuple(outputs)
    for name in noise_var:
        if name not in known:
            raise ValueError(f"noise_var has {name!r}, which is no output: {nearest_name(str(name), known)}")
    found = {name: as_noise(variance) for name, variance in noise_var.items() if variance is not None}
    return found or None


def of_output(word: str, name: str, objectives: Collection[str]) -> str:
    """The column of a table in which something about one output is: the only objective needs no name."""
    return word if len(objectives) == 1 and name in objectives else f"{word}:{name}"


def in_words(values: Mapping[str, float]) -> str:
    """Values by name, such as "error 0.07, throughput 120"; a single one is just its number."""
    if len(values) == 1:
        return f"{next(iter(values.values())):.6g}"
    return ", ".join(f"{visible(name)} {value:.6g}" for name, value in values.items())


def is_allowed(values: Mapping[str, float], constraints: Mapping[str, Limit]) -> bool:
    """Whether every constrained output is known and within its limit."""
    return all(name in values and limit.violation(values[name]) == 0.0 for name, limit in constraints.items())


def is_violated(values: Mapping[str, float], constraints: Mapping[str, Limit]) -> bool:
    """Whether a constrained output is known to be beyond its limit."""
    return any(name in values and limit.violation(values[name]) > 0.0 for name, limit in constraints.items())
