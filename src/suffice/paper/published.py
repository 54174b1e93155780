"""The paper's figures as numbers: mean final cumulative regret and mean seconds of a run, over 20 runs each.

Read by eye off the published plots, about ±3 % of each axis. The seconds are those of the authors' machine, the fit of
the surrogate included. Hartmann4 has the 120 iterations of the figure, where the text says 100; Michalewicz is in the
authors' repository only.
"""

from dataclasses import dataclass

SOURCE = "read by eye off the published plots, about ±3 % of each axis"


@dataclass(frozen=True)
class Published:
    """One bar of a published figure."""

    regret: float  # final cumulative regret
    seconds: float | None = None  # of a run; None: not published


Cells = dict[tuple[str, str], Published]  # by problem and method

_METHODS = ("uniform", "lbfgsb", "nelder_mead", "cg")
_UNKNOWN = (None, None, None, None)


def _row(problem: str, regrets: tuple[float, ...], seconds: tuple[float | None, ...] = _UNKNOWN) -> Cells:
    """One problem, the four methods in the order of `_METHODS`."""
    values = zip(_METHODS, regrets, seconds, strict=True)
    return {(problem, method): Published(regret, second) for method, regret, second in values}


PUBLISHED: dict[str, Cells] = {  # by plan
    "main": {
        **_row("branin", (29, 40, 43, 48), (1.5, 3.6, 6.0, 4.6)),
        **_row("rastrigin3", (3400, 3230, 3040, 2830), (2.7, 7.0, 12, 13.3)),
        **_row("hartmann3", (28, 31, 28, 52), (3.3, 7.1, 8.8, 8.1)),
        **_row("hartmann4", (15.6, 9.5, 7.5, 14), (5.0, 11, 16.4, 12.1)),
        **_row("levy5", (560, 740, 2600, 1450), (13.6, 22.1, 46.8, 22.7)),
        **_row("hartmann6", (120, 67, 67, 113), (16.5, 24.8, 52.2, 28.4)),
    },
    "small": {
        **_row("branin", (40, 85, 79, 93), (0.1, 0.35, None, None)),
        **_row("rastrigin3", (2290, 2200, 2180, 2130), (0.25, 3.4, None, None)),
        **_row("hartmann3", (58, 46, 51, 73), (0.2, 1.7, None, None)),
        **_row("hartmann4", (21, 19.5, 18.7, 23), (0.5, 3.7, None, None)),
        **_row("levy5", (880, 1770, 2600, 1690), (0.45, 3.9, None, None)),
        **_row("hartmann6", (85, 60, 60, 84), (1.4, 6.1, None, None)),
    },
    "automl": _row("automl", (1.87, 2.6, 2.15, 2.85), (5.7, 7.8, 30, 6.4)),
    "grid-size": {("automl", "uniform"): Published(4.05), ("automl", "uniform_fixed"): Published(5.0)},
    "michalewicz": _row("michalewicz10", (2410, 2465, 2475, 2465), (17.4, 23.6, 72.5, 32)),
}

# Why a reproduced value is not the published one, where it is not: by plan, then by problem and method.
REMARKS: dict[str, dict[tuple[str, str], str]] = {
    "main": {
        ("levy5", "nelder_mead"): (
            "A few runs that lose their way make this mean: our 20 runs end between 23 and 3992, with a median of 825. "
            "The published bar is as high as that of the small initial design, where it agrees with ours."
        ),
    },
}
