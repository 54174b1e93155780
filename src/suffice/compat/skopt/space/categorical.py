"""Categories without an order.

m   number of categories        k   the place of one, from 0

The transform is a row of m numbers with a 1 at place k ("onehot"; a single 0 or 1 where m = 2), k itself ("label"),
k/(m − 1) ("normalize"), the category as a string ("string"), or the category itself ("identity").
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.compat.skopt.space.dimension import Dimension, column

SHOWN = 7  # categories in a repr before the middle is left out


class Categorical(Dimension):
    """One of several categories, which may be strings, numbers or anything that can be told apart.

    Parameters
    ----------
    categories : iterable
        The categories, at least one.
    prior : sequence of float or None, default: None
        The probability of each category in random points; None: they are equally likely.
    transform : str or None, default: None
        "onehot", "label", "normalize", "string" or "identity".
    name : str or None, default: None
        What the objective calls it, for `use_named_args`.
    """

    transforms = ("onehot", "label", "normalize", "string", "identity")

    def __init__(
        self,
        categories: Iterable[Any],
        prior: Sequence[float] | None = None,
        transform: str | None = None,
        name: str | None = None,
    ) -> None:
        self.categories = tuple(categories)
        if not self.categories:
            raise ValueError("a Categorical needs at least one category: got none")
        self.prior, self.name = prior, name
        m = len(self.categories)
        self.prior_ = np.full(m, 1.0 / m) if prior is None else np.asarray(prior, dtype=np.float64)
        if self.prior_.shape != (m,) or np.any(self.prior_ < 0) or not np.isclose(self.prior_.sum(), 1.0):
            raise ValueError(f"prior must be {m} probabilities with the sum 1, one for each category: got {prior!r}")
        self.set_transformer(transform)

    def __repr__(self) -> str:
        return f"Categorical(categories={_shortened(self.categories)}, prior={_shortened(self.prior)})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Categorical)
            and self.categories == other.categories
            and np.allclose(self.prior_, other.prior_)
        )

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, point: Any) -> bool:
        return point in self.categories

    def typed(self, v: Any) -> Any:
        """A category as it is."""
        return v

    def _draw(self, n: int, rng: np.random.RandomState) -> list[Any]:
        places = rng.choice(len(self.categories), size=n, p=self.prior_ / self.prior_.sum())
        return [self.categories[k] for k in places.tolist()]

    def rvs(self, n_samples: int | None = None, random_state: Any = None) -> Any:
        """Random categories, by their probabilities: a list of n_samples, or a single one for None."""
        return super().rvs(n_samples, random_state)

    def transform(self, X: Any) -> Any:
        """What stands for each of the categories in X."""
        if self.transform_ == "identity":
            return X
        if self.transform_ == "string":
            return [str(x) for x in X]
        m, places = len(self.categories), np.array([self._place(x) for x in X], dtype=np.intp)
        if self.transform_ == "label":
            return places
        if self.transform_ == "normalize":
            return places / max(m - 1, 1)
        if self.transformed_size == 1:
            return places[:, None] if m == 2 else np.zeros((len(places), 1), dtype=np.intp)
        return np.eye(m, dtype=np.intp)[places]

    def inverse_transform(self, Xt: Any) -> Any:
        """The categories that are meant, a list: of a row of numbers the place of the largest."""
        if self.transform_ == "identity":
            return Xt
        if self.transform_ == "string":
            texts = [str(category) for category in self.categories]
            return [self.categories[texts.index(str(x))] for x in Xt]
        return [self.categories[k] for k in self._places(column(Xt)).tolist()]

    def _places(self, Xt: Any) -> NDArray[np.intp]:
        m = len(self.categories)
        if self.transform_ == "onehot" and m > 2:
            found: NDArray[np.intp] = np.argmax(np.atleast_2d(Xt), axis=1)
            return found
        k = np.atleast_1d(Xt).reshape(-1) * (m - 1 if self.transform_ == "normalize" else 1)
        return np.clip(np.floor(k + 0.5), 0, m - 1).astype(np.intp)

    def _place(self, category: Any) -> int:
        try:
            return self.categories.index(category)
        except ValueError:
            raise ValueError(f"{category!r} is none of the categories {_shortened(self.categories)}") from None

    @property
    def transformed_size(self) -> int:
        """Columns of the transformed space: with "onehot" one for each category, unless there are two."""
        m = len(self.categories)
        return m if self.transform_ == "onehot" and m > 2 else 1

    @property
    def bounds(self) -> tuple[Any, ...]:
        """All categories."""
        return self.categories

    @property
    def is_constant(self) -> bool:
        """Whether there is only one category."""
        return len(self.categories) == 1

    @property
    def transformed_bounds(self) -> Any:
        """From 0 to 1, for each column where there are several."""
        return (0.0, 1.0) if self.transformed_size == 1 else [(0.0, 1.0)] * self.transformed_size

    def _distance(self, a: Any, b: Any) -> int:
        return int(a != b)


class _Left:
    def __repr__(self) -> str:
        return "..."


def _shortened(items: Sequence[Any] | None) -> Any:
    if items is None or len(items) <= SHOWN:
        return items
    return type(items)((*items[:3], _Left(), *items[-3:])) if isinstance(items, list | tuple) else items
