"""What a run's regret bound rests on: the model, what the acquisition says about its own β, and the trials."""

from suffice.accuracy.bounds import Premises
from suffice.accuracy.estimate import DELTA
from suffice.acquisition import UCB, Beta, Hypervolume, LookAround, Theory, Thompson
from suffice.gp.model import GP, Fitted
from suffice.study.history import History

UNKNOWN = ("the acquisition has no β that knows its assumptions",)


def premises(fitted: Fitted, history: History) -> Premises:
    """The premises of a run whose model is `fitted`; a β schedule says itself which of its assumptions fail."""
    posterior, settings = fitted.posterior, history.settings
    bindings = [report.binding for report in history.reports if report.binding is not None]
    beta: Beta | None = None
    broken: tuple[str, ...] = UNKNOWN
    ucb = False
    match settings.acquisition:
        case Hypervolume(beta=beta):
            broken = beta.broken(posterior)
        case UCB(beta=beta) | LookAround(improve=UCB(beta=beta)):
            broken, ucb = beta.broken(posterior), True
        case Thompson(beta=beta):
            broken = beta.broken(posterior)
    B, R, delta = (beta.B, beta.R, beta.delta) if isinstance(beta, Theory) else (None, None, DELTA)
    return Premises(
        kernel=posterior.kernel,
        tau=float(posterior.factor.tau.max()) if posterior.n else fitted.hyper.tau,
        dimension=settings.space.dim,
        scale=posterior.scale,
        B=B,
        R=R,
        delta=delta,
        fitted=is_fitted(history),
        warped=any(one.outcome.lam != 1.0 for binding in bindings for one in (binding, *binding.others.values())),
        beta_broken=broken,
        ucb=ucb,
        failed=len(history.failed),
        left_out=fitted.n_seen - posterior.n,
        objectives=len(settings.objectives),
        limited=tuple(settings.constraints),
        within=len(history.feasible) if settings.constraints else None,
        lacking=sum(len(trial.values) < len(settings.outputs) for trial in history.done),
    )


def is_fitted(history: History) -> bool:
    """Whether the model estimates something from the data; of a model that is not ours nothing is known."""
    model, outputs = history.settings.model, history.settings.outputs
    return not (isinstance(model, GP) and all(model.is_fixed(history.observations(name)) for name in outputs))
