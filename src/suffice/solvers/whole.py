"""Whether a scattered domain is looked at as a whole, by counted operations.

N   int   points          n   int   observations          d   int   columns

A distance takes d operations and its kernel value about as many as KERNEL multiplications, N n times. A score that
sieves does that in single precision, and little else; any other one needs the deviation, n operations for each of
them, in double precision, which takes about twice as long, and some arrays more.
"""

from suffice.space import scattered
from suffice.types import Domain, Score, Step

KERNEL = 20
DOUBLE = 4
OPERATIONS = 2e10  # two or three seconds of one processor, which choosing among millions of points is worth


def seen_whole(alpha: Score, domain: Domain, step: Step) -> bool:
    """Whether to look at every point: no step leads from one of them to a better one, and it can be afforded."""
    if not scattered(domain):
        return False
    n = max(1, len(step.design))
    each = n * (domain.dim + KERNEL) if alpha.sieves else DOUBLE * n * (domain.dim + KERNEL + n)
    return domain.size * each <= OPERATIONS
