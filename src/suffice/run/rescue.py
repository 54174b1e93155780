"""A run whose file can no longer be written: some patience, then the result goes with the error and to another file."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from suffice.errors import NotStored
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result

PATIENCE = 5.0  # seconds: a network disk is back by then, and a full one is not a passing trouble


@dataclass(frozen=True)
class Rescued:
    """Closes the optimizer at the end; where its file cannot be written, NotStored says where else everything is.

    It is a class because a generator cannot pass on an exception that takes no attributes.
    """

    optimizer: Optimizer

    def __enter__(self) -> Optimizer:
        self.optimizer.patience = PATIENCE
        return self.optimizer

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, NotStored):
            _rescue(self.optimizer, error)
            return
        try:
            self.optimizer.close()
        except NotStored as held:
            _rescue(self.optimizer, held)
            if error is None:
                raise
            with suppress(Exception):  # it may refuse notes
                for note in held.__notes__:
                    error.add_note(note)


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
