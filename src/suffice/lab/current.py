"""Which runs of a results file are those of a plan as it is now."""

from functools import cache

from suffice.lab.plan import Plan
from suffice.lab.results import Results
from suffice.lab.run import Run
from suffice.problems import find


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
