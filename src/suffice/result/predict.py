"""What the model of all values predicts anywhere in the space, in the user's units and sign, and what it recommends.

X     (m, d)  rows of the unit cube               μ, σ  (m,)  posterior mean and standard deviation, model units
h             the monotone map from model units back to the objective's: y = ± h(z)
μ_c   (n,)    posterior mean of a constrained output, larger is better      l_c  float  its limit

q(z)   (m,)   below which the probability is Φ(z): of the average over the members, μ + zσ for one

    median = ± h(μ)      sd = (h(q(1)) − h(q(−1))) / 2      a band of ±z: from ± h(q(−z)) to ± h(q(z))

So sd is half the width of what holds 68 %, and without a warp about the standard deviation. σ h'(μ) is the same where σ
is small, and too small where the model is uncertain after a warp, whose slope changes over the band. h takes quantiles
to quantiles, so bands are exact; it does not take means to means. What is called the mean here is the median of every
member, and that of their average but for its skewness, which is little at the middle.

With noise the best value is a lucky draw, the best posterior mean is not: `recommend` takes the evaluated point with
the largest μ among those that are probably feasible, μ_c ≥ l_c, and whose values are not set aside as errors. The best
point often lies at a limit, where a model that assumes a little noise may have μ_c on the other side. So an output that
has hardly any noise, by its model, is taken as it was measured.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from suffice.ask.models import model_of
from suffice.checks import NOTHING, RESOLUTION
from suffice.errors import NoFinishedTrial, SufficeError
from suffice.gp.model import GP, Fitted, Model
from suffice.gp.posterior import HARDLY
from suffice.gp.transform import Outcome
from suffice.record.arguments import is_table, of_table
from suffice.record.history import History
from suffice.record.settings import Opaque, Settings
from suffice.record.trial import Trial
from suffice.space import CustomSpace, OwnPoints, SearchSpace
from suffice.space.parameters import listed, nearest_name
from suffice.streams import Streams
from suffice.text import with_error
from suffice.threads import one_thread
from suffice.types import Array

# Times the model's: the recommended point is chosen for its prediction, and objectives are least smooth at their best.
# Without it 82 and 90 % of 80 runs with noise of 30 and 5 % ended within two standard deviations, with it 92 and 96 %.
CHOSEN = 1.5
# That noise has to be likelier than none before it is spoken of. On six functions with noise of 5 and 30 % it was so by
# 9 to 81, on five of them without noise by 0; the sixth has a kink and looks noisy, by 19. Seven of eight runs on
# cross-validated errors of a model, which have none, were below.
NATS = 8.0
TWO_SIDED = 1.959963984540054  # standard deviations of a normal distribution that hold 95 %


@dataclass(frozen=True)
class Surface:
    """An output as its model has it: without its noise, and as if every evaluation succeeded."""

    fitted: Fitted
    space: SearchSpace
    sign: float  # what turns larger-is-better into the user's sense, and back

    def __repr__(self) -> str:
        return f"<Surface over {len(self.space.names)} parameters, from {self.fitted.n_seen} values>"

    def median(self, X: Array) -> Array:
        """The posterior median at rows of the cube, (m,), which takes less work than the band."""
        return self._back(self.fitted.mean(X))

    def at(self, X: Array, z: float = TWO_SIDED) -> tuple[Array, Array, Array]:
        """The median at rows of the cube, and the two ends of a band of ±z deviations, (m,) each, low below high."""
        found = self.fitted.mixture(X)
        median, ends = self._back(found.mean), [self._back(found.quantile(end)) for end in (-z, z)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        if not self._rounding:
            return median, low, high
        below, above = np.hypot([median - low, high - median], z * self._rounding)
        return median, median - below, median + above

    def moments(self, X: Array) -> tuple[Array, Array]:
        """The median at rows of the cube and the deviation about it, half the width of what holds 68 %, (m,) each."""
        found = self.fitted.mixture(X)
        low, high = found.quantile(-1.0), found.quantile(1.0)
        std = 0.5 * (high - low)
        median, deviation = self.mapped(found.mean, std)
        with np.errstate(over="ignore", invalid="ignore"):  # as in `_inverse`; of less than NOTHING, rounding is left
            half = self.fitted.outcome.halfwidth(0.5 * (low + high), std)
        sd = np.where((std > NOTHING) & np.isfinite(half), half, deviation)
        return median, np.hypot(sd, self._rounding)

    def mapped(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """The same of means and deviations in model units, (m,) each, to first order in the map."""
        median = self._inverse(mean)
        return self.sign * median, std / self.fitted.outcome.derivative(median)

    @property
    def _rounding(self) -> float:
        """What rounding hides: values side by side are rounded alike, so that many of them tell no more than one."""
        outcome = self.fitted.outcome
        return outcome.step * outcome.spread * outcome.unit / math.sqrt(12.0)

    def _back(self, z: Array) -> Array:
        return self.sign * self._inverse(z)

    def _inverse(self, z: Array) -> Array:
        with np.errstate(over="ignore"):  # the far end of a band after a warp may be beyond float64
            return self.fitted.outcome.inverse(z)


@dataclass(eq=False)
class Memory:
    """What was computed about a history: the models, by output, and the importance that was read from them."""

    models: dict[str, Fitted] = field(default_factory=dict)
    importance: dict[str, Any] = field(default_factory=dict)
    given: Model | None = None  # by hand, where the file could only describe the model of the run
    noisy: "tuple[Noisy | None] | None" = None  # the answer with noise; None: nobody has asked yet


# So that everything about a result is read from the same models, each fitted once; they go with their history.
_MEMORY: "WeakKeyDictionary[History, Memory]" = WeakKeyDictionary()


def memory(history: History) -> Memory:
    """What is known about a history already."""
    return _MEMORY.setdefault(history, Memory())


def surface(history: History, model: Any = None, name: str | None = None) -> Surface:
    """The surface of all values of one output of a history, by its own model or by another one.

    name    of the output, an objective or a constrained one; None: the only objective, ValueError if there are several

    A model that is given where a file could only describe the one of the run is kept: from then on everything about
    this result is read from it.
    """
    settings, name, known = history.settings, as_output(name, history.settings), memory(history)
    if model is not None:
        fitted = _fit(history, model, name)
        if isinstance(settings.model, Opaque):
            known.given, known.models, known.noisy = model, {name: fitted}, None
    else:
        if name not in known.models:
            known.models[name] = _fit(history, settings.model if known.given is None else known.given, name)
        fitted = known.models[name]
    return Surface(fitted, settings.space, settings.sign(name))


def as_output(name: object, settings: Settings) -> str:
    """The name of an output, by default of the only objective; ValueError, with the names there are, for others."""
    outputs = settings.outputs
    if name is None:
        if settings.several:
            raise ValueError(f"there are several objectives: choose one with output=, of {listed(outputs)}")
        return settings.objective
    if name not in outputs:
        raise ValueError(f"there is no output {name!r}: {nearest_name(str(name), outputs)}")
    return str(name)


def _fit(history: History, model: Model | Opaque, name: str) -> Fitted:
    """From scratch: the fits of a run start from one another, and may be late to notice the noise."""
    if isinstance(model, Opaque):
        raise SufficeError(
            f"this needs the model of the run, and the file has only its description, {model.text}; pass it "
            "once, before you read the result: suffice.result.predict.surface(result.history, model=…)"
        )
    data = history.observations(name)
    if not len(data):
        of = "" if len(history.settings.outputs) == 1 else f" of {name}"
        raise NoFinishedTrial(f"none of the {len(history.trials)} trials has a value{of}, so no model can be fitted")
    wanted, space = model_of(replace(history.settings, model=model), name), history.settings.space
    with one_thread(history.model_rows):
        fitted: Fitted = wanted(data, space)
        if isinstance(wanted, GP):
            rng = Streams(history.settings.seed)("members of a result")
            fitted = wanted.with_members(data, space, fitted, None, rng)
        return fitted


class Prediction(NamedTuple):
    """A prediction of an output, in its units and sign: a tuple `mean, sd`.

    Attributes
    ----------
    mean : ndarray or float
        The predicted mean, (m,), or a float for one point; the median if the model has warped the values.
    sd : ndarray or float
        The standard deviation: half the width of the 68 % interval.
    """

    mean: Any
    sd: Any


def predict(history: History, points: Any, output: str | None = None) -> Prediction:
    """Median and deviation of an output at points as the user has them: arrays (m,), or floats of one point."""
    found = surface(history, name=output)
    X, one = as_rows(points, history.settings.space)
    with one_thread(found.fitted.posterior.n):
        median, deviation = found.moments(X)
    return Prediction(float(median[0]), float(deviation[0])) if one else Prediction(median, deviation)


# ---------------------------------------------------------------------- the point to use


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it: half the width of what holds 68 %
    kind: Literal["recommended", "best"] = "recommended"  # best: as it was observed


def recommend(history: History, model: Any = None) -> Recommendation | None:
    """The done trial with the largest μ, probably within every limit, the best observed of equals; None without any.

    ValueError where there are several objectives.
    """
    name = as_output(None, history.settings)
    trials, data = history.known(name, measured=True), history.observations(name, measured=True)
    allowed = np.flatnonzero(_allowed(history, trials, data.X, model))
    if not len(allowed):
        return None
    found = surface(history, model, name)
    erroneous = {*history.aside(name).tolist(), *(history.known(name)[i].number for i in found.fitted.outcome.aside)}
    kept = allowed[[trials[i].number not in erroneous for i in allowed]]
    allowed = kept if len(kept) else allowed
    X, y = data.X[allowed], data.y[allowed]
    mean = found.fitted.mean(X)  # the deviations of all would take most of the time
    best_first = np.argsort(-y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - RESOLUTION)]
    median, deviation = found.moments(X[[row]])
    stated = float(deviation[0])
    if history.table.origins("model").any():  # else no point was chosen for what is predicted there
        wide = CHOSEN * max(1.0, history.rescaled[name]) * stated
        stated = min(wide, max(stated, _measured(found, X[row], float(median[0]))))
    return Recommendation(trials[int(allowed[row])], float(median[0]), stated)


def _measured(found: Surface, x: Array, median: float) -> float:
    """The standard deviation of the mean of the measurements at a row of the cube, (d,), by themselves."""
    posterior, outcome = found.fitted.posterior, found.fitted.outcome
    here = np.all(posterior.X == x, axis=1)
    if not here.any():
        return math.inf
    error = posterior.scale / math.sqrt(float(np.sum(1.0 / posterior.factor.tau[here])))
    return error / float(outcome.derivative(np.array([found.sign * median]))[0])


@dataclass(frozen=True)
class Noisy:
    """The answer where values are noisy: the point to use, and the best observed one, which was also lucky."""

    recommended: Recommendation
    best: Recommendation  # with what is expected there
    aside: bool = False  # the best observed value was set aside as an error

    @property
    def expected(self) -> str:
        """The objective at the point to use."""
        return with_error(self.recommended.value, self.recommended.deviation)

    @property
    def luck(self) -> str:
        """What the best observed value is worth."""
        why = "set aside as an error" if self.aside else "including noise"
        return f"best observed value, {why}; expected there: {with_error(self.best.value, self.best.deviation)}"


def point_to_use(history: History) -> Recommendation | None:
    """The point that everything about a result names: with noise the recommended one, else the best observed one.

    None without a feasible trial, and with several objectives.
    """
    noisy, best = answer_with_noise(history), history.best
    if noisy is not None:
        return noisy.recommended
    return None if best is None or best.value is None else Recommendation(best, best.value, 0.0, "best")


def tied(history: History) -> str:
    """ "; 7 trials are tied" where other points have the same best value, and no noise decides between them."""
    best = history.best
    if best is None or answer_with_noise(history) is not None:
        return ""
    n = len({trial.unit.tobytes() for trial in history.feasible if trial.value == best.value})
    return f"; {n} trials are tied" if n > 1 else ""


def answer_with_noise(history: History) -> Noisy | None:
    """The answer where values are noisy or the best is an error; None elsewhere, where no model is fitted to find out.

    The record has to hint at noise, and a model that is fitted to all values to confirm it: a single fit may take a
    rough function for noise.
    """
    known = memory(history)
    if known.noisy is None:
        known.noisy = (_answer_with_noise(history),)
    return known.noisy[0]


def _answer_with_noise(history: History) -> Noisy | None:
    best = history.best
    if best is None or best.value is None:
        return None
    errors = history.aside().tolist()
    if not (errors or _may_be_noisy(history, best.value)):
        return None
    try:
        found, recommended = surface(history), recommend(history)
    except SufficeError:  # the file has only a description of the model
        return None
    posterior = found.fitted.posterior
    noise = posterior.noise
    errors += [history.known()[row].number for row in found.fitted.outcome.aside]
    aside = best.number in errors
    if recommended is None or not (aside or noise > _hardly(history, best.value, found.fitted.outcome)):
        return None
    if not (aside or _is_noisy(history) or _is_likely(history, found)):
        return None
    median, deviation = found.moments(best.unit[None])
    return Noisy(recommended, Recommendation(best, float(median[0]), float(deviation[0])), aside)


def without_noise(history: History) -> tuple[dict[int, float], float]:
    """The value of each done trial, by number, without noise, and the smallest difference that counts as progress.

    With noise a better value may be luck. So the values are the model's predictions at the observed points, and the
    difference is at least the standard deviation of the recommended one.
    """
    values = {trial.number: trial.value for trial in history.done if trial.value is not None}
    resolution, noisy = history.resolution or 0.0, answer_with_noise(history)
    if noisy is None or noisy.aside:
        return values, resolution
    units = np.array([trial.unit for trial in history.done if trial.number in values])
    median = surface(history).moments(units)[0]
    return dict(zip(values, median.tolist(), strict=True)), max(resolution, noisy.recommended.deviation)


def _is_noisy(history: History) -> bool:
    """Whether noise was measured."""
    return bool(np.any(history.observations(measured=True).noise_var > 0.0)) or is_random(history)


def _is_likely(history: History, found: Surface) -> bool:
    """Whether a model without noise explains the values far worse; other models than GP cannot be asked."""
    model = memory(history).given or history.settings.model
    data, space = history.observations(), history.settings.space
    return not isinstance(model, GP) or model.noise_gain(data, space, found.fitted) > NATS


def _may_be_noisy(history: History, best: float) -> bool:
    """Whether noise was measured, or the model of the last suggestion had some."""
    if _is_noisy(history):
        return True
    binding = next((r.binding for r in reversed(history.reports) if r.binding is not None), None)
    if binding is None:
        return False
    noise = math.sqrt(binding.hyper.variance * binding.hyper.tau)
    return noise > _hardly(history, best, binding.outcome)


def is_random(history: History) -> bool:
    """Whether one point was seen to have two values."""
    values: dict[bytes, float | None] = {}
    return any(values.setdefault(trial.unit.tobytes(), trial.value) != trial.value for trial in history.done)


def _hardly(history: History, best: float, outcome: Outcome) -> float:
    """The standard deviation of noise that does not matter, model units: the resolution, or what fits leave."""
    slope = float(outcome.derivative(np.array([history.settings.sign() * best]))[0])
    return max(HARDLY, slope * (history.resolution or 0.0))


def _allowed(history: History, trials: Sequence[Trial], X: Array, model: Any) -> NDArray[np.bool_]:
    """Which trials, at rows X of the cube, are probably within every limit, (n,)."""
    allowed = np.ones(len(trials), dtype=np.bool_)
    if not len(trials):
        return allowed
    for name, limit in history.settings.constraints.items():
        if not history.known(name):  # each of the trials violates another limit
            return np.zeros(len(trials), dtype=np.bool_)
        fitted = surface(history, model, name).fitted
        posterior, level = fitted.posterior, float(fitted.outcome(np.array([limit.sign * limit.limit]))[0])
        measured = [name in t.values and limit.violation(t.values[name]) == 0.0 for t in trials]
        allowed &= np.array(measured) if posterior.noise <= HARDLY else fitted.mean(X) >= level
    return allowed


# ---------------------------------------------------------------------- points as a user has them


def as_rows(points: Any, space: SearchSpace) -> tuple[Array, bool]:
    """The places of the points, (m, d), and whether it was a single one that came by itself.

    points   one point as the objective takes it, a list of them, an array (m, d) of numbers by position, a dict of
             columns, or a table with a column for each name, such as a pandas.DataFrame; its other columns are left out
    """
    if is_table(points):
        return _units(list(of_table(points, space)), space), False
    if isinstance(points, Mapping):
        if not _has_columns(points):
            return space.to_unit(points)[None], True
        return _units([dict(zip(points, row, strict=True)) for row in zip(*points.values(), strict=True)], space), False
    if _is_one(points, space):
        return space.to_unit(points)[None], True
    return _units(list(points), space), False


def _units(points: Sequence[Any], space: SearchSpace) -> Array:
    """One by one, so that a wrong point is refused by its number."""
    X = np.empty((len(points), space.dim))
    for i, point in enumerate(points):
        try:
            X[i] = space.to_unit(point)
        except (TypeError, ValueError) as error:
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"points[{i}]: {error}") from None
    return X


def _is_one(points: Any, space: SearchSpace) -> bool:
    """Whether it is a single point.

    A row of a pool is a point before it is a list of row numbers. A list is a list of points before it is a point of
    a custom space. Elsewhere it is a point if its items are values.
    """
    if isinstance(space, CustomSpace):
        return not (isinstance(points, list) and all(_is_point(item, space) for item in points))
    if isinstance(space, OwnPoints):
        return not isinstance(points, list | tuple | np.ndarray) or _is_point(points, space)
    if isinstance(points, np.ndarray):
        return points.ndim < 2
    if isinstance(points, str) or not hasattr(points, "__iter__"):
        return True  # to be refused by what it is
    if space.named or not isinstance(points, Sequence):
        return False
    several = len(points) == 0 or all(isinstance(item, list | tuple | np.ndarray) for item in points)
    return not several or _is_point(points, space)  # options may be tuples


def _is_point(point: Any, space: SearchSpace) -> bool:
    try:
        space.to_unit(point)
    except Exception:  # a space of the user's own may raise anything
        return False
    return True


def _has_columns(points: Mapping[Any, Any]) -> bool:
    """Whether it is a dict of columns, of one length, and not a point: no value of a parameter is a list."""
    columns = {name: v for name, v in points.items() if isinstance(v, list) or getattr(v, "ndim", 0) == 1}  # any array
    if not columns:
        return False
    values = [name for name in points if name not in columns]
    if values:
        raise ValueError(
            f"a dict of columns has a list for every name: got single values for {listed(values)}; one point has "
            "single values only"
        )
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns must have one length: got {lengths}")
    return True
