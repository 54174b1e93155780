"""Limits and two objectives: a service that must answer in time, with few errors and few machines.

It searches in an index of vectors. The finer the index is, and the more of it is looked at, the fewer neighbours are
missed; but an answer takes longer, and more machines are needed for the same load. Errors and machines are to be few,
and one costs the other. An answer must come within 50 ms, and the index must fit into 64 GB: where it does not, nothing
else can be measured.

python service.py
"""

import math

import suffice as sf

AIMS = {"error": "minimize", "machines": "minimize"}
LIMITS = {"latency": sf.AtMost(50), "memory": sf.AtMost(64)}
SPACE = sf.Space(
    links=sf.Int(4, 64, log=True),  # of each vector to others
    looked_at=sf.Int(10, 2000, log=True),  # vectors in each search
    bits=sf.Ordinal(4, 8, 16, 32),  # of each number of a vector
    batch=sf.Int(1, 64, log=True),  # searches that are made together
)


def measure(links, looked_at, bits, batch):
    """What a load test would give."""
    memory = 2.2 * bits + 0.6 * links
    if memory > 64:
        return {"memory": memory}  # GB: it cannot be started
    rounding = 0.002 * (32 / bits) ** 1.5
    error = rounding + 0.6 * math.exp(-0.35 * math.sqrt(looked_at * links) / 10)
    work = 0.012 * looked_at * math.sqrt(links) * (0.4 + bits / 32)  # ms of one search
    latency = 2 + 0.9 * work * (1 + 0.05 * batch) + 0.4 * batch
    machines = 1 + work / (1 + 0.2 * math.log2(batch))
    return {"error": error, "machines": machines, "latency": latency, "memory": memory}


def main():
    result = sf.optimize(
        lambda point: measure(**point), SPACE, n_trials=40, objectives=AIMS, constraints=LIMITS, seed=0
    )
    print(result)
    print(f"\n{sum(not trial.feasible for trial in result.trials)} of {len(result.trials)} were beyond a limit.")
    for words, trial in (
        ("a compromise", result.knee()),
        ("at most 1 % of errors", result.pick(error=0.01)),
        ("at most 3 machines", result.pick(machines=3)),
    ):
        values = trial.values
        print(
            f"{words}: {100 * values['error']:.2f} % of errors with {values['machines']:.1f} machines, "
            f"{values['latency']:.0f} ms, by {trial.point}"
        )
    return result


if __name__ == "__main__":
    main()
