"""Evaluations on a Dask cluster: as many at a time as it has threads, and whoever is done gets the next point.

Without an argument a small cluster of two workers is made inside this program, for a demonstration; with the address
of a scheduler the same lines run on a real one, where every worker can import suffice.

python on_dask.py [tcp://scheduler:8786]
"""

import sys
import time
from contextlib import contextmanager

from distributed import Client, LocalCluster

import suffice as sf

SECONDS = 0.05  # one evaluation; in earnest minutes or hours


def valley(point):
    """A bent valley, lowest at (1, 1)."""
    time.sleep(SECONDS)
    return (1 - point["x"]) ** 2 + (point["y"] - point["x"] ** 2) ** 2


@contextmanager
def cluster(address=None):
    """A client of the cluster at the address, or of one in this program."""
    if address:
        with Client(address) as client:
            yield client
    else:
        small = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
        with small, Client(small) as client:
            yield client


def main(address=None):
    space = {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}
    with cluster(address) as client:
        executor = client.get_executor()
        result = sf.minimize(valley, space, n_trials=24, executor=executor, seed=0)
        workers = len(client.scheduler_info()["workers"])
    together = max(len(trial.solve.binding.pending) + 1 for trial in result.trials if trial.solve)
    print(result)
    print(f"\n{result.nfev} evaluations on {workers} workers, {together} at a time; the best is {result.fun:.3f}")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
