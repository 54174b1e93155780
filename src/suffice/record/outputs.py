"""What an evaluation returns: the objectives and the constrained outputs, by name.

A study has one objective, which is called "value" unless it was named, or several, and constraints on further outputs:
limits in the user's units that their values must keep.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any, ClassVar, TypeAlias, get_args

import numpy as np

from suffice.belief import VALUE
from suffice.checks import as_real, converted, of_time, short
from suffice.record.options import Direction
from suffice.space.parameters import nearest_name
from suffice.text import visible

# In front of a column of a table of trials, if another column has the name of its output or of its parameter.
OUTPUT, PARAMETER = "output:", "parameter:"


class _Limit:
    """What a constrained output must reach, in the user's units."""

    limit: float
    sign: ClassVar[float]  # what turns the output into larger-is-better

    def violation(self, value: float) -> float:
        """By how much a value violates the constraint.

        Parameters
        ----------
        value : float
            A value of the output.

        Returns
        -------
        float
            In its units; 0 where the value is allowed.
        """
        return max(0.0, self.sign * (self.limit - value))


def _finite(limit: object, name: str) -> float:
    number = as_real(limit, f"{name}: limit")
    if not math.isfinite(number):
        raise ValueError(f"{name} needs a finite limit: got {limit!r}; leave the constraint out if it has none")
    return number


@dataclass(frozen=True)
class AtMost(_Limit):
    """A constraint: an output of the objective must be at most `limit`.

    Parameters
    ----------
    limit : float
        The largest feasible value, in the units that the function returns.

    See Also
    --------
    AtLeast : The constraint from below.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return {"value": -point["x"], "weight": point["x"] ** 2}
    >>> result = sf.minimize(f, {"x": (0.0, 5.0)}, 15, constraints={"weight": sf.AtMost(4.0)}, seed=0)
    >>> bool(result.x["x"] <= 2.0)
    True
    """

    limit: float = converted(partial(_finite, name="AtMost"))
    sign: ClassVar[float] = -1.0

    def __str__(self) -> str:
        return f"at most {self.limit:g}"


@dataclass(frozen=True)
class AtLeast(_Limit):
    """A constraint: an output of the objective must be at least `limit`.

    Parameters
    ----------
    limit : float
        The smallest feasible value, in the units that the function returns.

    See Also
    --------
    AtMost : The constraint from above, with an example.
    """

    limit: float = converted(partial(_finite, name="AtLeast"))
    sign: ClassVar[float] = 1.0

    def __str__(self) -> str:
        return f"at least {self.limit:g}"


Limit: TypeAlias = AtMost | AtLeast


def as_constraints(constraints: Any) -> dict[str, Limit]:
    """Limits by the name of the output, from what a user gives; None: none."""
    if constraints is None:
        return {}
    if not isinstance(constraints, Mapping):
        raise TypeError(
            'constraints must be a dict of outputs and bounds, such as {"latency": sf.AtMost(50)}: got '
            f"{type(constraints).__name__} {short(constraints)}; for constraints on the parameters themselves use "
            "sf.Space(..., where=...)"
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


def as_objectives(objectives: Any, direction: Any, constraints: Iterable[str]) -> dict[str, Direction]:
    """Senses by the name of the objective: those that were given, or the one that is called "value"."""
    if objectives is None:
        given: Any = "minimize" if direction is None else direction
        if not _is_sense(given):
            raise ValueError(f"direction must be 'minimize' or 'maximize': got {short(direction)}")
        found: dict[str, Direction] = {VALUE: given}
    elif direction is not None:
        raise ValueError(
            f"give direction or objectives, not both: got direction={short(direction)} and "
            f"objectives={short(objectives)}; each objective has its direction in objectives"
        )
    else:
        found = _named_senses(objectives)
    both = sorted(set(found) & set(constraints))
    if both:
        raise ValueError(
            f"{both[0]!r} is an objective and a constraint: an output can be only one of them; to constrain an "
            "objective, return its value a second time under another name"
        )
    return found


def _named_senses(objectives: Any) -> dict[str, Direction]:
    example = 'such as {"error": "minimize", "throughput": "maximize"}'
    if not isinstance(objectives, Mapping):
        raise TypeError(
            f"objectives must be a dict of names and directions, {example}: got {type(objectives).__name__}"
        )
    if not objectives:
        raise ValueError(f"objectives must name at least one, {example}: got none")
    for name, direction in objectives.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"objectives must have names that are strings, {example}: got {name!r}")
        if not _is_sense(direction):
            raise ValueError(f"objectives[{name!r}] must be 'minimize' or 'maximize': got {short(direction)}")
    return dict(objectives)


def _is_sense(given: Any) -> bool:
    return isinstance(given, str) and given in get_args(Direction)  # an array would compare each of its elements


def as_reference(reference: Any, objectives: Mapping[str, Direction]) -> dict[str, float] | None:
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


def as_value(value: object, what: str = "the objective's value") -> float:
    """A real number from what an objective returned: a real scalar or an array of one; TypeError for the rest."""
    if type(value) is float:  # nothing of the user's is called, so what is raised here would be an interruption
        return value
    try:
        number = _real(value)
    except Exception as error:  # a tensor that requires grad, for one, refuses to become an array
        raise TypeError(f"{_wanted(value, what)}; it could not be turned into a number: {error!r}") from error
    if number is None:
        raise TypeError(f"{_wanted(value, what)}; {_remedy(value)}")
    return number


def _real(value: Any) -> float | None:
    """The real number; None if it is none. What the value itself raises comes out."""
    if np.ma.is_masked(value):
        return math.nan  # the number behind a mask is an arbitrary one
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "mM":  # a duration counts as an int to NumPy
        return None
    if isinstance(value, np.ndarray | np.generic) and value.size == 1:
        value = value.item()
    elif not isinstance(value, np.ndarray | np.generic) and hasattr(value, "__array__"):  # a tensor, or a pandas scalar
        array = np.asarray(value)
        value = array.item() if array.size == 1 else value
    if not isinstance(value, Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:  # an int beyond 1e308
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except ValueError:  # a signalling NaN
        return math.nan


def _wanted(value: object, what: str) -> str:
    try:
        shown = repr(value)
    except Exception:
        shown = "(it cannot be shown)"
    return f"{what} must be one real number: got {type(value).__name__} {visible(shown, 80)}"


def _remedy(value: object) -> str:
    if isinstance(value, Mapping):
        return (
            "return the number itself; name constrained outputs in constraints={...}, and several objectives in "
            "sf.optimize(f, space, objectives={...})"
        )
    return of_time(value).removeprefix("; ") or "return a float (nan marks a failed evaluation)"


def as_values(value: Any, objectives: Mapping[str, Direction], constraints: Mapping[str, Limit]) -> dict[str, float]:
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
    found = {name: value.get(name) for name in wanted}
    return {name: math.nan if one is None else as_value(one, repr(name)) for name, one in found.items()}


def check_complete(value: Any, objectives: Mapping[str, Direction], constraints: Mapping[str, Limit]) -> None:
    """TypeError if an objective function has left out an output by name, and no limit is violated that would excuse it.

    A value of None or nan says that the evaluation failed; a name that is not there was forgotten or misspelled.
    """
    if not isinstance(value, Mapping):
        return
    known = as_values(value, objectives, constraints)
    missing = [name for name in known if name not in value]
    if missing and not is_violated({name: one for name, one in known.items() if not math.isnan(one)}, constraints):
        raise TypeError(
            f"an evaluation of this study has {len(known)} outputs: got {', '.join(map(repr, value))} without "
            f"{', '.join(map(repr, missing))}; return all of them (nan, or None, for one that could not be measured)"
        )


def averaged(value: Any, noise_var: Any) -> tuple[Any, Any, int]:
    """What is told with every list of repeated measurements as its mean; the variances of the means; how many n.

    The variance of a mean is s²/n, with s² of n − 1 degrees of freedom. What is no list stays as it is.
    """
    named = isinstance(value, Mapping)
    lists = {name: one for name, one in (value if named else {VALUE: value}).items() if _is_list(one)}
    if not lists:
        return value, noise_var, 1
    if noise_var is not None:
        raise ValueError(
            f"noise_var is computed from repeated measurements: got noise_var and {short(value)}; record their mean "
            "with noise_var, or the list without it"
        )
    counts = {name: len(one) for name, one in lists.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(
            f"every output needs the same number of repeated measurements: got {counts}; record their mean"
        )
    found = {name: _mean(one, repr(name) if named else "the objective's value") for name, one in lists.items()}
    means = {name: mean for name, (mean, _) in found.items()}
    variances = {name: variance for name, (_, variance) in found.items() if variance is not None}
    n = next(iter(counts.values()))
    return ({**value, **means}, variances or None, n) if named else (means[VALUE], variances.get(VALUE), n)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1 and value.size != 1)


def _mean(values: Any, what: str) -> tuple[float, float | None]:
    """The mean of repeated measurements, and the variance of it; None of a single one."""
    n, numbers = len(values), [as_value(one, f"a measurement of {what}") for one in values]
    if not n:
        raise ValueError(f"{what} needs at least one measurement: got {values!r}; record nan if the evaluation failed")
    if not all(map(math.isfinite, numbers)):
        raise ValueError(
            f"the measurements of {what} must be finite: got {short(values)}; leave out those that failed, or record "
            "nan if the whole evaluation failed"
        )
    mean = math.fsum(one / n for one in numbers)
    if n == 1:
        return mean, None
    variance = math.fsum((one - mean) * (one - mean) for one in numbers) / (n - 1) / n
    return mean, variance if math.isfinite(variance) else None


def as_variances(noise_var: Any, objectives: Mapping[str, Direction], outputs: Iterable[str]) -> Any:
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


def as_noise(noise_var: object) -> float | None:
    """A known noise variance, or None."""
    if noise_var is None:
        return None
    try:
        variance = as_value(noise_var)
    except TypeError as error:
        raise TypeError(f"noise_var must be a number: got {noise_var!r}; leave it out if unknown") from error
    if not (math.isfinite(variance) and variance >= 0):
        raise ValueError(f"noise_var must be a finite variance ≥ 0: got {variance!r}; leave it out if unknown")
    return variance


def of_output(word: str, name: str, objectives: Collection[str]) -> str:
    """The column of a table in which something about one output is: the only objective needs no name."""
    return word if len(objectives) == 1 and name in objectives else f"{word}:{name}"


def in_words(values: Mapping[str, float]) -> str:
    """Values by name, such as "error 0.07, throughput 120"; a single one is just its number."""
    if len(values) == 1:
        return f"{next(iter(values.values())):.6g}"
    return ", ".join(f"{visible(name)} {value:.6g}" for name, value in values.items())


def is_allowed(values: Mapping[str, float], constraints: Mapping[str, Limit]) -> bool:
    """Whether every constrained output is known and satisfies its constraint."""
    return all(name in values and limit.violation(values[name]) == 0.0 for name, limit in constraints.items())


def is_violated(values: Mapping[str, float], constraints: Mapping[str, Limit]) -> bool:
    """Whether a constrained output is known to violate its constraint."""
    return any(name in values and limit.violation(values[name]) > 0.0 for name, limit in constraints.items())
