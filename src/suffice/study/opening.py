"""Opening the file of a study: made anew, continued with the same settings, or resumed from what the file says."""

import logging
import os
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from suffice.errors import UnreadableFile, UnusableFile
from suffice.space import AbsentSpace, is_constrained
from suffice.space.predicates import advice_about
from suffice.store.files import check_is_file
from suffice.store.sqlite import is_database
from suffice.study.continuing import continued
from suffice.study.events import Started
from suffice.study.file_journal import FileJournal, stored_settings
from suffice.study.saving import FORMAT
from suffice.study.settings import Opaque, Settings, as_part
from suffice.study.spaces import space_to_spec

log = logging.getLogger("suffice")

SAVED = f'{{"format": "{FORMAT}"'.encode()  # how a file of Result.save begins
EXAMPLES = {"model": "sf.GP()", "acquisition": "sf.EI()", "solver": "sf.Grid()"}


def open_study(store: Any, given: Settings, words: Collection[str]) -> FileJournal:
    """The journal of a study that begins with `given`, or goes on if the file has one made of the same settings.

    words    the settings that the caller gave; the others are not compared. Whatever is refused, nothing was changed.
    """
    path = as_store(store)
    try:
        space_to_spec(given.space)
    except TypeError as error:
        raise TypeError(
            f"a study of this space cannot be stored: {error}; use strings or numbers as options, or leave out store="
        ) from error
    if path.exists():
        stored = stored_settings(path)
        if stored is not None:
            continued(stored, given, words, path)
    journal = FileJournal(path)
    try:
        if not len(journal):
            journal.append(Started(given), hold=False)
        else:
            journal.complete(continued(journal.settings, given, words, path))
        return journal
    except BaseException:
        journal.close()
        raise


def resume_study(store: Any, space: Any = None, **parts: Any) -> FileJournal:
    """The journal of the study that a file holds; parts that it can only describe are given."""
    path = as_store(store)
    if not path.exists():
        raise FileNotFoundError(f"there is no study {path}: make one with sf.Optimizer(space, store={str(path)!r})")
    stored = stored_settings(path)
    if stored is None:
        raise UnreadableFile(
            f"{path} holds no study yet: what made it was ended before the first event was written; begin with "
            f"sf.Optimizer(space, store={str(path)!r})"
        )
    given = {word: as_part(part, None, word, EXAMPLES[word]) for word, part in parts.items() if part is not None}
    words = [*given]
    if space is not None:
        given["space"] = Settings.of(space).space
        words.append("space")
    settings = continued(stored, replace(stored, **given), words, path)
    if isinstance(settings.space, AbsentSpace):
        log.warning("%s", settings.space.advice)
    if is_constrained(settings.space) and (advice := advice_about(settings.space)) is not None:
        log.warning("%s", advice)
    for word in EXAMPLES:
        part = getattr(settings, word)
        if isinstance(part, Opaque):
            log.warning("%s", unknown(word, part))
    journal = FileJournal(path)
    try:
        journal.complete(settings)
        return journal
    except BaseException:
        journal.close()
        raise


def unknown(word: str, part: Opaque) -> str:
    """What to do about a part that a file could only describe."""
    return (
        f"the {word} of this study is known by its description only: {part.text}; import the module that registers it, "
        f"or give it: sf.Optimizer.resume(path, {word}=…). Until then points can be told and not asked for"
    )


def is_begun(store: Any) -> bool:
    """Whether there is a study in the file."""
    path = as_store(store)
    return path.exists() and stored_settings(path) is not None


def as_store(store: Any) -> Path:
    """The path of a file, as the user gave it."""
    if isinstance(store, bytes) or not isinstance(store, str | os.PathLike) or not os.fspath(store):
        raise TypeError(f'store must be the path of a file, such as "run.db": got {store!r}')
    address = re.match(r"(\w{2,}):///?(.*)", str(os.fspath(store)))  # as Optuna has it, sqlite:///run.db
    if address:
        raise UnusableFile(f"store is the path of a file, and no address: got {store!r}; write {address[2]!r}")
    path = Path(os.path.expanduser(store))
    if _is_saved_result(path):
        raise UnusableFile(
            f"{path} is a saved result, to which nothing is added: sf.load({str(path)!r}) reads it; name another file "
            "for the study, such as 'run.db', and tell it what is known: optimizer.tell(trial.point, trial.value)"
        )
    if path.is_dir():
        raise UnusableFile(f"{path} is a folder: wanted the path of a file, such as {str(path / 'run.db')!r}")
    check_is_file(path)  # SQLite would write into a device for ever, and wait for a FIFO
    return path


def _is_saved_result(path: Path) -> bool:
    if not path.is_file() or is_database(path):  # nobody else may open one in use
        return False
    with path.open("rb") as file:
        return file.read(len(SAVED)) == SAVED
