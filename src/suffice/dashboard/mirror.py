"""A copy of a study on a server in a file, because the dashboard reads files.

The events are the same in both, so they are copied unchanged.
"""

import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from suffice.errors import SufficeError
from suffice.record.study_file import KIND
from suffice.store.postgres import Address, SharedBook
from suffice.store.sqlite import Book, Database

log = logging.getLogger("suffice")

PAUSE = 0.5  # seconds between two checks, as for files


@contextmanager
def mirrored(place: str) -> Iterator[Path]:
    """The file, inside the block; FileNotFoundError if there is no such study."""
    address = Address.of(place)
    source = SharedBook(address)
    over = threading.Event()
    try:
        if not source.study:
            raise FileNotFoundError(f"there is no study {address.shown}")
        with tempfile.TemporaryDirectory(prefix="suffice-") as folder:
            file = Path(folder) / "".join(
                letter if letter.isalnum() or letter in "-_." else "_" for letter in address.study
            )
            with Database(file, KIND, threads=True) as database:
                copy = Book(database)
                _copy(source, copy)
                thread = threading.Thread(target=_follow, args=(source, copy, over), daemon=True)
                thread.start()
                try:
                    yield file
                finally:
                    over.set()
                    thread.join()
    finally:
        source.server.close()


def _copy(source: SharedBook, copy: Book) -> None:
    """Copy new events; their numbers are the same in both."""
    number, _ = copy.reached
    copy.append([fact for _, fact in source.read(number)])


def _follow(source: SharedBook, copy: Book, over: threading.Event) -> None:
    while not over.wait(PAUSE):
        try:
            _copy(source, copy)
        except SufficeError as error:
            log.warning("the dashboard cannot be updated: %s", error)
