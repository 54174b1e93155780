"""BLAS works with one thread while the optimizer asks, and with as many as before afterwards."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from suffice import threads
from suffice.run.processes import available
from suffice.solvers import Fixed, Grid
from suffice.threads import SMALL, OpenBLAS, loaded, one_thread

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


class Library:
    """A BLAS that counts its threads, for the whole process."""

    def __init__(self, number=4):
        self.number, self.calls = number, 0

    def get(self):
        return self.number

    def set(self, number):
        self.number = number
        self.calls += 1

    def exchange(self, number):
        former, self.number = self.number, number
        return former


@pytest.fixture
def library(monkeypatch):
    made = Library()
    monkeypatch.setattr(threads, "loaded", lambda: ((OpenBLAS(made.get, made.set),), ()))
    return made


def test_one_thread_within_and_the_former_number_afterwards_also_after_an_error(library):
    with one_thread():
        assert library.number == 1
    assert library.number == 4
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert library.number == 4


def test_an_interruption_on_the_way_in_leaves_the_number_as_it_was(library, monkeypatch):
    def interrupted(number):
        library.set(number)
        if library.calls == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(threads, "loaded", lambda: ((OpenBLAS(library.get, interrupted),), ()))
    with pytest.raises(KeyboardInterrupt), one_thread():
        raise AssertionError("not reached")
    assert library.number == 4
    with one_thread():
        assert library.number == 1
    assert library.number == 4


def test_large_matrices_are_left_alone(library):
    with one_thread(SMALL + 1):
        assert library.number == 4
    assert library.calls == 0
    with one_thread(SMALL):
        assert library.number == 1


def test_the_last_of_several_users_puts_the_number_back(library):
    with one_thread(), one_thread():
        assert library.number == 1
    assert library.number == 4

    first_inside, second_inside = threading.Event(), threading.Event()
    seen = []

    def second():
        first_inside.wait()
        with one_thread():
            second_inside.set()
            first.join()
            seen.append(library.number)

    def enter():
        with one_thread():
            first_inside.set()
            second_inside.wait()

    first, other = threading.Thread(target=enter), threading.Thread(target=second)
    for thread in (first, other):
        thread.start()
    other.join()
    assert seen == [1]  # the first has left, the second has not
    assert library.number == 4


def test_a_storm_of_threads_leaves_the_number_as_it_was(library):
    wrong, barrier = [], threading.Barrier(8)

    def work():
        barrier.wait()
        for _ in range(200):
            with one_thread():
                if library.number != 1:
                    wrong.append(library.number)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    assert library.number == 4


def test_a_number_of_the_calling_thread_is_exchanged_at_every_level(monkeypatch):
    library = Library(0)  # 0: MKL's word for the number of the process
    monkeypatch.setattr(threads, "loaded", lambda: ((), (library.exchange,)))
    with one_thread():
        with one_thread():
            assert library.number == 1
        assert library.number == 1
    assert library.number == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # pytest and BLAS have threads
def test_a_process_forked_while_its_parent_counts_does_not_wait_for_it(library):
    users = threads._USERS.setdefault(os.getpid(), threads._Users())
    with users.lock:
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # ends a child that waits
            with one_thread():
                os._exit(10 + library.number)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 11


def test_the_library_of_the_wheels_is_found_by_its_names():
    """NumPy and SciPy say themselves what they were built with."""
    import numpy as np
    import scipy

    builds = [module.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"] for module in (np, scipy)]
    if not all("openblas" in build for build in builds):
        pytest.skip(f"built with {builds}")
    openblas, _ = loaded()
    assert len(openblas) == 2
    former = [library.get() for library in openblas]
    with one_thread():
        assert [library.get() for library in openblas] == [1, 1]
    assert [library.get() for library in openblas] == former


def test_a_module_that_is_not_there_or_not_a_library_is_no_error():
    assert threads._handles("numpy.no_such_module") == []
    assert threads._handles("suffice.threads") == []  # Python source: nothing to open
    assert threads._openblas(object()) is None  # no symbol is found


class Watching:
    """A solver that looks at the number of threads."""

    def __init__(self, library, solver):
        self.library, self.solver, self.seen = library, solver, []

    def __call__(self, alpha, domain, *, step, rng):
        self.seen.append(self.library.number)
        return self.solver(alpha, domain, step=step, rng=rng)


def test_an_ask_works_with_one_thread_and_the_objective_with_its_own_number(library, make, drive):
    watching = Watching(library, Grid(size=Fixed(64)))
    opt = make(SQUARE, solver=watching)
    numbers = []

    def f(point):
        numbers.append(library.number)
        return float(point.sum())

    drive(opt, 9, f)
    assert watching.seen == [1] * 3
    assert numbers == [4] * 9
    assert library.number == 4


RUN = """
import numpy as np
import suffice as sf
from suffice.threads import loaded
rng = np.random.default_rng(0)
opt = sf.Optimizer([(0, 1)] * 4, seed=0)
for x in rng.random((200, 4)):
    opt.tell(x, float(np.sin(5 * x).sum()))
for _ in range(3):
    trial = opt.ask()
    opt.tell(trial, float(np.sin(5 * trial.point).sum()))
print(*(trial.point.tobytes().hex() for trial in opt.trials[200:]), *(library.get() for library in loaded()[0]))
"""


def test_suggestions_do_not_depend_on_the_number_of_threads():
    def suggestions(number):
        environment = {**os.environ, "OMP_NUM_THREADS": str(number), "OPENBLAS_NUM_THREADS": str(number)}
        done = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True)
        points, numbers = done.stdout.split()[:3], done.stdout.split()[3:]
        return points, set(map(int, numbers))

    (one, first), (two, second) = suggestions(1), suggestions(2)
    assert one == two
    assert first <= {1}
    assert second <= {2} or (available() == 1 and second <= {1})
