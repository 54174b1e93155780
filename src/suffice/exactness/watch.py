"""Watch the solves in a library's own loop: the acquisition, the chosen point and the accuracy.

A watched function runs as usual. Then its acquisition is maximized again, more thoroughly. Afterwards all shared random
states are restored, so the library continues as if it were not watched.

`Solves` is the table of a watched run: one row for each maximization of an acquisition function.

η_t   float  the accuracy of solve t; M_T = Σ(1 − η_t)         gap  float  in the acquisition's units
"""

import csv
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from suffice import __version__
from suffice.accuracy.estimate import accumulated
from suffice.checks import as_count
from suffice.exactness.libraries import LIBRARIES, Library, Seam, Seen
from suffice.exactness.meter import MEDIAN_ROWS, SolveQuality, measured
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


# ---------------------------------------------------------------------- watching

WATCHED_DRAWS = 5000  # draws of each thorough search: two such searches agree as often as with 20 000


@contextmanager
def watch_solves(library: str, *, every: int = 1, draws: int = WATCHED_DRAWS, seed: int = 0) -> Iterator[Solves]:
    """Record how accurately a library maximizes its acquisition functions, without changing its suggestions.

    The library's suggestions are bit-identical to those without the context. A run takes longer, because each solve is
    measured.

    Parameters
    ----------
    library : {'botorch', 'ax', 'baybe', 'optuna', 'skopt', 'bayes_opt', 'suffice'}
        The library: Ax and BayBE maximize with BoTorch, Optuna in its GPSampler.
    every : int, default: 1
        Measure only every so many solves.
    draws : int, default: 5000
        The number of random points in the search that measures each solve.
    seed : int, default: 0
        The seed of that search.

    Yields
    ------
    Solves
        The growing table of solves.

    Examples
    --------
    >>> import suffice as sf
    >>> with sf.watch_solves("suffice") as solves:
    ...     result = sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], n_trials=8, seed=0)
    >>> len(solves.etas) > 0
    True
    """
    known = LIBRARIES.get(library)
    if known is None:
        raise ValueError(f"watch_solves knows {', '.join(LIBRARIES)}: got {library!r}")
    solves = Solves(f"{library} {checked_version(library, known)}")
    watcher = Watcher(solves, as_count(every, "every", 1), as_count(draws, "draws", MEDIAN_ROWS), seed)
    with ExitStack() as stack:
        for seam in known.seams:
            stack.enter_context(watched(seam, watcher))
        yield solves


def checked_version(library: str, known: Library) -> str:
    """The installed version; ValueError if its internals are not known to be compatible."""
    if known.package == "suffice":
        return __version__
    try:
        found = version(known.package)
    except PackageNotFoundError:
        raise ImportError(f"{known.package} is not installed: pip install {known.package}") from None
    if not any(f"{found}.".startswith(f"{tried}.") for tried in known.tried):
        raise ValueError(
            f"watch_solves({library!r}) depends on internals of {known.package} and supports {', '.join(known.tried)}: "
            f"got {found}; install one of these, or measure single solves with solve_quality"
        )
    return found


class Watcher:
    """Measures the watched solves and records them."""

    def __init__(self, solves: Solves, every: int, draws: int, seed: int) -> None:
        self.solves, self.every, self.draws, self.seed = solves, every, draws, seed

    def saw(self, seconds: float, read: Callable[[], Seen | None]) -> None:
        """Record a call of a watched function; what cannot be measured is recorded with the reason."""
        step = len(self.solves) + 1
        with untouched():
            try:
                seen = read()
                if seen is None:
                    return
            except Exception as error:
                self.solves.add(Solve(step, "", seconds, None, None, f"{type(error).__name__}: {error}"))
                return
            spent = seconds if seen.seconds is None else seen.seconds
            quality, why = None, ""
            if (step - 1) % self.every == 0:
                try:
                    # The same stream for every solve, so that rows differ only by the solve.
                    quality = measured(seen.alpha, seen.domain, seen.x, seen.known, draws=self.draws, seed=self.seed)
                except Exception as error:
                    why = f"{type(error).__name__}: {error}"
            self.solves.add(Solve(step, seen.acquisition, spent, seen.point, quality, why))


@contextmanager
def watched(seam: Seam, watcher: Watcher) -> Iterator[None]:
    """Watch every call of the function inside the context."""
    module = import_module(seam.module)
    owner = getattr(module, seam.owner) if seam.owner else module
    original = getattr(owner, seam.name, None)
    if original is None:
        raise ValueError(f"{seam.module} has no {seam.owner or seam.name}: its internals have changed")

    @wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        clock = Clock()
        with clock.started_by(seam):
            found = original(*args, **kwargs)
        watcher.saw(clock.seconds, lambda: seam.read(args, kwargs, found))
        return found

    setattr(owner, seam.name, wrapped)
    try:
        yield
    finally:
        setattr(owner, seam.name, original)


class Clock:
    """The time of a call, or of the part after the first call of another function."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.seconds = 0.0

    @contextmanager
    def started_by(self, seam: Seam) -> Iterator[None]:
        """Watch for the start inside the context."""
        if not seam.since:
            yield
            self.seconds = time.perf_counter() - self.start
            return
        module = import_module(seam.module)
        first, begun = getattr(module, seam.since), []

        @wraps(first)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            begun.append(time.perf_counter())
            return first(*args, **kwargs)

        setattr(module, seam.since, wrapped)
        try:
            yield
        finally:
            setattr(module, seam.since, first)
            self.seconds = time.perf_counter() - (begun[0] if begun else self.start)


@contextmanager
def untouched() -> Iterator[None]:
    """Restore all global random states at the end of the context."""
    plain, of_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002  # it is other libraries' state
    torch = sys.modules.get("torch")
    of_torch = None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(plain)
        np.random.set_state(of_numpy)  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(of_torch)
