"""Conditional problems as Optuna writes them: a function of a trial that asks for parameters as it goes.

    TASKS  name → factory(seed) → Task

- svm, boosting   those of `research.problems.conditional`: a choice, and parameters that go with its options
- network         the number of layers is an integer, and each layer brings a width and a dropout rate of its own
- pipeline        what to do with the columns, which model, and what goes with it: conditions up to three deep
- learning        scikit-learn on data that come with it: the seed says which

The first four are drawn with a seed, their smallest value is known. Each has a valley around the best values that go
with an option, and a plateau beyond: error = worth + (1 − worth) (1 − exp(−q/2)), q the squared distance from the best
values, in widths of the valley. The best value of `learning` is unknown: its regret is from the best that was found.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import suffice as sf
from research.problems import Problem
from research.problems.conditional import boosting, svm
from suffice.space import Listed

Objective = Callable[[Any], float]  # of an Optuna trial


@dataclass(frozen=True)
class Task:
    name: str
    objective: Objective
    optimum: float | None


def of_problem(problem: Problem) -> Task:
    space = problem.native.space

    def objective(trial: Any) -> float:
        point: dict[str, Any] = {}
        for name, parameter in space.params.items():  # parents stand before their children in these problems
            if all(point.get(parent) in needed for parent, needed in (parameter.when or {}).items()):
                point[name] = _suggested(trial, name, parameter)
        return problem.native.function(point)

    return Task(problem.name, objective, problem.optimum)


def _suggested(trial: Any, name: str, parameter: Any) -> Any:
    if isinstance(parameter, Listed):
        return trial.suggest_categorical(name, list(parameter.options))
    suggest = trial.suggest_int if isinstance(parameter, sf.Int) else trial.suggest_float
    return suggest(name, parameter.low, parameter.high, log=parameter.log)


def error(worth: float, q: float) -> float:
    return worth + (1.0 - worth) * -math.expm1(-0.5 * q)


LAYERS = 4


def network(seed: int) -> Task:
    """One to four layers, each with a width and a rate; a learning rate whose best value moves with the optimizer."""
    rng = np.random.default_rng(seed)
    worth = rng.uniform(0.1, 0.4, LAYERS)
    width = np.exp2(rng.integers(4, 9, (LAYERS, LAYERS))).astype(int)  # of each layer, for each number of layers
    dropout = rng.uniform(0.05, 0.5, (LAYERS, LAYERS))
    rate = dict(zip(("sgd", "adam"), rng.uniform(-4.0, -1.5, 2), strict=True))
    momentum, slower = rng.uniform(0.2, 0.9), rng.choice(["sgd", "adam"])

    def objective(trial: Any) -> float:
        n = trial.suggest_int("layers", 1, LAYERS)
        optimizer = trial.suggest_categorical("optimizer", ["sgd", "adam"])
        q = (math.log10(trial.suggest_float("rate", 1e-5, 1e-1, log=True)) - rate[optimizer]) ** 2
        if optimizer == "sgd":
            q += ((trial.suggest_float("momentum", 0.0, 0.99) - momentum) / 0.4) ** 2
        for i in range(n):
            q += math.log2(trial.suggest_int(f"width{i}", 8, 512, log=True) / width[n - 1, i]) ** 2 / 6.0
            q += ((trial.suggest_float(f"dropout{i}", 0.0, 0.6) - dropout[n - 1, i]) / 0.3) ** 2 / 2.0
        return error(worth[n - 1], q + 0.3 * (optimizer == slower))

    return Task(f"network{seed}", objective, float(worth.min()))


def pipeline(seed: int) -> Task:
    """A scaler, a way to reduce the columns, and one of three models, each step with parameters of its own."""
    rng = np.random.default_rng(seed)
    worth = dict(zip(("knn", "forest", "svm"), rng.uniform(0.1, 0.35, 3), strict=True))
    best = {name: rng.uniform(0.15, 0.85) for name in _RANGES}
    scaling = {model: _costs(("none", "standard", "power"), rng) for model in worth}
    reducing = _costs(("none", "pca", "select"), rng)
    metric, kernel = _costs(("cosine", "minkowski"), rng), _costs(("linear", "rbf", "poly"), rng)

    def objective(trial: Any) -> float:
        q = 0.0

        def number(name: str) -> float:
            low, high, whole = _RANGES[name]
            suggest = trial.suggest_int if whole else trial.suggest_float
            centre = low * (high / low) ** best[name]
            centre = round(centre) if whole else centre
            return (math.log(suggest(name, low, high, log=True) / centre) / math.log(high / low) / 0.25) ** 2

        def option(name: str, costs: Mapping[str, float]) -> str:
            nonlocal q
            taken: str = trial.suggest_categorical(name, list(costs))
            q += costs[taken]
            return taken

        reduced = option("reduce", reducing)
        q += number(reduced) if reduced != "none" else 0.0
        model = trial.suggest_categorical("model", list(worth))
        option("scale", scaling[model])
        if model == "knn":
            q += number("neighbours")
            q += number("p") if option("metric", metric) == "minkowski" else 0.0
        elif model == "forest":
            q += number("depth") + number("leaf")
        else:
            q += number("C")
            taken = option("kernel", kernel)
            q += number("gamma") if taken != "linear" else 0.0
            q += number("degree") if taken == "poly" else 0.0
        return error(worth[model], q)

    return Task(f"pipeline{seed}", objective, min(worth.values()))


# Of each number of the pipeline: lowest and highest value, and whether it is a whole number; all are on a log scale.
_RANGES: dict[str, tuple[float, float, bool]] = {
    "pca": (2, 64, True),
    "select": (1, 100, True),
    "neighbours": (1, 64, True),
    "p": (1.0, 8.0, False),
    "depth": (1, 30, True),
    "leaf": (1, 50, True),
    "C": (1e-3, 1e3, False),
    "gamma": (1e-5, 1e1, False),
    "degree": (2, 6, True),
}


def _costs(options: tuple[str, ...], rng: np.random.Generator) -> dict[str, float]:
    """What each option adds to q: nothing for one of them."""
    costs = rng.uniform(0.2, 1.0, len(options))
    costs[rng.integers(len(options))] = 0.0
    return dict(zip(options, costs.tolist(), strict=True))


@cache
def _data(seed: int) -> tuple[str, Any, Any]:
    from sklearn import datasets

    if seed % 2 == 0:
        return ("diabetes", *datasets.load_diabetes(return_X_y=True))
    return ("cancer", *datasets.load_breast_cancer(return_X_y=True))


def learning(seed: int) -> Task:
    """The error of three kinds of models in five folds: progression of diabetes (even), tumours (odd)."""
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    name, X, y = _data(seed)
    scoring = "r2" if name == "diabetes" else "neg_brier_score"
    model = _regressor if name == "diabetes" else _classifier

    def objective(trial: Any) -> float:
        estimator = make_pipeline(StandardScaler(), model(trial))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model that does not converge is a bad model
            return -float(cross_val_score(estimator, X, y, cv=5, scoring=scoring).mean())

    return Task(name, objective, None)


def _regressor(trial: Any) -> Any:
    from sklearn import linear_model, neighbors
    from sklearn import svm as vectors

    kind = trial.suggest_categorical("model", ["elastic", "svr", "knn"])
    if kind == "elastic":
        alpha = trial.suggest_float("alpha", 1e-4, 1e2, log=True)
        return linear_model.ElasticNet(alpha=alpha, l1_ratio=trial.suggest_float("l1_ratio", 0.0, 1.0))
    if kind == "knn":
        return neighbors.KNeighborsRegressor(
            n_neighbors=trial.suggest_int("neighbours", 1, 100, log=True),
            weights=trial.suggest_categorical("weights", ["uniform", "distance"]),
            p=trial.suggest_float("p", 1.0, 4.0),
        )
    words = {"kernel": trial.suggest_categorical("kernel", ["linear", "rbf", "sigmoid"])}
    words["C"] = trial.suggest_float("C", 1e-2, 1e3, log=True)
    words["epsilon"] = trial.suggest_float("epsilon", 1e-2, 1e2, log=True)
    if words["kernel"] != "linear":
        words["gamma"] = trial.suggest_float("gamma", 1e-5, 1.0, log=True)
    return vectors.SVR(**words, max_iter=20_000)


def _classifier(trial: Any) -> Any:
    from sklearn import linear_model, naive_bayes, neighbors, tree

    kind = trial.suggest_categorical("model", ["logistic", "knn", "tree", "bayes"])
    if kind == "logistic":
        return linear_model.LogisticRegression(C=trial.suggest_float("C", 1e-4, 1e4, log=True), max_iter=500)
    if kind == "knn":
        return neighbors.KNeighborsClassifier(
            n_neighbors=trial.suggest_int("neighbours", 1, 100, log=True),
            weights=trial.suggest_categorical("weights", ["uniform", "distance"]),
            p=trial.suggest_float("p", 1.0, 4.0),
        )
    if kind == "bayes":
        return naive_bayes.GaussianNB(var_smoothing=trial.suggest_float("smoothing", 1e-9, 1.0, log=True))
    words = {"criterion": trial.suggest_categorical("criterion", ["gini", "entropy"])}
    words["max_depth"] = trial.suggest_int("depth", 1, 20)
    words["min_samples_leaf"] = trial.suggest_int("leaf", 1, 64, log=True)
    return tree.DecisionTreeClassifier(**words, random_state=0)


TASKS: Mapping[str, Callable[[int], Task]] = {
    "svm": lambda seed: of_problem(svm(seed)),
    "boosting": lambda seed: of_problem(boosting(seed)),
    "network": network,
    "pipeline": pipeline,
    "learning": learning,
}
