"""A file written at once or not at all: what happens on the way, there is the old one or the new one.

And JSON as the files of a study have it: every number in it is finite.
"""

import errno
import json
import math
import os
import secrets
import stat
from pathlib import Path
from typing import Any, TypeAlias

from suffice.errors import UnusableFile

FilePath: TypeAlias = str | os.PathLike[str]


def as_path(path: FilePath) -> Path:
    """A path as the user gave it, the home directory in place of ~; ValueError if no file can have that name."""
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise ValueError(f"no file can be called {path!r}: leave out null characters and halves of surrogate pairs")
    return Path(os.path.expanduser(path))


def replace_file(path: FilePath, text: str) -> None:
    """Write a text file in UTF-8, in place of the one that is there; see `replace_bytes`."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: FilePath, data: bytes) -> None:
    """Write a file in place of the one that is there, of which the mode is kept.

    A link stays and leads to the new file. UnusableFile if the path is something else than a file, or a database:
    nothing else has any business in the place of a study.
    """
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file; that module imports this

    target = as_path(path).resolve()
    mode = _mode(target)
    if mode is not None and is_database(target):
        raise UnusableFile(f"{path} is a database, perhaps a study, and would be overwritten: name another file")
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "The folder of the file does not exist", str(target.parent))
    draft = target.with_name(f".suffice-{secrets.token_hex(8)}.tmp")  # short, however long the name of the file is
    try:
        made = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        with open(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(mode)  # the umask took something of it
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def check_is_file(path: FilePath) -> None:
    """UnusableFile if the path is something else than a file; it may be free."""
    _mode(Path(path))


def _mode(target: Path) -> int | None:
    """The permissions of the file, None if there is none yet."""
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        names = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
        kind = names.get(stat.S_IFMT(found), "a device")
        raise UnusableFile(f"{target} is {kind}: wanted a file, or a name that is free")
    return stat.S_IMODE(found)


def from_json(text: str) -> Any:
    """Read JSON whose numbers are all finite; ValueError for NaN, Infinity and 1e999, which JSON does not have."""
    return json.loads(text, parse_constant=_refused, parse_float=_finite)


def _refused(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number
