"""What a trial of Optuna remembers: two system attributes of its proposal, each a small dict that JSON can hold.

suffice:report     how well the point was searched for, for people and for the regret bound's two sums
suffice:proposal   the whole point, before the objective has asked for its parameters; and the parameters of the models
                   that were fitted for it, by output

Whatever a proposal depends on is in the storage, so that each worker finds it there. So is the known
noise in a value: the user attribute suffice:noise_var, a variance, or a list with one for each objective.
"""

import math
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution

from suffice.accuracy.report import SolveReport
from suffice.gp.ensemble import Chains
from suffice.gp.fit import Hyper
from suffice.gp.model import Fitted
from suffice.gp.transform import Outcome
from suffice.record.encoding import Codec, named
from suffice.record.outputs import as_noise
from suffice.types import Status

REPORT, PROPOSAL = "suffice:report", "suffice:proposal"  # names that no other sampler has
NOISE_VAR = "suffice:noise_var"
CODEC = Codec(named(Chains, Hyper, Outcome))  # a proposal holds no other parts
# In the order in which a person wants to read them.
REPORTED = (
    *("relative_gap", "gap", "eta", "eta_lower", "n_evals", "n_grads", "status", "kind", "seconds"),
    *("value", "upper", "upper_kind", "confidence", "rank", "width", "inaccuracy", "median", "shift", "beta"),
    *("p_feasible", "reference", "eta_allowed", "eta_asked", "allowance", "mean", "deviation", "attained", "audited"),
    "notes",
)


def report_to_plain(report: SolveReport) -> dict[str, Any]:
    """The report as JSON has it, without what is not known; numbers that are not finite are strings."""
    told = {name: getattr(report, name) for name in REPORTED}
    told["status"] = report.status.name
    told["seconds"] = dict(report.seconds)
    told["notes"] = list(report.notes)
    plain = {name: value for name, value in told.items() if value is not None and value != []}
    return {name: str(v) if isinstance(v, float) and not math.isfinite(v) else v for name, v in plain.items()}


def report_from_plain(plain: object) -> SolveReport | None:
    """The report again, its binding left out; None if this is none."""
    if not isinstance(plain, Mapping):
        return None
    known = {word.name: None for word in fields(SolveReport) if word.name in REPORTED}
    numbers = {"value", "upper", "median", "gap", "inaccuracy", "width"}
    told: dict[str, Any] = {
        name: float(value) if name in numbers and isinstance(value, str) else value
        for name, value in plain.items()
        if name in known
    }
    try:
        told["status"], told["notes"] = Status[told["status"]], tuple(told.get("notes", ()))
        return SolveReport(**{**known, **told})
    except (KeyError, TypeError, ValueError):  # written by something else
        return None


@dataclass(frozen=True)
class Fit:
    """What rebuilds the model of one output: its parameters, and the trials that were known when it was fitted."""

    hyper: Hyper
    outcome: Outcome
    constant: float
    n_cold: int
    digest: str  # of what was modelled: the space, which output, and by what
    numbers: frozenset[int]  # of all trials that had a value of any output
    notes: tuple[str, ...] = ()
    chains: Chains | None = None  # of the members of the model

    @classmethod
    def of(cls, fitted: Fitted, digest: str, numbers: frozenset[int]) -> "Fit":
        constant = fitted.posterior.constant
        chains = None if fitted.ensemble is None else fitted.ensemble.chains
        return cls(fitted.hyper, fitted.outcome, constant, fitted.n_cold, digest, numbers, fitted.notes, chains)

    def to_plain(self) -> dict[str, Any]:
        """All but the trials, which it shares with the other fits of its proposal."""
        return {
            "hyper": CODEC.encode(self.hyper),
            "outcome": CODEC.encode(self.outcome),
            "constant": self.constant,
            "n_cold": self.n_cold,
            "of": self.digest,
            "notes": list(self.notes),
            "chains": CODEC.encode(self.chains),
        }

    @classmethod
    def from_plain(cls, told: Any, numbers: frozenset[int]) -> "Fit":
        return cls(
            CODEC.decode(told["hyper"]),
            CODEC.decode(told["outcome"]),
            float(told["constant"]),
            int(told["n_cold"]),
            str(told["of"]),
            numbers,
            tuple(told["notes"]),
            CODEC.decode(told.get("chains")),
        )


def packed(numbers: frozenset[int]) -> str:
    """Whole numbers as text, a bit for each: ten thousand take at most two kilobytes, and a row of them far less."""
    bits = np.zeros(1 + max(numbers, default=-1), dtype=np.uint8)
    bits[list(numbers)] = 1
    return b64encode(zlib.compress(np.packbits(bits).tobytes())).decode()


def unpacked(text: str) -> frozenset[int]:
    """The numbers again."""
    bits = np.unpackbits(np.frombuffer(zlib.decompress(b64decode(text)), dtype=np.uint8))
    return frozenset(np.flatnonzero(bits).tolist())


@dataclass(frozen=True)
class Proposal:
    """What was proposed: the whole point, where it comes from, and the fits that were made for it, by output."""

    params: Mapping[str, Any]
    origin: str
    fits: Mapping[str, Fit] = field(default_factory=dict)  # all of them to the same trials

    def to_plain(self, distributions: Mapping[str, BaseDistribution]) -> dict[str, Any]:
        """Values as Optuna's storages keep them: floats, and the place of a choice."""
        point = {name: distributions[name].to_internal_repr(value) for name, value in self.params.items()}
        plain: dict[str, Any] = {"params": point, "origin": self.origin}
        if not self.fits:
            return plain
        numbers = next(iter(self.fits.values())).numbers
        fits = {name: fit.to_plain() for name, fit in self.fits.items()}
        return plain | {"fits": fits, "trials": packed(numbers)}


def origin_of(attributes: Mapping[str, Any]) -> Any:
    """Where a trial's point comes from, in the words of a study; "foreign": not from this sampler."""
    told = attributes.get(PROPOSAL)
    origin = told.get("origin") if isinstance(told, Mapping) else None
    return origin if origin in ("design", "model") else "foreign"


def fits_of(attributes: Mapping[str, Any]) -> Mapping[str, Fit]:
    """The fits that were made for a trial, by output; {} if none were, or if they cannot be read."""
    told = attributes.get(PROPOSAL)
    if not isinstance(told, Mapping) or "fits" not in told:
        return {}
    try:
        numbers = unpacked(told["trials"])
        return {str(name): Fit.from_plain(fit, numbers) for name, fit in told["fits"].items()}
    except (AttributeError, KeyError, TypeError, ValueError, zlib.error):  # written by something else
        return {}


def noise_of(attributes: Mapping[str, Any], number: int, objectives: Sequence[str]) -> dict[str, float] | None:
    """The known noise in the values of a trial, by objective; None if nothing."""
    given = attributes.get(NOISE_VAR)
    if given is None:
        return None
    each = list(given) if isinstance(given, list | tuple) else [given]
    try:
        if len(each) != len(objectives):
            raise ValueError(f"{len(each)} values for {len(objectives)} objectives")
        known = {name: as_noise(one) for name, one in zip(objectives, each, strict=True)}
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the user attribute {NOISE_VAR!r} of trial {number} must be a variance ≥ 0, or a list with one (or None) "
            f"for each objective: got {given!r} ({error}); leave it out if the noise is unknown"
        ) from error
    return {name: one for name, one in known.items() if one is not None} or None


def proposed_number(attributes: Mapping[str, Any], name: str) -> float | None:
    """What was proposed for a parameter, as Optuna's storages keep it; None if nothing was."""
    told = attributes.get(PROPOSAL)
    params = told.get("params") if isinstance(told, Mapping) else None
    value = params.get(name) if isinstance(params, Mapping) else None
    return float(value) if isinstance(value, int | float) else None
