"""`models`: what is known about the objective after so many evaluations, as something that predicts.

Xt     (m, transformed_n_dims)   rows as `space.transform` makes them        mean, std  (m,)  in the objective's units
"""

from functools import cached_property
from typing import Any

import numpy as np

from suffice.compat.skopt.border import Border
from suffice.compat.skopt.space import Space
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.types import Array


class Surrogate:
    """The model of the first n evaluations of a run, fitted when it is first asked for something."""

    def __init__(self, space: Space, Xi: list[Any], yi: list[Any], model: Any, rule: Any = None) -> None:
        # The lists are those of the run, which only grow: a hundred models need not hold a hundred copies.
        self.space, self.model, self.rule, self._Xi, self._yi, self._n = space, model, rule, Xi, yi, len(Xi)

    def __repr__(self) -> str:
        return f"<Surrogate of {self._n} evaluations, {self.model!r}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: without the fit, which is made again where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "suffice"}

    @property
    def X_train_(self) -> Array:  # noqa: N802
        """The evaluated points, transformed, (n, transformed_n_dims)."""
        return self.space.transform(self._Xi[: self._n])

    @property
    def y_train_(self) -> Array:
        """Their values, (n,)."""
        return np.asarray(self._yi[: self._n], dtype=np.float64)

    @property
    def y_train_std_(self) -> float:
        """The deviation of the values."""
        return float(np.nanstd(self.y_train_))

    @cached_property
    def suffice(self) -> Result:
        """The same evaluations as a result of this library."""
        border = Border.of(self.space)
        study = Optimizer(border.inside, seed=0, n_initial=0, model=self.model, acquisition=self.rule)
        with study.together():
            for point, value in zip(self._Xi[: self._n], self._yi[: self._n], strict=True):
                study.tell(border.inward(point), value)
        return study.result()

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The objective at rows of the transformed space, its noise left out; with return_std its deviation, too.

        It is the posterior median, which is the mean where the model has not bent the values.
        """
        border = Border.of(self.space)
        points = [border.inward(point) for point in self.space.inverse_transform(np.atleast_2d(X))]
        mean, std = self.suffice.predict(points)
        return (mean, std) if return_std else mean
