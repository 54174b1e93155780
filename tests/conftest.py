"""Hypothesis profiles: `default` explores anew at every run; `ci` repeats the same examples, so it cannot flake."""

from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("default")
