"""Files: written at once or not at all, JSON whose numbers are finite, and the right of one process to write one.

Whatever happens while a file is replaced, there is the old one or the new one.

The right to write (`Claim`) dies with the process: a lock of the operating system on a file beside the one that is
meant. A lock on the file itself would not do: SQLite has its own there, and closing a second descriptor would drop
them. POSIX locks are not inherited by a fork, so a worker that outlives its killed parent holds none.

In one process a later claim takes over from an earlier one, which is told: a cell of a notebook is run twice.
"""

import errno
import json
import math
import os
import secrets
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

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


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# ---------------------------------------------------------------------- the right to write

SUFFIX = "-lock"  # beside SQLite's own -wal and -shm
BEYOND = 1 << 30  # the byte that Windows locks: the others can be read meanwhile, to say who it is


class Claim:
    """The right to write the file at a path, from the making of this object to its `release`.

    on_loss    called when another claim in this process takes over; if it raises, nothing was taken
    """

    _registry: ClassVar = threading.RLock()  # its holder may take the lock of one who claims, never the other way round
    _claims: ClassVar[dict[str, "Claim"]] = {}  # of this process, by the path of their file

    def __init__(self, path: FilePath, on_loss: Callable[[], None]) -> None:
        self.path = Path(path)
        self._key = os.path.realpath(path)
        self._on_loss = on_loss
        self._pid = os.getpid()
        self._descriptor: int
        with Claim._registry:
            earlier = Claim._claims.get(self._key)
            if earlier is not None and earlier._pid == self._pid:
                earlier._on_loss()
                self._descriptor = earlier._descriptor
            else:
                self._descriptor = _locked(self.path, self._key + SUFFIX)
            Claim._claims[self._key] = self

    @property
    def held(self) -> bool:
        """Whether it is this claim, in this process, that may write."""
        return Claim._claims.get(self._key) is self and self._pid == os.getpid()

    def closing(self, close: Callable[[], None]) -> None:
        """Call something that will `release`, in the order of locks that a taking over has, too."""
        with Claim._registry:
            close()

    def release(self) -> None:
        """Give it up; the file that was locked goes away."""
        with Claim._registry:
            if self.held:
                del Claim._claims[self._key]
                with suppress(OSError):
                    os.unlink(self._key + SUFFIX)
                os.close(self._descriptor)


def is_claimed(path: FilePath) -> bool:
    """Whether this process may write the file now."""
    with Claim._registry:
        claim = Claim._claims.get(os.path.realpath(path))
        return claim is not None and claim.held


def has_writer(path: FilePath) -> bool:
    """Whether a living process of this machine has claimed the file, as far as the lock beside it says who.

    Nothing is locked to find out, so that nobody who wants to write is refused meanwhile. A number that another process
    has got since would be taken for the writer's. On Windows it is not looked for.
    """
    try:
        beside = Path(os.path.realpath(path) + SUFFIX)
        words = beside.read_text(errors="replace").split() if beside.is_file() else []
        if sys.platform == "win32" or words[:1] != ["process"] or words[2:] != ["on", socket.gethostname()]:
            return False
        os.kill(int(words[1]), 0)
    except PermissionError:
        return True  # of another user
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _locked(path: Path, beside: str) -> int:
    """The descriptor of the locked file beside; UnusableFile if another process has the lock."""
    while True:
        try:
            Path(beside).parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise UnusableFile(
                f"{path} cannot be written: {error.strerror} ({beside}); "
                "to read it, sf.load(path); to continue, copy it to a folder where files can be written"
            ) from error
        try:
            _lock(descriptor)
        except OSError as error:
            owner = os.read(descriptor, 200).decode(errors="replace").strip()
            os.close(descriptor)
            raise UnusableFile(
                f"{path} is being written by another process ({owner or 'unknown'}): end that one first, or name "
                "another file; sf.load(path) reads it meanwhile"
            ) from error
        if _still_there(descriptor, beside):
            with suppress(OSError):  # a name in the message of others, no more
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
            return descriptor
        os.close(descriptor)


def _still_there(descriptor: int, path: str) -> bool:
    """Whether the file that was locked is the one at the path: who had the lock may just have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, BEYOND, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
