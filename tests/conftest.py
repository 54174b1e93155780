"""What `make test` leaves to `make test-all`, hypothesis profiles, signals, and programs that pip cannot install.

`default` explores anew at every run; `ci` repeats the same examples, so it cannot flake.
"""

import importlib
import os
import shutil
import signal
import time
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("default")

# A shell starts what runs in its background with SIGINT ignored, and the programs that tests start and interrupt would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` is what every change runs, in five minutes on two cores. What only few changes can break, and what takes
# seconds a test, waits for `make test-all`: folders and files below this one, and tests by the beginning of their name,
# with what `make test` has in their place.
SLOW = {
    "accuracy/test_certificate.py::test_no_search_finds_more": "bounds are tested in gp and acquisition",
    "architecture/test_contributing.py::test_the_examples_keep_their_contracts_once": "they run elsewhere, too",
    "architecture/test_docstrings.py::test_the_examples_of_the_docstrings_run": "README's example and the tutorial",
    "browser": "the report's page is opened in one of tests/report; the server is tested in tests/dashboard",
    "cli/test_audit.py": "tests/study/audit",
    "cli/test_reproduce.py": "tests/lab and tests/paper run small plans",
    "cli/test_tune.py": "tests/tune",
    "compat": "nothing in the library is made of it; its page is run with the others",
    "contracts/test_own.py": "CONTRIBUTING's examples",
    "dashboard/test_command.py": "tests/dashboard/test_server.py",
    "dashboard/test_hostile.py::test_a_number_that_json_does_not_have": "tests/dashboard/test_damage.py",
    "docs/test_bounds_page.py": "tests/study/test_bound.py",
    "docs/test_coming_from_page.py": "tests/run/test_words_of_others.py",
    "docs/test_conditional_page.py": "tests/study/test_conditions_and_constraints.py",
    "docs/test_constraints_page.py": "tests/study/test_constraints.py",
    "docs/test_define_by_run_page.py": "tests/study/test_conditions_and_constraints.py",
    "docs/test_failures_page.py": "tests/study/test_failures.py",
    "docs/test_feasibility_page.py": "tests/study/test_constraints.py",
    "docs/test_gallery_page.py": "tests/plot",
    "docs/test_hypervolume_page.py": "tests/study has fronts",
    "docs/test_ideas_pages.py": "tests/accuracy and tests/study/test_certify.py",
    "docs/test_lab_page.py": "tests/exchange",
    "docs/test_objectives_page.py": "tests/study has fronts",
    "docs/test_optuna_page.py": "tests/integrations/optuna",
    "docs/test_pages_howto.py": "README, the tutorial, the pages with tests of their own, and links",
    "docs/test_pages_other.py": "README and the tutorial",
    "docs/test_progress_page.py": "tests/progress",
    "docs/test_report_page.py": "tests/report",
    "docs/test_resume_page.py": "tests/faults kills a run and goes on",
    "docs/test_several_outputs_page.py": "tests/study has bounds and constraints",
    "docs/test_simulation_page.py": "tests/faults",
    "docs/test_site.py": "links and docstrings are read without building the site",
    "docs/test_skopt_page.py": "tests/compat",
    "docs/test_space_pages.py": "tests/space",
    "docs/test_spaces_page.py": "tests/space",
    "docs/test_store_page.py": "tests/study/store",
    "docs/test_tune_page.py": "tests/tune and tests/cli/test_tune.py",
    "docs/test_tutorial_pages.py": "the blocks of the tutorial run in test_pages_tutorial.py",
    "docs/test_workers_page.py": "tests/run",
    "examples": "README's example and the tutorial",
    "faults/test_crash_and_storage.py::test_29_a_run_on_a_full_disk": "values are held in the test beside it",
    "faults/test_crash_and_storage.py::test_29_a_study_in_a_read_only_folder": "tests/store/test_files.py",
    "faults/test_parallel_and_load.py": "tests/run/test_attempts.py and test_executors.py kill workers",
    "faults/test_space_and_calls.py::test_a_choice_of_many_options": "tests/space/test_options.py",
    "gp/test_fit.py::test_known_hyperparameters_are_recovered_from_many_data": "gradients, and fits of few data",
    "gp/test_model.py::test_a_cold_fit_of_many_points_is_as_good": "tests/gp/test_subset.py",
    "gp/test_model.py::test_a_known_noise_in_any_unit_stays_known_and_finite": "tests/gp/test_outcome.py",
    "gp/test_model.py::test_noise_of_the_size_of_the_signal": "tests/gp/test_fit.py",
    "gp/test_model.py::test_outputs_without_skew": "tests/gp/test_outcome.py",
    "gp/test_model.py::test_skewed_outputs_are_warped": "tests/gp/test_outcome.py",
    "gp/test_model.py::test_the_model_is_calibrated_on_noisy_data": "tests/accuracy/test_calibration.py",
    "gp/test_model.py::test_the_unit_of_the_outputs_does_not_matter": "tests/gp/test_outcome.py",
    "gp/test_screening.py::test_many_candidates_take_little_memory": "candidates are exact in the tests beside it",
    "gp/test_screening.py::test_screening_is_exact_on_any_data": "the given data of the tests beside it",
    "integrations/optuna/test_public_classes.py": "its samplers' own tests",
    "integrations/optuna/test_sampler.py::test_brackets_of_hyperband": "tests/integrations/optuna/test_lessons.py",
    "integrations/pages": "Ray, MLflow and optuna-dashboard; the sampler itself is tested in integrations/optuna",
    "integrations/sklearn/test_estimator_checks.py": "the other tests of the search",
    "integrations/sklearn/test_page.py": "the other tests of the search",
    "integrations/workers": "PostgreSQL and several processes; memory and turns are tested in integrations/optuna",
    "lab/test_plots.py": "tests/plot",
    "lab/test_runner.py": "tests/paper and tests/lab run plans in one process",
    "paper/test_degraded.py": "tests/paper/test_methods.py",
    "paper/test_fill.py": "tests/paper/test_grids.py",
    "paper/test_plots.py": "tests/paper/test_comparison.py",
    "paper/test_presets.py": "tests/paper/test_methods.py",
    "paper/test_report.py": "tests/paper/test_comparison.py and test_published.py",
    "paper/test_restarts.py": "tests/paper/test_methods.py",
    "paper/test_theorems.py": "tests/accuracy/test_regret.py",
    "plot/test_model.py::test_partial_dependence_is_of_the_same_shape": "the other tests of effects",
    "plot/test_overview.py::test_every_figure_is_the_same_each_time": "every figure is drawn once by its own tests",
    "plot/test_overview.py::test_of_several_objectives": "tests/plot/test_front.py",
    "problems": "the paper's functions are used by the tests of the lab",
    "report/test_kinds.py": "tests/report/test_page.py and test_outputs.py",
    "report/test_page.py::test_every_figure_has_words": "tests/report/test_drawing.py",
    "report/test_page.py::test_the_same_study_gives_the_same_bytes": "tests/report/test_data.py",
    "research": "nothing that users install depends on it",
    "run/test_dask.py::test_a_scheduler_that_restarts": "a worker is killed in the test beside it",
    "run/test_dask.py::test_a_worker_that_hangs_is_replaced": "a worker is killed in the test beside it",
    "run/test_early_stopping.py::test_a_run_that_is_killed_half_way": "tests/faults kills a run and goes on",
    "run/test_early_stopping.py::test_a_worker_that_dies_half_way": "tests/run/test_attempts.py",
    "run/test_early_stopping.py::test_dask_brings_the_reports": "every other executor does in the tests beside it",
    "run/test_early_stopping.py::test_every_executor_brings_the_reports": "processes do in the tests beside it",
    "run/test_engines.py::test_a_killed_rank": "tests/faults kills a run and goes on",
    "run/test_engines.py::test_executorlib": "its futures are those of the standard library",
    "run/test_engines.py::test_ray": "jobs that are asked, and killed, in the tests beside it",
    "run/test_engines.py::test_submitit": "jobs that are asked, and killed, in the tests beside it",
    "run/test_executors.py::test_a_pool_that_breaks_while": "tests/run/test_attempts.py",
    "run/test_showing.py::test_a_terminal_gets_a_bar": "tests/progress",
    "shared/test_one_study.py::test_a_long_evaluation_stays_claimed": "workers that die, and trials asked by hand",
    "shared/test_one_study.py::test_a_point_that_kills_every_worker": "a worker is killed in the test beside it",
    "shared/test_pages.py": "the same line is run by several processes in test_one_study.py",
    "shared/test_servers.py::test_a_connection_that_stalls": "connections are cut in the tests beside it",
    "shared/test_servers.py::test_a_server_that_does_not_come_back": "it restarts in the test beside it",
    "solvers/test_budget.py::test_the_cap_is_a_multiple": "a smaller share never costs less",
    "solvers/test_budget.py::test_the_share_decides": "a smaller share never costs less",
    "solvers/test_enough.py::test_the_maximum_is_above_the_upper_limit": "tests/accuracy/test_estimate.py",
    "solvers/test_searches.py::test_a_curved_valley": "quadratics, and bumps beside SciPy's ends",
    "solvers/test_searches.py::test_the_end_of_the_valley": "quadratics, and bumps beside SciPy's ends",
    "solvers/test_searches.py::test_the_end_points_on_random_bumps": "quadratics, and tests/solvers/test_newton.py",
    "space/test_domain.py::test_what_is_held_at_once_is_bounded_in_entries[10000000]": "a hundredth of the entries",
    "space/test_space_properties.py": "tests/space/test_parameters.py and test_space.py",
    "study/audit/test_audit.py::test_after_saving_and_loading": "tests/study/audit/test_rebuild.py",
    "study/audit/test_rebuild.py::test_every_step_of_an_eventful_run_is_rebuilt": "tests/study/audit/test_audit.py",
    "study/early/test_reporting.py::test_a_thousand_trials": "tests/study/test_many.py",
    "study/reading/test_importance.py::test_many_parameters": "fewer parameters",
    "study/test_bound.py": "tests/accuracy/test_regret.py",
    "study/test_certify.py::test_the_numbers_of_a_report": "tests/accuracy/test_certificate.py",
    "study/test_certify.py::test_the_settings_and_the_proofs": "tests/study/saving",
    "study/test_conditions_and_constraints.py::test_a_stored_study": "tests/study/store",
    "study/test_conditions_and_constraints.py::test_every_acquisition": "every solver, and tests/contracts",
    "study/test_conditions_and_constraints.py::test_the_audit": "tests/study/audit",
    "study/test_conditions_and_constraints.py::test_the_same_seed": "tests/study/test_reproducible.py",
    "study/test_constraints.py::test_as_many_points_are_within_their_limits": "tests/acquisition/test_constrained.py",
    "study/test_fuzz.py": "tests/study/test_call_machine.py, and the edges in tests/faults",
    "study/test_interrupts.py::test_an_ask_interrupted_anywhere_leaves_nothing_pending[1]": "the other seed",
    "study/test_limited_bound.py": "tests/accuracy/test_regret.py",
    "study/test_many_parameters.py::test_integers_and_choices": "tests/solvers/test_lattices.py",
    "study/test_narration.py::test_trouble_is_seen_even_where": "tests/run/test_watching.py",
    "study/test_random_spaces.py": "tests/faults/test_space_and_calls.py",
    "study/test_regret_below.py::test_a_greater_beta": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_a_proof_stops": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_a_smaller_tolerance": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_an_option_that_was_tried": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_it_binds_its_own_bounds": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_more_noise": "it stops in time, and looks without touching",
    "study/test_regret_below.py::test_with_noise": "it stops in time, and looks without touching",
    "study/test_verdict.py::test_scores_do_not_change": "tests/study/test_reproducible.py",
    "study/test_wide_batches.py::test_every_report_is_of_its_own_point": "tests/study/audit",
}


HERE = Path(__file__).parent
WHOLE = frozenset(HERE / path for path in SLOW if "::" not in path)  # files and folders
# Of a test with many cases `make test` takes the first and the last here: the cases vary a number or a part, and not
# what is said.
SAMPLED = (
    *("accuracy", "acquisition", "contracts", "gp", "pareto", "plot", "solvers", "study/audit", "study/store"),
    *("faults/test_space_and_calls.py", "faults/test_values_and_model.py", "study/outputs", "study/reading"),
    *("study/test_accuracy.py", "study/test_certify.py", "study/test_conditions_and_constraints.py"),
    *("study/test_constraints.py", "study/test_copies.py", "study/test_fixed.py", "study/test_levels.py"),
    *("study/test_live_audit.py", "study/test_pool.py", "study/test_recommended.py", "study/test_regret_below.py"),
    *("study/test_reproducible.py", "study/test_suggest.py", "study/test_wide_batches.py"),
)


def pytest_ignore_collect(collection_path, config):
    """Do not even read what is slow, if nothing slow is wanted."""
    return True if config.option.markexpr == "not slow" and collection_path in WHOLE else None


def pytest_collection_modifyitems(items):
    """Mark what is slow, so that `-m "not slow"` leaves it out."""
    tests = tuple(path for path in SLOW if "::" in path)
    cases = defaultdict(list)
    for item in items:
        path = item.path.relative_to(HERE)
        name = f"{path.as_posix()}::{item.nodeid.partition('::')[2]}"
        if name.startswith(tests) or not WHOLE.isdisjoint((item.path, *item.path.parents)):
            item.add_marker("slow")
        elif name.startswith(SAMPLED) and hasattr(item, "callspec"):
            cases[name.partition("[")[0]].append(item)
    for several in cases.values():
        for item in several[1:-1]:
            item.add_marker("slow")


class Clock:
    """What runs take for the clock: with `runs` set to False it stands still, and nothing is late on a busy machine.

    A test sets it forward, `clock.ahead += 60`; whoever waits looks at it again after the seconds that it waits for.
    """

    def __init__(self):
        self.ahead, self.runs = 0.0, True

    def monotonic(self):
        return self.ahead + (time.monotonic() if self.runs else 0.0)

    def __getattr__(self, name):
        return getattr(time, name)


@pytest.fixture
def clock(monkeypatch):
    """The clock by which evaluations and runs of this process are late."""
    clock = Clock()
    for name in ("attempts", "backends", "jobs", "loop"):
        monkeypatch.setattr(importlib.import_module(f"suffice.run.{name}"), "time", clock)
    return clock


# Debian keeps the programs of a PostgreSQL server out of the search path, in a folder for each version.
_ELSEWHERE = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def need():
    """`need("initdb", "postgresql")` is the path of a program of that Debian package; without it the test is skipped.

    With SUFFICE_TEST_ALL=1 in the environment, as in continuous integration, the test fails instead of being skipped.
    """
    return _found


def _found(command: str, package: str) -> str:
    folders = [os.environ.get("PATH", os.defpath), *map(str, sorted(_ELSEWHERE.glob("*/bin"), reverse=True))]
    path = shutil.which(command, path=os.pathsep.join(folders))
    if path is None:
        reason = f"there is no program {command!r} here; on Debian and Ubuntu: apt install {package}"
        (pytest.fail if os.environ.get("SUFFICE_TEST_ALL") == "1" else pytest.skip)(reason)
    return path
