"""Problems with known answers, to test and compare optimizers on."""

from suffice.problems.lookup import find
from suffice.problems.problem import Problem
from suffice.problems.synthetic import PROBLEMS

__all__ = ["PROBLEMS", "Problem", "find"]
