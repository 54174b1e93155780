"""A conditional space: which model fits a curve, and with which settings, where each model has settings of its own.

A nearest-neighbour average has a number of neighbours, a kernel smoother a width, a polynomial a degree and a
penalty. `when=` says which parameter exists with which model; a point holds only those that do. Everything is NumPy.

python conditional.py
"""

import numpy as np

import suffice as sf

MODELS = ("neighbours", "smoother", "polynomial")
SPACE = sf.Space(
    model=sf.Choice(*MODELS),
    k=sf.Int(1, 30, log=True, when={"model": "neighbours"}),
    width=sf.Float(1e-3, 1, log=True, when={"model": "smoother"}),
    kernel=sf.Choice("gauss", "tent", when={"model": "smoother"}),
    degree=sf.Int(0, 15, when={"model": "polynomial"}),
    penalty=sf.Float(1e-8, 1, log=True, when={"model": "polynomial"}),
)


def data(seed=0, n=120):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return x, np.sin(4 * x) + 0.5 * np.abs(x) + rng.normal(0, 0.2, n)


def predicted(point, x, y, at):
    """What a model with these settings, fitted to (x, y), says at other places."""
    apart = np.abs(at[:, None] - x)
    if point["model"] == "neighbours":
        return y[np.argsort(apart, axis=1)[:, : point["k"]]].mean(axis=1)
    if point["model"] == "smoother":
        scaled = apart / point["width"]
        weights = np.exp(-0.5 * scaled**2) if point["kernel"] == "gauss" else np.maximum(1 - scaled, 0)
        weights += 1e-12
        return weights @ y / weights.sum(axis=1)
    basis = np.polynomial.chebyshev.chebvander(x, point["degree"])
    weights = np.linalg.solve(basis.T @ basis + point["penalty"] * np.eye(basis.shape[1]), basis.T @ y)
    return np.polynomial.chebyshev.chebval(at, weights)


def error(point):
    """The root mean square error over five folds."""
    x, y = data()
    fold = np.arange(len(x)) % 5
    residuals = [predicted(point, x[fold != i], y[fold != i], x[fold == i]) - y[fold == i] for i in range(5)]
    return float(np.sqrt(np.mean(np.concatenate(residuals) ** 2)))


def main():
    result = sf.minimize(error, SPACE, n_trials=28, seed=0)
    print(result)
    print()
    for model in MODELS:
        tried = [trial for trial in result.trials if trial.point["model"] == model]
        best = min(tried, key=lambda trial: trial.value)
        print(f"{model:10s} {len(tried):2d} evaluations, the best {best.value:.4f} with {best.point}")
    return result


if __name__ == "__main__":
    main()
