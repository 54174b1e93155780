"""A small program to be tuned: fit a polynomial to a curve by gradient descent, print the error.

python train.py --lr 0.1 --degree 5 --opt sgd
suffice tune study.toml
"""

import argparse
import math
import sys


def features(x: float, degree: int) -> list[float]:
    return [math.cos(k * math.acos(x)) for k in range(degree + 1)]  # Chebyshev polynomials


def error(weights: list[float], data: list[tuple[float, float]]) -> float:
    degree = len(weights) - 1
    residuals = (y - sum(w * f for w, f in zip(weights, features(x, degree), strict=True)) for x, y in data)
    return sum(r * r for r in residuals) / len(data)


def train(lr: float, degree: int, momentum: float, epochs: int) -> float:
    curve = [(x, math.sin(5 * x) + 0.1 * math.cos(40 * x)) for x in (i / 20 - 0.975 for i in range(40))]
    training, validation = curve[::2], curve[1::2]
    rows = [(features(x, degree), y) for x, y in training]
    weights, speed = [0.0] * (degree + 1), [0.0] * (degree + 1)
    for epoch in range(epochs):
        slope = [0.0] * (degree + 1)
        for row, y in rows:
            residual = sum(w * f for w, f in zip(weights, row, strict=True)) - y
            slope = [s + residual * f / len(rows) for s, f in zip(slope, row, strict=True)]
        speed = [momentum * v - lr * s for v, s in zip(speed, slope, strict=True)]
        weights = [w + v for w, v in zip(weights, speed, strict=True)]
        if not all(math.isfinite(w) and abs(w) < 1e6 for w in weights):
            sys.exit(f"diverged in epoch {epoch}")
        if epoch % 20 == 0:
            print(f"epoch {epoch}: loss={error(weights, validation):.6f}")
    return error(weights, validation)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--degree", type=int, required=True)
    parser.add_argument("--opt", choices=("sgd", "momentum"), default="sgd")
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--epochs", type=int, default=60)
    given = parser.parse_args()
    momentum = given.momentum if given.opt == "momentum" else 0.0
    print(f"loss={train(given.lr, given.degree, momentum, given.epochs)!r}")
