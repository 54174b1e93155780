"""What a study is made of: all that it takes to run it again, or to look back at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Unpack, get_args

from suffice.accuracy.report import Diagnostics
from suffice.acquisition import ACQUISITIONS, UCB, Acquisition, Hypervolume, LookAround
from suffice.belief import VALUE
from suffice.checks import Own, as_bool, as_count, as_number, short
from suffice.gp.model import GP, Model
from suffice.pruning import Pruner, as_rule
from suffice.record.arguments import as_points, as_seed
from suffice.record.options import Aim, Direction, StudyOptions
from suffice.record.outputs import (
    Limit,
    as_constraints,
    as_objectives,
    as_reference,
    as_values,
    check_complete,
    is_allowed,
)
from suffice.solvers import Adaptive
from suffice.space import SearchSpace, as_space, is_constrained, is_unknown
from suffice.streams import Streams, fresh_seed
from suffice.text import brief, visible
from suffice.types import Solver

# With many parameters the prior is worth more than a larger design: in 12 to 50 of them, designs of up to 20
# points left less regret after 40 to 120 trials than larger ones, in the mean over four problems
# (measurements/defaults.md).
LARGEST_DESIGN = 20
OPEN_DESIGN = 10  # points where the number of parameters is not known beforehand: enough for four of them

# From so many parameters on, a search is twice the first batch of runs at most, not eight times, and from VERY_MANY on
# the first batch alone: an exploring acquisition has local maxima in every corner, and further runs find new ones
# until the cap. Asks take less time for it, and runs end as well (measurements/high-dimension.md).
MANY, VERY_MANY = 20, 60

# The parts of a study that a user may exchange, each with an example.
PARTS = {"model": "sf.GP()", "acquisition": "sf.acquisition.EI()", "solver": "sf.solvers.Grid()"}


@dataclass(frozen=True)
class Opaque:
    """A part that a file could only describe, because its class is not one of the library's."""

    text: str  # its repr


def at_hand(word: str, part: Any) -> Any:
    """A part that can be called; TypeError where a file has only its description."""
    if isinstance(part, Opaque):
        raise TypeError(f"the {word} is known only by its description: {part.text}; give it by hand")
    return part


@dataclass(frozen=True)
class Settings:
    """Everything that an optimizer was made with; with the same settings and observations it asks the same points."""

    space: SearchSpace
    seed: int
    n_initial: int  # points of the initial design, told ones included
    objectives: Any = Own()  # dict[str, Sense] by name; one objective is called "value"
    model: Model | Opaque = field(default_factory=GP)
    acquisition: Acquisition | Opaque = field(default_factory=LookAround)
    solver: Solver | Opaque = field(default_factory=Adaptive)
    x0: tuple[Any, ...] = ()  # points to propose first, as dicts or tuples
    repeat: bool = False  # whether a point may be proposed twice
    resolution: float | None = None  # differences of the objective that do not matter; None: a share of the spread
    diagnostics: Diagnostics = Diagnostics()
    pruner: Pruner | Opaque | None = None  # the rule by which evaluations are stopped on their way
    constraints: Any = Own(None, dict)  # dict[str, Limit] by the name of the output that is limited
    reference: Any = Own(None)  # dict[str, float]: of the hypervolume, by objective, the user's units; None: chosen

    def __repr__(self) -> str:
        """Parts without what they have by default, and nothing that was not asked for."""
        said = [f"space={visible(repr(self.space), 300)}", f"seed={self.seed}", f"n_initial={self.n_initial}"]
        said.append(f"objectives={self.objectives!r}")
        said += [f"constraints={self.constraints!r}"] if self.constraints else []
        said += [f"{word}={brief(getattr(self, word))}" for word in PARTS]
        asked = {word: getattr(self, word) for word in ("repeat", "resolution", "diagnostics", "pruner")}
        said += [f"{word}={brief(value)}" for word, value in asked.items() if value not in (None, False, Diagnostics())]
        return f"Settings({', '.join([*said, *([f'x0=({len(self.x0)} points)'] if self.x0 else [])])})"

    @classmethod
    def of(cls, space: Any, **options: Unpack[StudyOptions]) -> "Settings":
        """Settings from what a user passes: defaults are filled in, and what is wrong is refused by name."""
        n_initial = options.get("n_initial")
        seed = as_seed(options.get("seed"))
        constraints = as_constraints(options.get("constraints"))
        objectives = as_objectives(options.get("objectives"), options.get("direction"), constraints)
        aim = options.get("aim", "best")
        if aim not in get_args(Aim):
            raise ValueError(f"aim must be {' or '.join(map(repr, get_args(Aim)))}: got {aim!r}")
        inside = as_space(space)
        if is_constrained(inside):
            inside.sample(1, Streams(0)("feasible"))  # a space without feasible points is refused before anything runs
        return cls(
            inside,
            objectives=objectives,
            seed=fresh_seed() if seed is None else seed,
            n_initial=initial_points(inside) if n_initial is None else as_count(n_initial, "n_initial", 0),
            # The bounds that aim="regret" is for are those of one kernel.
            model=as_part(options.get("model"), GP(members=1) if aim == "regret" else GP(), "model"),
            acquisition=_as_acquisition(options.get("acquisition"), aim, objectives),
            solver=as_part(options.get("solver"), usual_solver(inside), "solver"),
            x0=as_points(options.get("x0"), inside),
            repeat=as_bool(options.get("repeat", False), "repeat"),
            resolution=as_number(
                options.get("resolution"),
                "resolution",
                "a difference ≥ 0 in the objective's units, or None for a thousandth of the spread of the values",
                lambda difference: difference >= 0,
            ),
            diagnostics=_as_diagnostics(options.get("diagnostics")),
            pruner=_as_early_stop(options.get("pruner"), objectives),
            constraints=constraints,
            reference=as_reference(options.get("reference"), objectives),
        )

    def within(self, space: SearchSpace) -> "Settings":
        """The same in another space; the usual solver is the usual one there."""
        usual = self.solver == usual_solver(self.space)
        return replace(self, space=space, solver=usual_solver(space) if usual else self.solver)

    @property
    def objective(self) -> str:
        """The name of the only objective, or of the first one."""
        first: str = next(iter(self.__dict__["objectives"]))  # not a copy: this is asked a thousand times
        return first

    @property
    def several(self) -> bool:
        """Whether there are several objectives, so that a front is looked for."""
        return len(self.__dict__["objectives"]) > 1

    @property
    def outputs(self) -> tuple[str, ...]:
        """What an evaluation returns: the objectives, then the constrained outputs."""
        return (*self.__dict__["objectives"], *self.__dict__["constraints"])

    @property
    def direction(self) -> Direction:
        """The direction of the only objective; ValueError where there are several."""
        if self.several:
            raise ValueError(f"there are several objectives, each with its own direction: {self.objectives!r}")
        only: Direction = self.__dict__["objectives"][self.objective]
        return only

    @property
    def aims(self) -> str:
        """What is done to the objectives, in words: "minimize", or "minimize error, maximize throughput"."""
        if not self.several and self.objective == VALUE:
            return self.direction
        return ", ".join(f"{direction} {name}" for name, direction in self.objectives.items())

    def sign(self, name: str | None = None) -> float:
        """What turns the user's values of an output, by default the only objective, into larger-is-better: +1 or −1."""
        name = self.objective if name is None else name
        limit: Limit | None = self.__dict__["constraints"].get(name)
        if limit is not None:
            return limit.sign
        return 1.0 if self.__dict__["objectives"][name] == "maximize" else -1.0

    def as_values(self, value: Any) -> dict[str, float]:
        """What an evaluation returned as all outputs by name, nan where one is missing; TypeError if it is none."""
        return as_values(value, self.__dict__["objectives"], self.__dict__["constraints"])

    def check_complete(self, value: Any) -> None:
        """TypeError if what an objective function returned lacks an output by name."""
        check_complete(value, self.__dict__["objectives"], self.__dict__["constraints"])

    def is_allowed(self, values: Mapping[str, float]) -> bool:
        """Whether all constrained outputs are within their limits."""
        return is_allowed(values, self.__dict__["constraints"])


def _as_acquisition(given: object, aim: Aim, objectives: Mapping[str, Direction]) -> Acquisition:
    """The acquisition that was given, that serves the aim, or that of several objectives."""
    several = len(objectives) > 1
    # Regret is what all evaluations together fall short of the best.
    usual: Acquisition = Hypervolume() if several else UCB() if aim == "regret" else LookAround()
    found: Acquisition = as_part(given, usual, "acquisition")
    if several and type(found) in {type(make()) for make in ACQUISITIONS.values()}:
        raise TypeError(
            f"acquisition={brief(found)} is for one objective, and the study has {len(objectives)}: "
            f"{', '.join(objectives)}; leave acquisition= out, or use sf.acquisition.Hypervolume()"
        )
    return found


def initial_points(space: SearchSpace, n_trials: int | None = None) -> int:
    """Enough to fit the model where there are few parameters; of few trials at most a third."""
    wanted = OPEN_DESIGN if is_unknown(space) else min(points_to_fit(space), LARGEST_DESIGN)
    return wanted if n_trials is None else min(wanted, max(2, n_trials // 3))


def usual_solver(space: SearchSpace) -> Adaptive:
    """Just enough; of many parameters from few batches of runs."""
    count = len(space.coordinates)
    if count < MANY:
        return Adaptive()
    return Adaptive(cap=2 if count < VERY_MANY else 1)


def points_to_fit(space: SearchSpace) -> int:
    """Enough for a length-scale for each parameter, a scale and a noise."""
    return 2 * (len(space.coordinates) + 1)


def as_part(given: Any, default: Any, word: str) -> Any:
    """A part of a study, checked before anything is evaluated: an object, not its class or its name."""
    if given is None:
        return default
    if isinstance(given, type) or not callable(given) or (word == "model" and not is_model(given)):
        raise TypeError(f"{word} must be an object such as {PARTS[word]}: got {given!r}")
    return given


def is_model(part: object) -> bool:
    """Whether it can be the model of a study: a user's own class need not be one of ours, but rebuilds posteriors."""
    return hasattr(part, "rebuild")


def _as_diagnostics(given: object) -> Diagnostics:
    if given is None:
        return Diagnostics()
    if not isinstance(given, Diagnostics):
        raise TypeError(f"diagnostics must be a value such as sf.solvers.Diagnostics(audit=0.1): got {short(given)}")
    return given


def _as_early_stop(given: object, objectives: Mapping[str, Direction]) -> Pruner | None:
    rule = as_rule(given)
    if rule is not None and len(objectives) > 1:
        raise ValueError("pruner supports one objective only: with several, reports would be ambiguous")
    return rule
