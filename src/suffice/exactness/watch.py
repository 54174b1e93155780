"""Watch the solves in a library's own loop: the acquisition, the chosen point and the accuracy.

A watched function runs as usual. Then its acquisition is maximized again, more thoroughly. Afterwards all shared random
states are restored, so the library continues as if it were not watched.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from suffice import __version__
from suffice.checks import as_count
from suffice.exactness.libraries import LIBRARIES, Library, Seam, Seen
from suffice.exactness.meter import MEDIAN_ROWS, measured
from suffice.exactness.solves import Solve, Solves

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
        The number of random points of the search to which each solve is compared.
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
