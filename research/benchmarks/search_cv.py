"""SufficeSearchCV against RandomizedSearchCV with the same budget.

    python -m research.benchmarks.search_cv [seeds] [trials]

Data that come with scikit-learn, half of them to search on with three folds, half held out; each seed splits anew and
seeds both searches. Both get the same spaces. "CV" is the best mean test score that the search found, which is what it
maximizes; "held out" is the score of the refitted model on the other half. Accuracies for classes, R² for numbers. The
differences are paired by seed, with the standard error of their mean over all pairs.
"""

import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, RandomizedSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from research.benchmarks.timing import print_table
from suffice.integrations.sklearn import SufficeSearchCV

WORDS = {
    "GradientBoostingClassifier": "gradient boosting",
    "GradientBoostingRegressor": "gradient boosting",
    "KernelRidge": "kernel ridge",
    "KNeighborsClassifier": "PCA and nearest neighbours",
    "MLPClassifier": "neural network",
}
DIGITS = 600  # of 1797, so that a fit takes milliseconds
SCALE = stats.loguniform
KERNELS = {"m__kernel": ["rbf", "sigmoid", "poly"], "m__C": SCALE(1e-2, 1e4), "m__gamma": SCALE(1e-5, 1.0)}
BOOSTING = {
    "m__learning_rate": SCALE(1e-3, 1.0),
    "m__n_estimators": stats.randint(5, 61),
    "m__max_depth": stats.randint(1, 7),
    "m__subsample": stats.uniform(0.3, 0.7),
    "m__max_features": stats.uniform(0.1, 0.9),
}


class Task(NamedTuple):
    """A model and what of it is searched, on one set of data."""

    data: str
    model: Any
    space: Mapping[str, Any]  # as RandomizedSearchCV has it: both read the same


def scaled(model: Any, **steps: Any) -> Pipeline:
    return Pipeline([("scale", StandardScaler()), *steps.items(), ("m", model)])


TASKS = (
    Task("wine", scaled(SVC()), KERNELS),
    Task("breast cancer", scaled(SVC()), KERNELS),
    Task("digits", scaled(SVC()), KERNELS),
    Task("breast cancer", scaled(GradientBoostingClassifier(random_state=0)), BOOSTING),
    Task("diabetes", scaled(GradientBoostingRegressor(random_state=0)), BOOSTING),
    Task("diabetes", scaled(SVR()), {**KERNELS, "m__kernel": ["rbf", "sigmoid"], "m__epsilon": SCALE(1e-2, 1e2)}),
    Task(
        "diabetes",
        scaled(KernelRidge()),
        {"m__kernel": ["rbf", "laplacian", "linear"], "m__alpha": SCALE(1e-4, 1e2), "m__gamma": SCALE(1e-5, 1.0)},
    ),
    Task(
        "digits",
        scaled(KNeighborsClassifier(), pca=PCA(random_state=0)),
        {
            "pca__n_components": stats.randint(2, 41),
            "m__n_neighbors": stats.randint(1, 31),
            "m__weights": ["uniform", "distance"],
            "m__p": stats.uniform(1, 3),
        },
    ),
    Task(
        "wine",
        scaled(MLPClassifier(max_iter=60, random_state=0)),
        {
            "m__hidden_layer_sizes": [(4,), (8,), (16,), (8, 8), (16, 8)],
            "m__learning_rate_init": SCALE(1e-4, 1e-1),
            "m__alpha": SCALE(1e-6, 1e1),
            "m__batch_size": stats.randint(8, 49),
        },
    ),
)


class Run(NamedTuple):
    validated: float
    held_out: float
    seconds: float


def data(name: str) -> tuple[Any, Any]:
    load = {"wine": datasets.load_wine, "breast cancer": datasets.load_breast_cancer}
    X, y = (load | {"digits": datasets.load_digits, "diabetes": datasets.load_diabetes})[name](return_X_y=True)
    if name == "digits":
        kept = np.random.default_rng(0).permutation(len(y))[:DIGITS]
        return X[kept], y[kept]
    return X, y


def runs(task: Task, seed: int, trials: int) -> Iterator[Run]:
    """One search by each, on the same half and the same folds."""
    X, y = data(task.data)
    classes = task.data != "diabetes"
    X, X_out, y, y_out = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y if classes else None)
    folds = (StratifiedKFold if classes else KFold)(3, shuffle=True, random_state=seed)
    same = {"cv": folds, "random_state": seed}
    ours = SufficeSearchCV(task.model, task.space, n_iter=trials, **same)
    for search in (RandomizedSearchCV(task.model, task.space, n_iter=trials, **same), ours):
        began = time.process_time()
        search.fit(X, y)
        yield Run(search.best_score_, search.score(X_out, y_out), time.process_time() - began)


def main(seeds: int = 6, trials: int = 30) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    table, gains = [], []
    for task in TASKS:
        found = np.array([list(runs(task, seed, trials)) for seed in range(seeds)])  # (seeds, search, number)
        mean, gain = found.mean(axis=0), found[:, 1, :2] - found[:, 0, :2]
        gains.append(gain)
        name = type(task.model[-1]).__name__
        row = [task.data, WORDS.get(name, name), str(len(task.space))]
        for j in range(2):
            better = f"{int((gain[:, j] > 0).sum())} / {int((gain[:, j] < 0).sum())}"
            row += [*(f"{mean[i, j]:.4f}" for i in range(2)), better]
        table.append([*row, *(f"{s:.1f}" for s in mean[:, 2])])
        print(" ".join(table[-1]), file=sys.stderr, flush=True)
    head = ["data", "model", "parameters"]
    for score in ("best CV score", "held out"):
        head += [f"{score}: random", "suffice", "seeds better / worse"]
    title = f"{seeds} seeds, {trials} candidates, 3 folds"
    print_table(title, [*head, "CPU seconds: random", "suffice"], table)
    for j, word in enumerate(("cross-validated", "held out")):
        all_of_them = np.array(gains)[:, :, j].ravel()
        error = all_of_them.std(ddof=1) / np.sqrt(len(all_of_them))
        print(f"  {word}: {all_of_them.mean():+.4f} ± {error:.4f} in the mean over {len(all_of_them)} pairs")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
