"""Which parameters matter: Sobol' indices of the posterior mean, with the model's length-scales beside them.

f    x ↦ what `Result.predict` calls the mean, in the objective's units        S, T   first-order and total index
n    int   points of one round       N   int   observations      D   int   parameters that are not constant

An index is about the model's mean, not about the objective: what the model could not learn has no part in it. So the
model's own uncertainty, in the middle of the space, is given beside the deviation of f.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from suffice.accuracy.verdict import paragraph
from suffice.markup import block, safe, table, visible
from suffice.streams import Streams
from suffice.study.history import History
from suffice.study.reading.measure import Measure, measure
from suffice.study.reading.predict import Surface, as_output, surface
from suffice.study.reading.sobol import Indices, by_replacing, independent
from suffice.threads import one_thread
from suffice.types import Array

ROUNDS = 8  # that the error is told by; seven degrees of freedom
MOST, FEWEST = 1024, 32  # points of a round: errors of about 0.001 and 0.02
# What is computed in all, each within about a second: rows of the cube, numbers in them, and kernel values.
ROWS, NUMBERS, PRODUCTS = 2**18, 2**23, 2**26
REPLACED = 40_000  # points of a space with constraints about which the user's function is asked: a second at most
SOME = 256  # points at which the model's uncertainty is looked at
SHOWN = 40  # parameters in print


@dataclass(frozen=True, eq=False, repr=False)
class Importance:
    """The parameters by their importance, the most important first: print it. All fields are in this order.

    Attributes
    ----------
    names : tuple of str
        The parameters.
    total : ndarray
        The share of the variance of the model's mean over the space that is lost without knowing this parameter: its
        effect alone and in company with others. These may add up to more than 1.
    total_error : ndarray
        Their standard errors, from the points at which the mean was averaged.
    first : ndarray
        The share that it explains alone; nan where constraints make parameters depend on each other.
    first_error : ndarray
        Their standard errors.
    lengthscales : ndarray
        How far one has to go for the model to see another value, as a share of the parameter's range; of a choice:
        between any two of its options the distance is √2.
    deviation : float
        Of the model's mean over the space, in the objective's units: its variance is what is shared out.
    uncertainty : float
        Of the model about the objective, in the same units, at the median point of the space. If it is not much smaller
        than `deviation`, the indices say little about the objective.
    measure : str
        Over which points all this is averaged.
    """

    names: tuple[str, ...]
    total: Array
    total_error: Array
    first: Array
    first_error: Array
    lengthscales: Array
    deviation: float
    uncertainty: float
    measure: str = field(default="")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        """A table, and what it is about."""
        rows = list(self._rows())
        widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        more = [f"… and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([*(line.rstrip() for line in lines), *more, paragraph(self._about())])

    def _repr_html_(self) -> str:
        head, *body = self._rows()
        shown = table(head, body + body[-1:] * (len(self) - len(body)))  # those beyond are counted
        return block("Importance", shown, f"<p>{safe(self._about(), 400)}</p>")

    def _rows(self) -> Iterator[tuple[str, ...]]:
        yield "parameter", "total", "alone", "length-scale"
        for j, name in enumerate(self.names[:SHOWN]):
            shares = (
                "—" if np.isnan(share) else f"{share:.3f} ± {error:.3f}"
                for share, error in ((self.total[j], self.total_error[j]), (self.first[j], self.first_error[j]))
            )
            yield visible(name, 40), *shares, f"{self.lengthscales[j]:.3g}"

    def _about(self) -> str:
        return (
            f"Shares of the variance of the model's mean, whose deviation is {self.deviation:.3g}; the model is "
            f"uncertain by {self.uncertainty:.3g} ({self.measure})."
        )


# By output: they are the same each time, and several ask.
_KNOWN: "WeakKeyDictionary[History, dict[str, Importance]]" = WeakKeyDictionary()


def importance(history: History, output: str | None = None) -> Importance:
    """The importance, for one output, of every parameter of a study that is not constant."""
    name, known = as_output(output, history.settings), _KNOWN.setdefault(history, {})
    if name not in known:
        with one_thread(history.model_rows):
            known[name] = _computed(surface(history, name=name), history.settings.seed)
    return known[name]


def _computed(found: Surface, seed: int) -> Importance:
    posterior, coordinates = found.fitted.posterior, found.space.coordinates
    over, streams = measure(found.space, posterior.kernel.euclidean), Streams(seed)
    indices, X = _indices(found, over, streams)
    order = np.argsort(-indices.total, kind="stable")
    scales = np.array([posterior.lengthscales[c.columns].min() for c in coordinates], dtype=float)
    return Importance(
        tuple(coordinates[j].name for j in order),
        indices.total[order],
        indices.total_error[order],
        indices.first[order],
        indices.first_error[order],
        scales[order],
        deviation=indices.deviation,
        uncertainty=float(np.median(found.moments(X)[1])),
        measure=over.text,
    )


def _indices(found: Surface, over: Measure, streams: Streams) -> tuple[Indices, Array]:
    """The indices of the mean, in the order of the coordinates, and some points of the measure."""
    D, N = len(found.space.coordinates), found.fitted.posterior.n
    rngs, some = [streams("importance", k) for k in range(ROUNDS)], streams("importance", ROUNDS)
    if over.place is None:
        assert over.draw is not None  # a measure has the one or the others
        assert over.replace is not None
        draw, replace, n = over.draw, over.replace, int(np.clip(REPLACED // (ROUNDS * (D + 1)), FEWEST, MOST))
        indices = by_replacing(found.median, D, lambda rng: draw(n, rng), replace, rngs)
        return indices, draw(SOME, some)
    place = over.place
    most = min(ROWS, NUMBERS // max(found.space.dim, 1), PRODUCTS // max(N, 1)) // (ROUNDS * (D + 2))
    n = 1 << (int(np.clip(most, FEWEST, MOST)).bit_length() - 1)  # the largest power of two in it
    return independent(lambda U: found.median(place(U)), D, n, rngs), place(some.random((SOME, D)))
