"""What is known about the hyper-parameters before the data speak."""

import math
from dataclasses import dataclass

from suffice.checks import as_float


@dataclass(frozen=True)
class LogNormal:
    """A belief about a positive number: it is probably near `centre`, give or take a factor of exp(sd).

    It is what sf.Prior is made of. The logarithm of the number has a normal distribution about log(centre).

    Parameters
    ----------
    centre : float
        The median of the number.
    sd : float
        The standard deviation of its logarithm: 0.7 is a factor of two up or down.
    """

    centre: float
    sd: float

    def __post_init__(self) -> None:
        if as_float(self.centre, "the centre of a LogNormal") <= 0 or as_float(self.sd, "the sd of a LogNormal") <= 0:
            raise ValueError(
                f"a LogNormal needs centre > 0 and sd > 0, got {self!r}; "
                "centre is the likeliest value itself, not its logarithm; sd is the deviation of the logarithm"
            )

    def __call__(self, log_x: float) -> tuple[float, float]:
        """Log density up to a constant, and its derivative in log x."""
        u = (log_x - math.log(self.centre)) / self.sd
        return -0.5 * u * u, -u / self.sd


@dataclass(frozen=True)
class Prior:
    """What is believed about the objective before there are data: how fast it changes, how large and how noisy it is.

    Change it if you know better than the defaults, for instance Prior(lengthscale=LogNormal(0.1, 0.5)) for an objective
    that changes within a tenth of the range of its one parameter. Each of the first three is a LogNormal, or None for a
    flat prior within the bounds (maximum likelihood). Equal bounds fix a value.

    Parameters
    ----------
    lengthscale : LogNormal or None, default: LogNormal(0.3, 0.7)
        How far one must go for the objective to change, 1 being the whole range of a parameter; the centre is
        multiplied by √d, since distances in d columns grow like that.
    scale : LogNormal or None, default: LogNormal(1.0, 2.0)
        How much it varies: its variance, 1 being the variance of the values.
    tau : LogNormal or None, default: LogNormal(1e-4, 3.0)
        The variance of the noise, as a share of that of the objective.
    warp : float or None, default: 0.5
        How far the transform of the values may be from none: a standard deviation.
    lengthscale_bounds, scale_bounds, tau_bounds : pair of float
        The smallest and the largest value that a fit may choose.
    """

    # On the unit cube distances grow with √d, and so should length-scales (Hvarfner et al. 2024, whose 0.2 √d and √3
    # leave more room: with few points very short and very long ones fit as well; docs/measurements/defaults.md).
    lengthscale: LogNormal | None = LogNormal(0.3, 0.7)
    scale: LogNormal | None = LogNormal(1.0, 2.0)
    tau: LogNormal | None = LogNormal(1e-4, 3.0)
    warp: float | None = 0.5

    lengthscale_bounds: tuple[float, float] = (5e-3, 1e2)
    scale_bounds: tuple[float, float] = (1e-2, 1e2)
    tau_bounds: tuple[float, float] = (1e-6, 1e2)

    def __post_init__(self) -> None:
        for name in ("lengthscale", "scale", "tau"):
            density, bounds = getattr(self, name), getattr(self, f"{name}_bounds")
            if not (density is None or isinstance(density, LogNormal)):
                raise TypeError(
                    f"{name} must be a LogNormal, such as LogNormal(0.3, 0.7), or None for a flat prior: "
                    f"got {density!r}; to fix the value give {name}_bounds=(value, value)"
                )
            _check_bounds(bounds, f"{name}_bounds")
        if self.warp is not None and as_float(self.warp, "warp") <= 0:
            raise ValueError(f"warp must be a deviation > 0, or None for a flat prior: got {self.warp!r}")


def _check_bounds(bounds: object, what: str) -> None:
    if not (isinstance(bounds, tuple) and len(bounds) == 2):
        raise TypeError(f"{what} must be a tuple (low, high): got {bounds!r}")
    low, high = (as_float(bound, what) for bound in bounds)
    if not 0 < low <= high:
        raise ValueError(f"{what} must be (low, high) with 0 < low ≤ high: got {bounds!r}")
