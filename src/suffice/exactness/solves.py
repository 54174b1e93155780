"""The table of a watched run: one row for each maximization of an acquisition function, with its accuracy.

η_t   float  the accuracy of solve t; M_T       = Σ(1 − η_t)         gap  float  in the acquisition's units
"""

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from suffice.accuracy.estimate import accumulated
from suffice.exactness.meter import SolveQuality
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = 0.99, 0.9, 0.5  # a summary has the fractions of solves below these
SHOWN = 8  # of the worst solves
COLUMNS = ("step", "acquisition", "eta", "gap", "relative_gap", "value", "best", "distance", "chance", "seconds")


@dataclass(frozen=True)
class Solve:
    """One maximization of an acquisition function by a library.

    Attributes
    ----------
    step : int
        The number of the solve in the run, from 1.
    acquisition : str
        The library's name of the acquisition function.
    seconds : float
        The time that the library took.
    point : object
        The chosen point, in the units of the search.
    quality : SolveQuality or None
        The accuracy of the solve; None if not measured.
    why : str
        The reason if it was not measured.
    """

    step: int
    acquisition: str
    seconds: float
    point: Any = field(repr=False)
    quality: SolveQuality | None
    why: str = ""


class Solves(Sequence[Solve]):
    """The solves of a watched run: print it for a summary; it is a sequence of `Solve`.

    Attributes
    ----------
    library : str
        The library, with its version.
    """

    def __init__(self, library: str) -> None:
        self.library = library
        self._rows: list[Solve] = []

    def add(self, solve: Solve) -> None:
        """One more row."""
        self._rows.append(solve)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Solve: ...
    @overload
    def __getitem__(self, index: slice) -> list[Solve]: ...
    def __getitem__(self, index: int | slice) -> Solve | list[Solve]:
        return self._rows[index]

    def __iter__(self) -> Iterator[Solve]:
        return iter(self._rows)

    @property
    def measured(self) -> list[Solve]:
        """The measured solves."""
        return [solve for solve in self if solve.quality is not None]

    @property
    def etas(self) -> Array:
        """The ratios η of the measured solves, (n,)."""
        return np.array([solve.quality.eta for solve in self if solve.quality is not None])

    @property
    def m_t(self) -> float:
        """M_T = Σ(1 − η) over the measured solves, as in the paper's bounds."""
        return accumulated(self.etas.tolist())

    def below(self, level: float) -> float:
        """The fraction of the measured solves with a smaller η.

        Parameters
        ----------
        level : float
            The level of η, such as 0.9.

        Returns
        -------
        float
            From 0 to 1; nan if nothing was measured.
        """
        return float((self.etas < level).mean()) if len(self.etas) else float("nan")

    def __repr__(self) -> str:
        return f"<Solves of {self.library}: {len(self)}, measured {len(self.etas)}>"

    def __str__(self) -> str:
        n = len(self.etas)
        lines = [f"{self.library}: {len(self)} solves, {n} of them measured"]
        if n:
            shares = ", ".join(f"{100 * self.below(level):.1f} % below {level:g}" for level in LEVELS)
            milliseconds = 1e3 * float(np.median([solve.seconds for solve in self.measured]))
            lines.append(f"eta: {shares}; mean {self.etas.mean():.4f}, M_T {self.m_t:.3g}")
            lines.append(f"a solve took {milliseconds:.3g} ms (median)")
            lines += self._worst()
        reasons = sorted({solve.why for solve in self if solve.why})
        return "\n".join([*lines, *(f"not measured: {why}" for why in reasons[:SHOWN])])

    def _worst(self) -> list[str]:
        found = [(solve.quality.eta, solve) for solve in self if solve.quality is not None]
        worst = [solve for eta, solve in sorted(found, key=lambda pair: pair[0]) if eta < LEVELS[0]][:SHOWN]
        if not worst:
            return []
        head = f"{'step':>6} {'eta':>8} {'gap':>9} {'distance':>9}  acquisition"
        return [head, *(_line(solve) for solve in worst)]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table as CSV: a row for each solve, with the chosen and the better point.

        Parameters
        ----------
        path : str or PathLike
            The file.
        """
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*COLUMNS, "point", "better", "why"])
            writer.writerows(_cells(solve) for solve in self)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot 1 − η of every solve, and their sum M_T.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default: None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from suffice.plot.search import exactness

        steps = np.array([solve.step for solve in self.measured], dtype=np.float64)
        return exactness(steps, self.etas, ax, title=self.library)


def _line(solve: Solve) -> str:
    quality = solve.quality
    assert quality is not None  # only measured ones are shown
    numbers = f"{solve.step:>6} {quality.eta:>8.4f} {quality.gap:>9.3g} {quality.distance:>9.3g}"
    return f"{numbers}  {solve.acquisition}"


def _cells(solve: Solve) -> list[Any]:
    own = {"step": solve.step, "acquisition": solve.acquisition, "seconds": f"{solve.seconds:.6g}"}
    numbers = [own.get(name, getattr(solve.quality, name, "")) for name in COLUMNS]
    better = "" if solve.quality is None else _plain(solve.quality.point)
    return [*numbers, _plain(solve.point), better, solve.why]


def _plain(point: Any) -> Any:
    return " ".join(f"{v:.9g}" for v in point.tolist()) if isinstance(point, np.ndarray) and point.ndim == 1 else point
