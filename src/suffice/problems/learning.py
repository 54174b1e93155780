"""The paper's AutoML task: eleven hyper-parameters of gradient boosting, judged by the validation error.

The classifier and the data are scikit-learn's: 569 tumours, 30 features, benign or malignant. One task, two forms:

SPACE, validation_error  floats, integers and choices under scikit-learn's names; the point is a dict
automl()                 the paper's box of eleven floats, as a `Problem`

Names and ranges are those of the paper's appendix. What it leaves open is settled as follows.
- Data: several sets of the repository it names are on breast cancer; this is the one that comes with scikit-learn.
- Split: one sample in four is for validation, 143 in all, stratified by class, the same in every evaluation. The
  authors' split is unknown, so their curves can be compared in shape, not in level.
- Subsamples and features are drawn by the classifier with a fixed seed: the task is deterministic. Its values are
  multiples of 1/143 and may differ between versions of scikit-learn.
- Two options are 0 and 1 in the box, rounded like an integer. `max_features`, called a float there, is such a choice.
- `criterion` is kept, since the paper counts it, and changes nothing: its two options are one formula written in two
  ways. scikit-learn says so since version 1.9, and warns whoever passes one.
- scikit-learn takes no `subsample` of 0, the open end of the paper's interval. It stands for its limit, one sample.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from suffice.errors import MissingExtra
from suffice.problems.problem import Native, Problem
from suffice.space import Choice, Float, Int, Space
from suffice.types import Array

# Scikit-learn's names and usual ranges.
SPACE = Space(
    loss=Choice("log_loss", "exponential"),
    learning_rate=Float(0, 1),
    n_estimators=Int(20, 200),
    subsample=Float(0, 1),
    criterion=Choice("friedman_mse", "squared_error"),
    min_samples_split=Int(2, 10),
    min_samples_leaf=Int(1, 10),
    min_weight_fraction_leaf=Float(0, 0.5),
    max_depth=Int(1, 10),
    max_features=Choice("sqrt", "log2"),
    max_leaf_nodes=Int(2, 10),
)


def validation_error(point: Mapping[str, Any]) -> float:
    """The share of validation samples that are misclassified, 1 − accuracy, after training with these settings."""
    data = _split()
    from sklearn import ensemble

    SPACE.to_unit(point)  # refuses, by name, what is no point of the space
    settings = {name: value for name, value in point.items() if name != "criterion"}
    settings["subsample"] = max(point["subsample"], 1e-9)  # far below one of 426 samples; the least it draws is one
    model = ensemble.GradientBoostingClassifier(**settings, random_state=0).fit(data.X, data.labels)
    return float(np.mean(model.predict(data.X_validation) != data.validation_labels))


def automl() -> Problem:
    """The validation error over the paper's box; its optimum is a bound, so the regret is the error, as in the paper.

    Whether any settings classify all validation samples correctly is unknown. Raises MissingExtra now, not in a trial.
    """
    _split()
    native = Native(SPACE, validation_error)
    return Problem(
        name="automl",
        function=native,
        bounds=native.bounds,
        optimum=0.0,
        minimizers=(),
        source="the AutoML task of the paper; Friedman 2001; Street, Wolberg and Mangasarian 1993",
        native=native,
    )


class Split(NamedTuple):
    X: Array  # (426, 30), to train on
    X_validation: Array  # (143, 30)
    labels: NDArray[np.int64]  # (426,)
    validation_labels: NDArray[np.int64]  # (143,)


@cache
def _split() -> Split:
    """The data, read and split once in each process."""
    try:
        from sklearn import datasets, model_selection
    except ModuleNotFoundError as error:
        raise MissingExtra("sklearn", "scikit-learn", "the AutoML task") from error
    X, labels = datasets.load_breast_cancer(return_X_y=True)
    parts = model_selection.train_test_split(X, labels, test_size=0.25, stratify=labels, random_state=0)
    return Split(*parts)
