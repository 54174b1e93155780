"""Problems with known answers: those of the paper. A clone of the repository has more of them in research/problems."""

from suffice.problems.functions import PROBLEMS, find, register
from suffice.problems.problem import Problem

__all__ = ["PROBLEMS", "Problem", "find", "register"]
