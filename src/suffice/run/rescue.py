"""A run whose file can no longer be written: some patience, then the result goes with the error and to another file."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from suffice.errors import NotStored
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result

PATIENCE = 5.0  # seconds: a network disk is back by then, and a full one is not a passing trouble


@contextmanager
def rescued(optimizer: Optimizer) -> Iterator[Optimizer]:
    """Close the optimizer at the end; where its file cannot be written, NotStored says where else everything is."""
    optimizer.patience = PATIENCE
    try:
        yield optimizer
        optimizer.close()
    except NotStored as error:
        _rescue(optimizer, error)
        raise
    except BaseException as error:
        try:
            optimizer.close()
        except NotStored as held:
            _rescue(optimizer, held)
            for note in held.__notes__:
                error.add_note(note)
        raise


def _rescue(optimizer: Optimizer, error: NotStored) -> None:
    """Attach the result to the error, and write it wherever that is possible."""
    result: Result = optimizer.result("the run ended, because its file could not be written")
    error.result = result  # type: ignore[attr-defined]
    assert optimizer.store is not None
    copy = _written(result, optimizer.store)
    where = "and could be written nowhere else" if copy is None else f"and in {copy}: sf.load({str(copy)!r})"
    error.add_note(
        f"Nothing is lost yet: the whole study is attached to this exception as `.result`, {where}. When there is room "
        f"again, the same call goes on with what {optimizer.store} has."
    )


def _written(result: Result, store: Path) -> Path | None:
    """The file that the result was saved in, beside its store or where there is room; None if there is none."""
    for folder in (store.parent, Path.cwd(), Path(tempfile.gettempdir()), Path.home()):
        with suppress(OSError):
            path = _free(Path(os.path.abspath(folder)) / f"{store.name}.rescued.json")
            result.save(path)
            return path
    return None


def _free(path: Path) -> Path:
    """The path, or the first with a number that is not taken: an earlier rescue stays."""
    numbered = (path.with_name(f"{path.stem}-{i}{path.suffix}") for i in count(2))
    return path if not path.exists() else next(other for other in numbered if not other.exists())
