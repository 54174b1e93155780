"""SufficeSampler: a study of this library behind the interface of Optuna's samplers.

A proposal is the ask of a study that is made of nothing but the trials in the storage (`propose`). Each output has a
model. It is fitted now and then, and its parameters are stored with the trial that it was fitted for. In between, the
model is that fit, rebuilt and extended by later observations, so that two workers with the same trials have the same
model. `Memory` saves time and decides nothing: it is a function of the trials, and compared with them before use.

Two workers may propose at the same time, neither knowing the other's point. So a worker writes its proposal and only
then looks at those of the others (`Seen`): of two workers at least one sees the other. The trial with the higher number
gives way: it withdraws its proposal and proposes again, with the other point known. The trial with the lower number
stays, unless the other one has not seen it and is past this already, as its first parameter in the storage shows; until
one or the other is seen, it waits.
"""

import math
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from threading import Lock
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from suffice.accuracy.report import SolveReport
from suffice.ask.models import model_of
from suffice.ask.suggest import suggest
from suffice.checks import as_count, short
from suffice.errors import SpaceExhausted
from suffice.gp.model import Fitted
from suffice.integrations.optuna.attributes import PROPOSAL, REPORT, Fit, Proposal, proposed_number, report_to_plain
from suffice.integrations.optuna.history import (
    Lesson,
    Patterns,
    Read,
    Rows,
    conditional,
    history_of,
    inferred,
    lessons,
    limits_in,
    objectives_of,
)
from suffice.integrations.optuna.space import Mapped, as_parameter, moved_into, outside, present_distributions
from suffice.record.history import History
from suffice.record.options import Aim
from suffice.record.settings import Settings
from suffice.solvers import Adaptive
from suffice.space import Space
from suffice.space.space import drawn_alone
from suffice.streams import fresh_seed
from suffice.threads import one_thread

TPE = "it shapes the density estimates of TPESampler, and the model here is a Gaussian process; leave it out"
INSTEAD = {  # arguments of other samplers, and what to do about them here
    "n_initial": "it is called n_startup_trials here, as in Optuna's samplers",
    "multivariate": "all parameters are always modelled together; leave it out",
    "group": "conditional parameters are always modelled; leave it out",
    "constant_liar": "running trials are always taken into account; leave it out",
    "deterministic_objective": "the noise is estimated; for an objective without noise, pass model=sf.GP(noise=0)",
    "warn_independent_sampling": "nothing is logged about it; leave it out",
    "direction": "the direction is the study's: optuna.create_study(direction=...)",
    "rng": "give seed=, a whole number",
    "random_state": "it is called seed here, as in Optuna's samplers",
    "search_space": "the ranges are those of the objective's suggest calls; leave it out",
    **dict.fromkeys(
        ("gamma", "weights", "prior_weight", "consider_prior", "consider_magic_clip", "consider_endpoints"),
        TPE,
    ),
    "categorical_distance_func": TPE,
    "n_ei_candidates": TPE,
}
# Beyond so many trials a search may take half as long as usual: there a longer one would take most time and find least.
# At 500 trials the mean proposal stays under 100 ms. The report says where a search was cut.
MANY = 300
WORKER_TIMEOUT = 1.0  # seconds to wait for a worker that may have died between its proposal and its first parameter


@dataclass(frozen=True)
class Seen:
    """What a worker knew of the trials that were not finished when it began to search."""

    number: int  # of its own trial
    count: int  # of all trials; those that were added later have higher numbers
    proposals: Mapping[int, Any]  # of the other trials; None where there was none

    @classmethod
    def of(cls, trials: Sequence[FrozenTrial], number: int) -> "Seen":
        open_ = (t for t in trials if t.number != number and not t.state.is_finished())
        return cls(number, len(trials), {t.number: t.system_attrs.get(PROPOSAL) for t in open_})

    def has_to_give_way(self, study: Study) -> bool:
        """Whether this worker, which has written its proposal, has to propose again."""
        end = time.monotonic() + WORKER_TIMEOUT
        while True:
            unknown = [trial for trial in study.get_trials(deepcopy=False) if self._is_unknown(trial)]
            if any(t.number < self.number or t.params or t.state.is_finished() for t in unknown):
                return True
            if not unknown or time.monotonic() > end:
                return False
            time.sleep(0.01)  # about what a database takes to answer

    def _is_unknown(self, trial: FrozenTrial) -> bool:
        if trial.number == self.number or (trial.number < self.count and trial.number not in self.proposals):
            return False
        proposal = trial.system_attrs.get(PROPOSAL)
        return bool(proposal) and proposal != self.proposals.get(trial.number)


@dataclass
class Memory:
    """Of one study."""

    reads: dict[int, Read] = field(default_factory=dict)
    patterns: Patterns | None = None
    rows: Rows | None = None
    fitted: dict[str, tuple[str, Fitted]] = field(default_factory=dict)  # the last of each output, and what it is of

    def read(self, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> Read:
        """What a trial says."""
        known = self.reads.get(trial.number)
        if known is not None and known.trial is trial:
            return known
        read = Read.of(trial, directions)
        if not read.pending:
            self.reads[trial.number] = read
        return read

    def mapped(self, distributions: Mapping[str, BaseDistribution], reads: Sequence[Read]) -> Mapped:
        """The space of these distributions with the conditions that the trials show."""
        patterns = self.patterns
        if patterns is None or patterns.distributions != distributions:
            patterns = self.patterns = Patterns(dict(distributions))
        whens = inferred(reads, patterns)
        rows = self.rows
        if rows is not None and rows.mapped.whens == whens and rows.mapped.distributions == distributions:
            return rows.mapped
        return conditional(distributions, whens)

    def rows_in(self, mapped: Mapped) -> Rows:
        """The places of trials in this space."""
        rows = self.rows
        if rows is None or rows.mapped is not mapped:
            rows = self.rows = Rows(mapped)
        return rows


@dataclass(frozen=True)
class Proposed:
    """What is to be evaluated next, and what is to be kept of how it was found."""

    proposal: Proposal
    report: SolveReport | None


def propose(
    settings: Settings,
    mapped: Mapped,
    reads: Sequence[Read],
    told: Sequence[Lesson],
    number: int,
    fixed: Mapping[str, Any],
    memory: Memory,
) -> Proposed:
    """The point of the trial with this number, with these values fixed."""
    digests = {name: _digest(settings, mapped, name) for name in settings.outputs}
    history, fits = history_of(settings, reads, told, memory.rows_in(mapped), number, _last(reads, digests))
    with one_thread(history.model_rows):
        previous = {name: _rebuilt(settings, history, name, fit, memory) for name, fit in fits.items()}
        given = fixed or None
        try:
            found = suggest(settings, history, previous, fixed=given)
        except SpaceExhausted:  # the study continues as long as its user likes
            found = suggest(replace(settings, repeat=True), history, previous, fixed=given)
    numbers = frozenset(trial.number for trial in (*history.done, *history.known()))
    made = {
        name: Fit.of(_numbered(history, name, fitted), digests[name], numbers)
        for name, fitted in (found.fitted or {}).items()
        if found.report is not None and (name not in previous or fitted.n_refit != previous[name].n_refit)
    }
    return Proposed(Proposal(mapped.params(found.point), found.origin, made), found.report)


def _digest(settings: Settings, mapped: Mapped, name: str) -> str:
    """What is modelled, and by what."""
    said = f"{mapped.digest} {model_of(settings, name)!r} {name}"
    return blake2b(said.encode(), digest_size=8).hexdigest()


def _last(reads: Sequence[Read], digests: Mapping[str, str]) -> dict[str, Fit]:
    """The newest fit of each output that is modelled as it is now."""
    found: dict[str, Fit] = {}
    for read in reversed(reads):
        for name, fit in read.fits.items():
            if name not in found and digests.get(name) == fit.digest:
                found[name] = fit
        if len(found) == len(digests):
            break
    return found


def _numbered(history: History, name: str, fitted: Fitted) -> Fitted:
    """The fit with the numbers of the trials that are set aside: among several workers their order may change."""
    known = history.known(name)
    numbers = tuple(known[row].number for row in fitted.outcome.aside)
    return replace(fitted, outcome=replace(fitted.outcome, aside=numbers))


def _rebuilt(settings: Settings, history: History, name: str, fit: Fit, memory: Memory) -> Fitted:
    """The model of an output as its fit left it."""
    n = sum(trial.number in fit.numbers for trial in history.known(name))
    data = history.observations(name).take(slice(n))
    places = {trial.number: row for row, trial in enumerate(history.known(name)[:n])}
    outcome = replace(fit.outcome, aside=tuple(sorted(places[number] for number in fit.outcome.aside)))
    what = blake2b(f"{fit.digest} {fit.hyper} {fit.outcome} {fit.constant}".encode(), digest_size=16)
    what.update(data.X.tobytes() + data.y.tobytes() + data.noise_var.tobytes())
    known = memory.fitted.get(name)
    if known is not None and known[0] == what.hexdigest():
        return known[1]
    model = model_of(settings, name)
    posterior = model.rebuild(data, settings.space, fit.hyper, outcome, fit.constant, n)
    chains = fit.chains
    ensemble = None if chains is None else model.with_posteriors(data, settings.space, chains, outcome, n)
    fitted = Fitted(posterior, outcome, fit.hyper, n, n, fit.n_cold, fit.notes, ensemble)
    memory.fitted[name] = what.hexdigest(), fitted
    return fitted


class SufficeSampler(BaseSampler):
    """Bayesian optimization by suffice, as a sampler of Optuna.

    One Gaussian process models all parameters together, including those that only some trials have. Each objective and
    each constraint has its own model; with several objectives the sampler searches for the Pareto front. It learns from
    failed, pruned and infeasible trials, and takes running ones into account. The trial's system attribute
    "suffice:report" reports how well the acquisition function was maximized. All state is in the storage, so several
    workers share a study as with Optuna's own samplers.

    Parameters
    ----------
    seed : int or None, default: None
        The same seed gives the same trials, with one worker.
    n_startup_trials : int or None, default: None
        Points of the initial design; None takes enough for the number of parameters, at most 20.
    independent_sampler : BaseSampler or None, default: None
        The sampler of parameters that could not be proposed together; None samples them uniformly.
    model, acquisition, solver : object, default: None
        As in sf.minimize; for several objectives an acquisition such as sf.acquisition.Hypervolume().
    aim : {'best', 'regret'}, default: 'best'
        As in sf.minimize.
    constraints_func : callable or None, default: None
        As in Optuna's own samplers, where `trial.set_constraint` takes its place.
    **others : object
        Arguments of Optuna's own samplers raise TypeError, which names their replacement.

    Examples
    --------
    >>> import optuna
    >>> from suffice.integrations.optuna import SufficeSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=SufficeSampler(seed=0))
    >>> def objective(trial):
    ...     return (trial.suggest_float("x", -5, 5) - 2) ** 2
    >>> study.optimize(objective, n_trials=15)
    >>> round(study.best_params["x"], 1)
    2.0
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        n_startup_trials: int | None = None,
        independent_sampler: BaseSampler | None = None,
        model: Any = None,
        acquisition: Any = None,
        solver: Any = None,
        aim: Aim = "best",
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        **others: Any,
    ) -> None:
        for word in others:
            because = INSTEAD.get(word, "see help(SufficeSampler) for its arguments")
            raise TypeError(f"SufficeSampler got an unknown argument {word!r}: {because}")
        if not isinstance(independent_sampler, BaseSampler | None):
            raise TypeError(
                "independent_sampler must be a sampler such as optuna.samplers.RandomSampler(), or None: got "
                f"{short(independent_sampler)}"
            )
        if constraints_func is not None and not callable(constraints_func):
            raise TypeError(f"constraints_func must be a function of a trial, or None: got {short(constraints_func)}")
        self._seed = None if seed is None else as_count(seed, "seed", 0)
        self._independent_sampler = independent_sampler
        self._constraints_func = constraints_func
        self._options: dict[str, Any] = {
            "model": model,
            "acquisition": acquisition,
            "solver": solver,
            "aim": aim,
        }
        if n_startup_trials is not None:
            self._options["n_initial"] = as_count(n_startup_trials, "n_startup_trials", 0)
        self._settings(Space({"x": (0.0, 1.0)}), 0)  # what is wrong is refused before anything is evaluated
        self._memory: tuple[weakref.ref[Study], Memory] | None = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_memory", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _memory=None, _lock=Lock())

    def reseed_rng(self) -> None:
        """Draw other random numbers from now on; Optuna calls it for each of its threads."""
        self._seed = fresh_seed()
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Every parameter that a trial had so far, with its present distribution."""
        others = (known for known in study.get_trials(deepcopy=False) if known.number != trial.number)
        return present_distributions(known.distributions for known in others)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values for the parameters of the search space that are active together, chosen together."""
        if not search_space:
            return {}
        whole, given = dict(search_space), {}
        if isinstance(study.sampler, PartialFixedSampler):  # it leaves out of the space what it has fixed
            for name, distribution in self.infer_relative_search_space(study, trial).items():
                if name not in search_space:
                    whole[name] = distribution
                    given[name] = study.sampler.sample_independent(study, trial, name, distribution)
        given |= trial.system_attrs.get("fixed_params", {})
        with self._lock:  # of several threads, each knows what the one before proposed
            turns = 0
            while True:
                turns += 1
                trials = study.get_trials(deepcopy=False)
                seen = Seen.of(trials, trial.number)
                others = [known for known in trials if known.number != trial.number]
                found = self._proposed(study, others, trial.number, whole, given)
                if found is None:
                    return {}
                if found.report is not None:
                    self._write(study, trial, REPORT, report_to_plain(found.report))
                self._write(study, trial, PROPOSAL, found.proposal.to_plain(whole))
                design = found.report is None  # whose points are different ones for each number
                # proposals at most, while others propose at the same time; then points may repeat
                if design or turns == 8 or not seen.has_to_give_way(study):
                    return {name: value for name, value in found.proposal.params.items() if name in search_space}
                self._write(study, trial, PROPOSAL, {})

    def __repr__(self) -> str:
        return f"SufficeSampler(seed={self._seed})"

    def _proposed(
        self,
        study: Study,
        others: Sequence[FrozenTrial],
        number: int,
        space: Mapping[str, BaseDistribution],
        given: Mapping[str, Any],
    ) -> Proposed | None:
        """The next point; None if all of its values are given."""
        memory = self._recalled(study)
        reads = [memory.read(known, study.directions) for known in others]
        mapped = memory.mapped(space, reads)
        fixed = mapped.fixed(given)
        if len(fixed) == len(mapped.columns):
            return None
        rows, told = memory.rows_in(mapped), lessons(reads, study.directions)
        rows.fill(reads)
        outputs = {"objectives": objectives_of(study.directions), "constraints": limits_in(reads, told, rows)}
        settings = self._settings(mapped.space, self._own_seed, **outputs)
        if self._options["solver"] is None and len(reads) > MANY:
            settings = replace(settings, solver=Adaptive(cap=Adaptive.cap // 2))
        return propose(settings, mapped, reads, told, number, fixed, memory)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value for one parameter, which could not be proposed together with the others.

        Nobody has had it so far, or the first trials suggested a wrong condition, which this trial corrects.
        """
        proposed = proposed_number(trial.system_attrs, param_name)
        if proposed is not None:  # and lies outside the range that is asked for
            value = moved_into(param_distribution, proposed)
            if value is not None:
                return value
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)
        parameter = as_parameter(param_distribution)
        return outside(param_distribution, drawn_alone(param_name, parameter, self._own_seed, trial.number))

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Compute the constraints, if there is a function for it."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            values_found = tuple(float(value) for value in self._constraints_func(trial))
            if any(map(math.isnan, values_found)):
                raise ValueError(f"constraints_func must return numbers: got {values_found} for trial {trial.number}")
            self._write(study, trial, "constraints", values_found)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    # ------------------------------------------------------------------ parts

    @property
    def _own_seed(self) -> int:
        """Drawn where it is first needed, so that copies of a sampler without one do not share it."""
        if self._seed is None:
            self._seed = fresh_seed()
        return self._seed

    def _settings(self, space: Space, seed: int, **outputs: Any) -> Settings:
        return Settings.of(space, seed=seed, **self._options, **outputs)

    def _recalled(self, study: Study) -> Memory:
        """What is in memory about this study: of one at a time."""
        known = self._memory
        if known is None or known[0]() is not study:
            known = self._memory = weakref.ref(study), Memory()
        return known[1]

    def _write(self, study: Study, trial: FrozenTrial, key: str, value: Mapping[str, Any] | Sequence[float]) -> None:
        """Store a system attribute, the way of Optuna's own samplers: there is no public one."""
        study._storage.set_trial_system_attr(trial._trial_id, key, value)
