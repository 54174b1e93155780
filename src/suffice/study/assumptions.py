"""What a run's regret bound rests on: the model, and what the acquisition says about its own β."""

from suffice.accuracy.bounds import Premises
from suffice.accuracy.estimate import DELTA
from suffice.acquisition import UCB, Beta, Theory, Thompson
from suffice.gp.model import Fitted

UNKNOWN = ("the acquisition has no β that knows its assumptions",)
NOT_UCB = ("Theorem 1 is about UCB; for Thompson sampling the paper states a rate only (Theorem 2)",)


def premises(fitted: Fitted, acquisition: object, dimension: int) -> Premises:
    """The premises of a run whose model is `fitted`; a β schedule says itself which of its assumptions fail."""
    posterior = fitted.posterior
    beta: Beta | None = None
    broken: tuple[str, ...] = UNKNOWN
    match acquisition:
        case UCB(beta=beta):
            broken = beta.broken(posterior)
        case Thompson(beta=beta):
            broken = beta.broken(posterior) + NOT_UCB
    B, R, delta = (beta.B, beta.R, beta.delta) if isinstance(beta, Theory) else (None, None, DELTA)
    return Premises(
        kernel=posterior.kernel,
        tau=float(posterior.factor.tau.max()),
        dimension=dimension,
        scale=posterior.scale,
        B=B,
        R=R,
        delta=delta,
        fitted=True,
        warped=fitted.hyper.lam != 1.0,
        beta_broken=broken,
    )
