"""Problems with known answers beside those of the paper; once this is imported, `suffice.problems.find` finds them."""

from research.problems.functions import PROBLEMS
from research.problems.registry import CONDITIONAL, FIXED, SEEDED, WIDE
from suffice.problems import Problem, find

__all__ = ["CONDITIONAL", "FIXED", "PROBLEMS", "SEEDED", "WIDE", "Problem", "find"]
