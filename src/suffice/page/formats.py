"""Numbers as a reader wants them: three digits, an error behind them, a dash where nothing is known."""

import math

UNKNOWN = "–"  # in place of a number
DECIMALS = 5  # beyond, a small number is shorter with an exponent


def digits(value: float | None) -> str:
    """A number to three digits, those before the point complete; a dash where it is not known."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return (f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}").replace("-", "−")


def with_error(value: float, error: float) -> str:
    """ "28.3 ± 2.1": as many decimals as give the error two digits; the number alone if there is no error."""
    if math.isnan(value) or math.isnan(error) or error <= 0.0:
        return digits(value)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > DECIMALS:
        return f"{digits(value)} ± {digits(error)}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}".replace("-", "−")


def unknown(value: object) -> bool:
    """Whether there is nothing to show: None, or a number that is none."""
    return value is None or (isinstance(value, float) and math.isnan(value))
