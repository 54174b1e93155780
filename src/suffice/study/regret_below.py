"""Stop once what the run found is good enough, by a model that is made to be careful."""

import math
from dataclasses import dataclass

from suffice.acquisition.beta import Beta, Constant, as_beta
from suffice.checks import as_bool, as_real
from suffice.study.history import History
from suffice.study.optimizer import Optimizer
from suffice.study.regret_limit import Limit, regret_limit
from suffice.study.settings import Settings, points_to_fit
from suffice.study.unexplored import Unexplored, unexplored
from suffice.threads import one_thread


@dataclass(frozen=True)
class RegretBelow:
    """Stop once the recommended point is, by a model, within a tolerance of the optimum.

    Choose it where you can say how much of the optimum you would give away, and an evaluation is worth much more than
    the hundredths of a second that the rule takes. It is as true as its model; docs/howto/stopping.md says how often it
    was wrong. It is for one objective without constraints.

    The point is `result.x`, or where the noise is not small against the tolerance `result.x_recommended`; the message
    says which. The model is fitted for the rule: unwarped, and with shorter length-scales than the data suggest. There
    is no verdict before the model of the run has chosen 2 (parameters + 1) points itself, nor while options of a choice
    were hardly tried: fewer than 2k − 1 times, or never, beside k numbers.

    Parameters
    ----------
    tolerance : float
        How much of the optimum you would give away, in the objective's units.
    beta : Constant, SqrtLog, Theory, float or callable, default: Constant(2.4)
        How many deviations better than expected a point may be.
    certified : bool, default: False
        Whether the limit has to be proven, and not only searched for.
    seconds : float, default: 1.0
        For the proof, each time the rule is asked.

    Notes
    -----
    The regret is at most the largest μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]), r the point.
    """

    tolerance: float
    beta: Beta = Constant(2.4)  # chosen together with the length-scales of the model (docs/measurements/stopping.md)
    certified: bool = False
    seconds: float = 1.0

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "beta", as_beta(self.beta))
        except (TypeError, ValueError) as error:
            raise type(error)(f"RegretBelow: beta: {error}") from None
        if not 0 < as_real(self.tolerance, "RegretBelow: tolerance") < math.inf:
            raise ValueError(f"RegretBelow needs a tolerance > 0 in the objective's units: got {self.tolerance!r}")
        as_bool(self.certified, "RegretBelow: certified")
        if not 0 < as_real(self.seconds, "RegretBelow: seconds") < math.inf:
            raise ValueError(f"RegretBelow needs finite seconds > 0 for each proof: got {self.seconds!r}")

    def check(self, settings: Settings) -> None:
        """Refuse a study of several objectives, or with constraints: what the rule claims is about one output.

        Parameters
        ----------
        settings : Settings
            Of the study that the rule is to end.
        """
        why = "several objectives" if settings.several else "constraints" if settings.constraints else ""
        if why:
            raise ValueError(
                f"sf.RegretBelow is for one objective without constraints: this study has {why}; stop by "
                "sf.NoImprovement(n), or by a rule of your own"
            )

    def __call__(self, optimizer: Optimizer) -> str | None:
        return self.judge(optimizer.history)

    def judge(self, history: History) -> str | None:
        """Say why to stop after a history.

        Parameters
        ----------
        history : History
            The record of a run, as `result.history` has it.

        Returns
        -------
        str or None
            The reason as a sentence; None to go on.
        """
        self.check(history.settings)
        chosen = sum(trial.origin == "model" for trial in history.done)
        if chosen < points_to_fit(history.settings.space):
            return None
        left = unexplored(history)
        if not all(choice.related for choice in left):
            return None
        with one_thread(history.model_rows):
            limit = regret_limit(history, self.beta, self.tolerance, self.seconds if self.certified else None)
        return None if limit is None else self._message(limit, left)

    def _message(self, limit: Limit, left: tuple[Unexplored, ...]) -> str:
        """What is claimed, about which point, and what it rests on."""
        point = "result.x_recommended" if limit.noisy else "result.x"
        size = f"the tolerance {self.tolerance:g}" if limit.proven else f"{limit.regret:.3g} ≤ {self.tolerance:g}"
        grounds = [
            f"the regret of {point} is at most {size}, as long as no point is more than "
            f"{limit.beta:.3g} deviations better than a cautious model expects",
            "this is proven for that model" if limit.proven else "the limit was searched for, not proven",
            f"beta is {'theoretical' if limit.theoretical else 'not theoretical'}",
        ]
        if limit.vague >= 0.01:
            grounds.append(f"that model knows little about {limit.vague:.0%} of the space")
        grounds += [f"what it expects of {choice} rests on the others, which share something" for choice in left]
        return "; ".join(grounds)
