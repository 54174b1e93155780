"""The result of a run, with scikit-optimize's fields."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.optimize

import suffice.study.concluding as native
from suffice.compat.skopt.space import Space
from suffice.compat.skopt.surrogate import Surrogate
from suffice.gp.model import GP
from suffice.study.history import History
from suffice.study.result import Result


class OptimizeResult(scipy.optimize.OptimizeResult):
    """The best point, its value and every evaluation: a SciPy OptimizeResult with the fields of scikit-optimize.

    Attributes
    ----------
    x : list
        The best point.
    fun : float
        Its value.
    x_iters : list
        Every evaluated point.
    func_vals : ndarray
        Their values.
    space : Space
        The search space.
    models : list
        What predicts the objective, after each evaluation that a model had a part in.
    random_state : RandomState
        Where everything random was drawn from.
    specs : dict
        The function that was called and its arguments.
    """

    @property
    def suffice(self) -> Result:
        """The same run as this library has it: `result.suffice.accuracy`, `.check()`, `.importance()`, `.plot()`."""
        history = self.__dict__.get("_history")
        if history is not None:
            return native.make_result(history, "the run so far", native.accuracy_of(history, None))
        if self.space is None:
            raise ValueError("a result that was made of points and values alone needs a space: create_result(…, space)")
        return Surrogate(self.space, self.x_iters, list(self.func_vals), GP()).suffice


def create_result(
    Xi: list[Any],
    yi: Any,
    space: Space | None = None,
    rng: np.random.RandomState | None = None,
    specs: Mapping[str, Any] | None = None,
    models: list[Any] | None = None,
    *,
    history: History | None = None,
) -> OptimizeResult:
    """The result of evaluations: the first of the best values is the best, and nan is never."""
    if not len(Xi):
        raise ValueError("there is no result yet: nothing has been evaluated")
    values = np.asarray(yi)
    result = OptimizeResult()
    best = int(np.nanargmin(values)) if not np.all(np.isnan(values.astype(float))) else 0
    result.update(
        x=Xi[best],
        fun=values[best],
        func_vals=values,
        x_iters=Xi,
        models=models,
        space=space,
        random_state=rng,
        specs=specs,
    )
    if history is not None:
        result.__dict__["_history"] = history  # beside the fields: who lists them sees scikit-optimize's
    return result
