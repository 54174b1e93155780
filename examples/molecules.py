"""A pool: which of 2000 molecules is the most active? Forty measurements must do.

The molecules are not real: each is a fingerprint of 64 bits that a seeded rule generates, in families that share most
of their bits, and the activity is another seeded rule of pairs of bits. With real ones, `features` are the
fingerprints of your chemistry package; everything else stays.

python molecules.py
"""

import numpy as np

import suffice as sf

MOLECULES, BITS, FAMILIES = 2000, 64, 25


def library(rng):
    """Fingerprints (MOLECULES, BITS): copies of a few scaffolds, with one bit in ten flipped."""
    scaffolds = rng.random((FAMILIES, BITS)) < 0.3
    flipped = rng.random((MOLECULES, BITS)) < 0.1
    return (scaffolds[rng.integers(FAMILIES, size=MOLECULES)] ^ flipped).astype(float)


def activities(fingerprints, rng):
    """What a measurement of each would give: 12 bits matter, and 6 pairs of bits."""
    bits, pairs = rng.choice(BITS, 12, replace=False), rng.choice(BITS, (6, 2), replace=False)
    alone = fingerprints[:, bits] @ rng.normal(0, 1, len(bits))
    together = (fingerprints[:, pairs[:, 0]] * fingerprints[:, pairs[:, 1]]) @ rng.normal(0, 1, len(pairs))
    return 6 + alone + together


def main():
    rng = np.random.default_rng(0)
    fingerprints = library(rng)
    measured = activities(fingerprints, rng)
    names = [f"M{number:04d}" for number in range(MOLECULES)]
    value = dict(zip(names, measured, strict=True))

    pool = sf.Pool(names, features=fingerprints)
    # One length-scale for all bits: forty values say nothing about each of 64 by itself.
    result = sf.maximize(value.__getitem__, pool, n_trials=40, seed=0, model=sf.GP(ard=False))
    above = int((measured > result.fun).sum())
    chance = float(np.median([rng.choice(measured, 40, replace=False).max() for _ in range(1000)]))
    print(result)
    print(f"\nBest of {result.nfev} measured: {result.x} with {result.fun:.2f}; the best of all: {measured.max():.2f}.")
    print(f"Molecules in the library that are better: {above} of {MOLECULES}.")
    print(f"Forty at random would have found {chance:.2f} (median).")
    return result


if __name__ == "__main__":
    main()
