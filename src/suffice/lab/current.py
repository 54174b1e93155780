"""Carry out a plan, and know which runs of a results file are those of the plan as it is now."""

from functools import cache

from suffice.lab.plan import Plan
from suffice.lab.results import Results
from suffice.lab.run import Run
from suffice.lab.runner import Execution, execute
from suffice.problems import find
from suffice.progress import Progress
from suffice.store.files import FilePath


def carry_out(
    plan: Plan, path: FilePath, *, workers: int | None = None, progress: Progress | None = None
) -> tuple[Execution, list[Run]]:
    """Make the runs of a plan that a results file lacks; what became of them, and all current runs of the plan.

    workers and progress are those of `execute`.
    """
    with Results(path) as results:
        return execute(plan.jobs(), results, workers=workers, progress=progress), current(plan, results)


def current(plan: Plan, results: Results) -> list[Run]:
    """The finished runs of a plan by its present definition: not those of another version, budget or audit."""
    problem, finished, wanted = cache(find), results.finished(), set()
    for job in plan.jobs():
        if job.key in finished:
            try:
                digest = job.digest(problem(job.task.problem))
            except Exception:  # a definition that fails has no run; `execute` says which and why
                continue
            if finished[job.key] == digest:
                wanted.add(job.key)
    return [run for run in results.runs(plan.name) if run.key in wanted]
