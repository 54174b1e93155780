"""The paper's room builds on others, and borrows their fixtures: hand-made runs of lab, scores of solvers."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def fixtures_of(room):
    spec = spec_from_file_location(f"fixtures_of_{room}", Path(__file__).parents[1] / room / "conftest.py")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lab, solvers = fixtures_of("lab"), fixtures_of("solvers")
make_run, make_plan, make_runs, optimizers = lab.make_run, lab.make_plan, lab.make_runs, lab.optimizers
scores = solvers.scores
