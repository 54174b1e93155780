"""The scores that the tests of solvers climb, for solvers of the research."""

from tests.solvers.conftest import scores

__all__ = ["scores"]
