"""The registry of test problems: name -> an instance of a fixed dimension.

A name ends in its dimension where the family has several. The families that exist in any dimension are in the
registry with one or a few usual dimensions; their factories (`scalable.levy(7)`, or `find("levy7")`) make the others.
"""

from suffice.problems.bumps import BUMPS
from suffice.problems.planar import PLANAR
from suffice.problems.problem import Problem
from suffice.problems.scalable import (
    ackley,
    cosine_mixture,
    dixon_price,
    griewank,
    levy,
    michalewicz,
    powell,
    rastrigin,
    rosenbrock,
    styblinski_tang,
)

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        *PLANAR,
        *BUMPS,
        rastrigin(3),
        levy(5),
        michalewicz(2),
        michalewicz(5),
        michalewicz(10),
        ackley(5),
        griewank(5),
        rosenbrock(4),
        styblinski_tang(4),
        cosine_mixture(8),
        dixon_price(4),
        powell(4),
    )
}
