"""Words of other searches of scikit-learn, and what they are called here."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import ParamSpec

from suffice.space.naming import nearest_name

P = ParamSpec("P")

MEANINGS: dict[str, str] = {
    "n_trials": "n_iter n_iters n_calls n_candidates max_evals num_trials max_iter",
    "search_spaces": "param_distributions param_grid space search_space params param_space param_bounds",
    "random_state": "seed random_seed",
    "n_parallel": "n_points batch_size n_workers",
    "n_initial": "n_initial_points n_startup_trials init_points n_random_starts",
    "verbose": "progress",
    "scoring": "score scorer metric",
    "callback": "callbacks",
    "stop": "early_stopping tol patience",
    "store": "storage",
}
HERE = {word: name for name, words in MEANINGS.items() for word in words.split()}


def answering(init: Callable[P, None]) -> Callable[P, None]:
    """An `__init__` that answers a word that it does not know with what to write instead.

    A wrapper, since scikit-learn reads the arguments off the signature and takes a `**others` for one of them.
    """
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def answered(*args: P.args, **kwargs: P.kwargs) -> None:
        for word in kwargs:
            if word not in known:
                instead = f"it is called {HERE[word]!r} here" if word in HERE else nearest_name(word, known)
                raise TypeError(f"{type(args[0]).__name__} has no argument {word!r}: {instead}")
        init(*args, **kwargs)

    return answered


def nearest_parameter(name: str, known: Collection[str]) -> str:
    """What may have been meant by a name that is no parameter of an estimator: one of another depth comes first."""
    deeper = [full for full in known if full.endswith(f"__{name}")]
    meant = deeper or [full for full in known if "__" in name and full == name.rpartition("__")[2]]
    said = " or ".join(map(repr, meant[:3]))
    return f"did you mean {said}?" if meant else nearest_name(name, known)
