"""SufficeSampler: a study of this library behind the interface of Optuna's samplers."""

import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any
from zlib import crc32

from optuna import logging as optuna_logging
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from suffice.checks import as_bool, as_count
from suffice.gp.model import GP
from suffice.integrations.optuna.attributes import PROPOSAL, REPORT, proposed_number, report_to_plain
from suffice.integrations.optuna.lessons import lessons, senses
from suffice.integrations.optuna.memory import Memory
from suffice.integrations.optuna.proposing import Proposed, propose
from suffice.integrations.optuna.ranges import moved_into, present_distributions
from suffice.integrations.optuna.record import limits_in
from suffice.integrations.optuna.spaces import as_parameter, outside
from suffice.integrations.optuna.turns import TURNS, Seen
from suffice.integrations.optuna.words import refuse
from suffice.solvers import Enough
from suffice.space import Space
from suffice.streams import Streams, fresh_seed
from suffice.study.options import Aim
from suffice.study.settings import Settings

MODEL = GP(max_points=1000)  # of 10 000 trials a proposal takes under a second then
# Beyond so many trials, where a search for another place would take longest and what is left to find is least, searches
# may take half as long as usual: at 500 trials the mean proposal stays under 100 ms. The report says where one was cut.
MANY, SHORTER = 300, Enough(cap=4)
LOG = optuna_logging.get_logger("optuna.suffice")


class SufficeSampler(BaseSampler):
    """Bayesian optimization by suffice, as a sampler of Optuna.

    All parameters are modelled together by a Gaussian process, those too that only some trials have. Each objective and
    each constraint has a model of its own; of several objectives the front is looked for. Failed, pruned and infeasible
    trials are learned from, and running ones are taken into account. How well each point was searched for is in the
    trial's system attributes, under "suffice:report". Whatever the sampler knows is in the storage: several workers
    share a study as they do with Optuna's own samplers.

    Parameters
    ----------
    seed : int or None, default: None
        The same seed gives the same trials, with one worker.
    n_startup_trials : int or None, default: None
        Points of the initial design; None: enough for the number of parameters, at most 20.
    independent_sampler : BaseSampler or None, default: None
        Draws the parameters that could not be proposed together; None: they are drawn uniformly.
    model, acquisition, solver : object, default: None
        As in sf.minimize; for several objectives an acquisition such as sf.Hypervolume().
    aim : {'best', 'regret'}, default: 'best'
        As in sf.minimize.
    constraints_func : callable or None, default: None
        As in Optuna's own samplers, where `trial.set_constraint` takes its place.
    warn_independent_sampling : bool, default: True
        Whether to log it when a parameter that is known was not proposed with the others.
    **others : object
        Words of Optuna's own samplers: they are refused, with what takes their place.

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
        *,
        seed: int | None = None,
        n_startup_trials: int | None = None,
        independent_sampler: BaseSampler | None = None,
        model: Any = None,
        acquisition: Any = None,
        solver: Any = None,
        aim: Aim = "best",
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
        **others: Any,
    ) -> None:
        refuse(others)
        self._seed = None if seed is None else as_count(seed, "seed", 0)
        self._independent_sampler = independent_sampler
        self._constraints_func = constraints_func
        self._warn = as_bool(warn_independent_sampling, "warn_independent_sampling")
        self._options: dict[str, Any] = {
            "model": MODEL if model is None else model,
            "acquisition": acquisition,
            "solver": solver,
            "aim": aim,
        }
        if n_startup_trials is not None:
            self._options["n_initial"] = as_count(n_startup_trials, "n_startup_trials", 0)
        self._settings(Space({"x": (0.0, 1.0)}), 0)  # what is wrong is refused before anything is evaluated
        self._memory: tuple[Any, int, Memory] | None = None
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
        partial = getattr(study.sampler, "_fixed_params", {})  # of optuna.samplers.PartialFixedSampler
        known = self.infer_relative_search_space(study, trial) if partial else {}
        whole = {**search_space, **{name: known[name] for name in partial if name in known}}
        with self._lock:  # of several threads, each knows what the one before proposed
            given = {**partial, **trial.system_attrs.get("fixed_params", {})}
            turns = 0
            while True:
                turns += 1
                trials = study.get_trials(deepcopy=False)
                seen = Seen.of(trials, trial.number)
                found = self._proposed(
                    study, [t for t in trials if t.number != trial.number], trial.number, whole, given
                )
                if found is None:
                    return {}
                if found.report is not None:
                    self._write(study, trial, REPORT, report_to_plain(found.report))
                self._write(study, trial, PROPOSAL, found.proposal.to_plain(whole))
                design = found.report is None  # whose points are different ones for each number
                if design or turns == TURNS or not seen.has_to_give_way(study):
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
        outputs = {"objectives": senses(study.directions), "constraints": limits_in(reads, told, rows)}
        settings = self._settings(mapped.space, self._own_seed, **outputs)
        if self._options["solver"] is None and len(reads) > MANY:
            settings = replace(settings, solver=SHORTER)
        return propose(settings, mapped, reads, told, number, fixed, memory)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value for one parameter, which could not be proposed together with the others."""
        proposed = proposed_number(trial.system_attrs, param_name)
        if proposed is not None:  # and lies outside the range that is asked for
            value = moved_into(param_distribution, proposed)
            if value is not None:
                return value
        if self._warn and any(param_name in known.params for known in study.get_trials(deepcopy=False)):
            LOG.warning(
                f"The parameter `{param_name}` in trial {trial.number} is drawn on its own: its range or its condition "
                "is another one than before. warn_independent_sampling=False silences this."
            )
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)
        space = Space({param_name: as_parameter(param_distribution)})
        rng = Streams(self._own_seed)("independent", (trial.number + 1) << 32 | crc32(param_name.encode()))
        point = space.from_unit(space.sample(1, rng)[0])
        return outside(param_distribution, point[param_name])

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
        storage, known = study._storage, self._memory
        if known is None or known[0]() is not storage or known[1] != study._study_id:
            known = self._memory = weakref.ref(storage), study._study_id, Memory()
        return known[2]

    def _write(self, study: Study, trial: FrozenTrial, key: str, value: Mapping[str, Any] | Sequence[float]) -> None:
        study._storage.set_trial_system_attr(trial._trial_id, key, value)
