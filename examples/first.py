"""A first run: the lowest point of Branin's function in 50 evaluations."""

import math

import suffice as sf


def branin(x):
    a, b = x
    return (
        (b - 5.1 * a**2 / (4 * math.pi**2) + 5 * a / math.pi - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10
    )


if __name__ == "__main__":
    result = sf.minimize(branin, [(-5, 10), (0, 15)], n_trials=50, seed=0)
    print(result)
