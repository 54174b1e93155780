"""Ask for a point, tell its value: the only object of the library that changes.

It calls the parts and keeps the record; what it knows is the list of trials, in order, and from it everything
else follows: the same seed and the same tellings give the same suggestions, bit for bit.
"""

import copy
import logging
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from suffice.accuracy.report import SolveReport, certified, make_binding, solve_report
from suffice.accuracy.series import Accuracy
from suffice.acquisition import UCB, Acquisition
from suffice.belief import Beliefs
from suffice.candidates import sobol
from suffice.errors import NoFinishedTrial, SpaceExhausted
from suffice.gp.model import GP, Fitted, Model, Observations
from suffice.gp.posterior import Posterior
from suffice.solvers import Enough
from suffice.space import Space, as_space
from suffice.streams import Streams, fresh_seed
from suffice.study.assumptions import premises
from suffice.study.history import beliefs, make_step, observations, outlier_notes
from suffice.study.novelty import best_new_point
from suffice.study.options import Sense
from suffice.study.result import Result, best_trial, make_result
from suffice.study.settings import Settings, as_part
from suffice.study.trial import Origin, Trial, as_count, as_noise, as_point, as_value
from suffice.threads import one_thread
from suffice.types import Array, Domain, Score, Solver, as_score

log = logging.getLogger("suffice")


class Optimizer:
    """A Bayesian optimizer by ask and tell.

    space       a Space, a list of pairs (low, high), or a dict of parameters or pairs
    sense       "minimize" or "maximize"
    seed        None: a fresh one, to be read from `seed`
    n_initial   points of the initial design, told ones included; None: 2 (parameters + 1)
    x0          points to propose first
    repeat      whether a point may be proposed twice (an objective with noise); False: never
    certify     seconds for a proof of each suggestion's `solve.upper_certified` (UCB); None: no proof
    """

    def __init__(
        self,
        space: Any,
        *,
        sense: Sense = "minimize",
        seed: int | None = None,
        n_initial: int | None = None,
        model: Model | None = None,
        acquisition: Acquisition | None = None,
        solver: Solver | None = None,
        x0: Sequence[Any] | None = None,
        repeat: bool = False,
        certify: float | None = None,
    ) -> None:
        if sense not in ("minimize", "maximize"):
            raise ValueError(f"sense must be 'minimize' or 'maximize': got {sense!r}")
        self.space: Space = as_space(space)
        self.sense: Sense = sense
        self.seed = fresh_seed() if seed is None else as_count(seed, "seed", 0)
        self.n_initial = _n_initial(n_initial, self.space)
        self.model: Model = as_part(model, GP(), "model", "sf.GP()")
        self.acquisition: Acquisition = as_part(acquisition, UCB(), "acquisition", "sf.EI()")
        self.solver: Solver = as_part(solver, Enough(), "solver", "sf.Grid()")
        self.repeat = repeat
        self.certify = certify
        self._given = [as_point(point, self.space) for point in (() if x0 is None else x0)]
        self._streams = Streams(self.seed)
        self._trials: list[Trial] = []
        self._told: list[int] = []  # numbers of the done trials, in the order of their tellings
        self._settled = 0  # tellings so far: values, failures and cancellations
        self._pending: dict[int, None] = {}  # numbers of the pending trials, in order
        self._notes: list[str] = []
        self._fitted: Fitted | None = None  # a cache: the data decide what it holds
        self._fit_seconds = 0.0  # that the last fit took; asked only where a deadline makes the clock matter
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        best = f", best {self.best.value:g}" if self._told else ""
        return f"<Optimizer of {len(self.space.names)} parameters, {self.sense}, {len(self._trials)} trials{best}>"

    # ------------------------------------------------------------------ what is known

    @property
    def settings(self) -> Settings:
        """What the run is made of."""
        parts = self.model, self.acquisition, self.solver
        return Settings(self.space, self.sense, self.seed, self.n_initial, *parts, self.repeat)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending ones too."""
        return tuple(self._trials)

    @property
    def best(self) -> Trial:
        """The done trial with the best value, the first of equals."""
        with self._lock:
            best = best_trial(self._trials, self._sign)
            if best is None:
                raise NoFinishedTrial(
                    f"none of the {len(self._trials)} trials has a value yet: ask(), evaluate, tell(trial, value)"
                )
            return best

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were: relative gaps, η_t, M_T, the realised gain and the regret bound."""
        with self._lock:
            if self._fitted is None:
                return Accuracy(tuple(self._reports))
            known = premises(self._fitted, self.acquisition, self.space.dim)
            return Accuracy(tuple(self._reports), self._fitted.posterior.gain, known)

    def result(self, message: str = "the run so far") -> Result:
        """The best point and the whole history as a SciPy OptimizeResult."""
        with self._lock:
            return make_result(self._trials, self.settings, message, self._notes, self.accuracy)

    # ------------------------------------------------------------------ ask

    @overload
    def ask(self, *, deadline: float | None = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, deadline: float | None = None) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, deadline: float | None = None) -> Trial | list[Trial]:
        """The next trial, or a list of n distinct ones; each stays pending until told, failed or cancelled.

        deadline: seconds from now after which the best point so far is taken, with its report. The clock is looked at
        between batches of work; the model is not fitted again if its last fit took more than half of that time.

        The list is shorter where a finite space runs out; SpaceExhausted is for the ask that finds nothing at all.
        """
        if deadline is not None and not deadline > 0:
            raise ValueError(f"deadline must be seconds > 0 or None: got {deadline!r}")
        until = None if deadline is None else time.monotonic() + deadline
        with self._lock, one_thread(len(self._told)):
            trials: list[Trial] = []
            for _ in range(1 if n is None else as_count(n, "n", 1)):
                try:
                    trials.append(self._ask(until))
                except SpaceExhausted:
                    if not trials:
                        raise
                    break
            return trials[0] if n is None else trials

    def _ask(self, deadline: float | None) -> Trial:
        number = len(self._trials)
        origins = [trial.origin for trial in self._trials if trial.state != "cancelled"]
        given = sum(trial.origin == "given" for trial in self._trials)
        if given < len(self._given):
            return self._add(self._given[given], "given")
        self._check_not_exhausted()
        if not self._told or sum(origin != "model" for origin in origins) < self.n_initial:
            return self._add(self.space.from_unit(self._design_point(number)), "design")
        return self._suggest(number, deadline)

    def _design_point(self, number: int) -> Array:
        """The next point of one scrambled Sobol sequence that was not proposed before."""
        index = sum(trial.origin == "design" for trial in self._trials)
        rows = max(self.n_initial, 1 << index.bit_length())
        design = sobol(rows, self.space, design=np.empty((0, self.space.dim)), rng=self._streams("design"))
        return self._distinct(design[index], None, self.space, number)

    def _suggest(self, number: int, deadline: float | None) -> Trial:
        """Model-based: fit, freeze alpha_t, solve it (paper, Alg. 1 and 2)."""
        clock = [time.perf_counter()]
        hurry = deadline is not None and deadline - time.monotonic() < 2.0 * self._fit_seconds
        data, reports, n_refit = self._data(), self._reports, None if self._fitted is None else self._fitted.n_refit
        self._fitted = fitted = self.model(data, self.space, self._fitted, hurry=hurry)
        clock.append(time.perf_counter())
        if fitted.n_refit != n_refit:
            self._fit_seconds = clock[1] - clock[0]
        t = 1 + sum(trial.origin == "model" for trial in self._trials)
        step = make_step(t, fitted.posterior, self._trials, reports, deadline)
        rng = self._streams("acquisition", number)
        alpha = as_score(self.acquisition(self._beliefs(fitted.posterior), self.space, step=step, rng=rng))
        clock.append(time.perf_counter())
        domain = self.space if alpha.domain is None else alpha.domain
        solution = self.solver(alpha, domain, step=step, rng=self._streams("solver", number))
        x = self._distinct(solution.x, alpha, domain, number)
        if x is not solution.x:
            solution = replace(solution, x=x, value=float(alpha(x[None])[0]))
        clock.append(time.perf_counter())
        notes = fitted.notes + outlier_notes(data, fitted.outcome)
        self._note(*notes)
        seconds = dict(zip(("fit", "bind", "solve"), np.diff(clock).tolist(), strict=True))
        binding = make_binding(t, fitted, self._settled, tuple(self._pending))
        report = solve_report(alpha, solution, domain, fitted.outcome, binding=binding, seconds=seconds, notes=notes)
        seconds["report"] = time.perf_counter() - clock[-1]
        if self.certify is not None:
            report = certified(report, alpha, domain, self.certify)
        return self._add(self.space.from_unit(x), "model", solve=report)

    def fit(self) -> Fitted:
        """The model of all values told so far."""
        with self._lock, one_thread(len(self._told)):
            # Not cached here: who looks between two asks must not change when the next fit is due.
            return self.model(self._data(), self.space, self._fitted)

    def _data(self) -> Observations:
        return observations([self._trials[number] for number in self._told], self.space.dim, self._sign)

    def _beliefs(self, posterior: Posterior) -> Beliefs:
        pending = [self._trials[number] for number in self._pending]
        return beliefs(posterior, [trial for trial in self._trials if trial.state == "failed"], pending)

    @property
    def _reports(self) -> list[SolveReport]:
        return [trial.solve for trial in self._trials if trial.solve is not None and trial.state != "cancelled"]

    def _add(self, point: Any, origin: Origin, solve: SolveReport | None = None) -> Trial:
        # The point is the fact; its place in the cube is derived from it, as it will be after a resume.
        trial = Trial(len(self._trials), point, origin=origin, solve=solve, x=self._place(point))
        for array in (trial.x, point):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        self._trials.append(trial)
        self._pending[trial.number] = None
        return replace(trial, point=copy.copy(point))  # the caller may take it apart, the record stays

    def _place(self, point: Any) -> Array:
        return self.space.to_unit(point)

    # ------------------------------------------------------------------ never the same point twice

    def _seen(self) -> set[bytes]:
        return {trial.x.tobytes() for trial in self._trials if trial.state != "cancelled"}

    def _check_not_exhausted(self) -> None:
        if not self.repeat and self.space.size <= len(self._trials) and self.space.size <= len(self._seen()):
            raise SpaceExhausted(
                f"all {int(self.space.size)} points of the space have been proposed; "
                "enlarge the space, or allow repeats with repeat=True"
            )

    def _distinct(self, x: Array, alpha: Score | None, domain: Domain, number: int) -> Array:
        """x itself if it is new, else the best new point of the domain near it or anywhere."""
        seen = self._seen()
        if self.repeat or self._key(x) not in seen:
            return x
        # An acquisition's own finite set may be used up before the space is.
        places = (domain, self.space)
        return best_new_point(x, alpha, places, lambda y: self._key(y) not in seen, self._streams("distinct", number))

    def _key(self, x: Array) -> bytes:
        return self._place(self.space.from_unit(x)).tobytes()

    # ------------------------------------------------------------------ tell

    def tell(
        self, trial: Trial | Any, value: Any, *, noise_var: float | None = None, seconds: float | None = None
    ) -> Trial:
        """Record the value of a trial, or of a point of your own; nan or inf says that the evaluation failed."""
        number, noise = as_value(value), as_noise(noise_var)
        with self._lock:
            known = self._known(trial) if isinstance(trial, Trial) else self._pending_at(trial)
            if known.state == "done":
                if number == known.value:
                    return known
                raise ValueError(
                    f"trial {known.number} was told {known.value!r} already: got {number!r}; "
                    "a second measurement of a point is told as tell(trial.point, value)"
                )
            if not math.isfinite(number):
                if math.isinf(number):
                    self._note("an infinite value counts as a failed evaluation, like nan")
                return self._fail(known, f"the value was {number}", seconds)
            self._told.append(known.number)
            return self._settle(
                replace(known, state="done", value=number, reason=None, noise_var=noise, seconds=seconds)
            )

    def fail(self, trial: Trial, reason: str = "failed", *, seconds: float | None = None) -> Trial:
        """Record that the evaluation failed: kept, never fatal, and not proposed again."""
        with self._lock:
            known = self._known(trial)
            if known.state == "done":
                raise ValueError(f"trial {known.number} was told {known.value!r} already; it cannot fail any more")
            return self._fail(known, str(reason), seconds)

    def cancel(self, trial: Trial, reason: str = "cancelled") -> Trial:
        """No longer pending, nothing learned; its point may be proposed again."""
        with self._lock:
            known = self._known(trial)
            if known.state != "pending":
                return known
            return self._settle(replace(known, state="cancelled", reason=str(reason)))

    def _fail(self, known: Trial, reason: str, seconds: float | None) -> Trial:
        return self._settle(replace(known, state="failed", reason=reason, seconds=seconds))

    def _settle(self, trial: Trial) -> Trial:
        trial = self._trials[trial.number] = replace(trial, told=self._settled)
        self._settled += 1
        self._pending.pop(trial.number, None)
        return trial

    def _known(self, trial: Trial) -> Trial:
        """The present state of a trial that this optimizer made."""
        if 0 <= trial.number < len(self._trials):
            known = self._trials[trial.number]
            if np.array_equal(known.x, trial.x):
                return known
        raise ValueError(
            f"trial {trial.number} is not one of this optimizer's {len(self._trials)} trials; "
            "a point evaluated elsewhere is told as tell(point, value)"
        )

    def _pending_at(self, point: Any) -> Trial:
        """The pending trial at a point, or a new foreign one."""
        given = as_point(point, self.space)
        x = self._place(given)
        for number in self._pending:
            if np.array_equal(self._trials[number].x, x):
                return self._trials[number]
        return self._trials[self._add(given, "foreign").number]

    # ------------------------------------------------------------------ small things

    @property
    def _sign(self) -> float:
        return 1.0 if self.sense == "maximize" else -1.0

    def _note(self, *notes: str) -> None:
        for note in notes:
            if note not in self._notes:
                log.warning("%s", note)
                self._notes.append(note)


def _n_initial(n_initial: int | None, space: Space) -> int:
    """Enough to fit a length-scale for each parameter, a scale and a noise."""
    return 2 * (len(space.coordinates) + 1) if n_initial is None else as_count(n_initial, "n_initial", 0)
