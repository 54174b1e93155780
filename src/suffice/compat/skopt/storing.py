"""dump and load: a result in a file, by pickle, compressed by the ending of its name.

A pickle can do anything when it is loaded: load only files that you trust. `result.suffice.save("run.json")` writes a
file from which nothing is run.
"""

import bz2
import copy
import gzip
import lzma
import os
import pickle
import zlib
from collections.abc import Callable
from typing import IO, Any, TypeAlias

from suffice.compat.skopt.result import OptimizeResult
from suffice.store.files import FilePath, replace_bytes

Codec: TypeAlias = tuple[Callable[[bytes, int], bytes], Callable[[bytes], bytes], bytes]

LEVEL = 3  # of compression where none is said: joblib's
# How to compress, how to undo it, and how such a file begins.
CODECS: dict[str, Codec] = {
    "zlib": (lambda data, level: zlib.compress(data, level), zlib.decompress, b"\x78"),
    "gzip": (lambda data, level: gzip.compress(data, level, mtime=0), gzip.decompress, b"\x1f\x8b"),
    "bz2": (lambda data, level: bz2.compress(data, max(level, 1)), bz2.decompress, b"BZh"),
    "xz": (lambda data, level: lzma.compress(data, preset=level), lzma.decompress, b"\xfd7zXZ"),
    "lzma": (
        lambda data, level: lzma.compress(data, lzma.FORMAT_ALONE, preset=level),
        lzma.decompress,
        b"\x5d\x00",
    ),
}
ENDINGS = {".z": "zlib", ".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".lzma": "lzma"}


def dump(
    res: OptimizeResult,
    filename: FilePath | IO[bytes],
    store_objective: bool = True,
    *,
    compress: Any = 0,
    protocol: int | None = None,
    **others: Any,
) -> None:
    """Write a result into a file, which `load` reads; an older file is replaced at once.

    Parameters
    ----------
    res : OptimizeResult
        What to write.
    filename : path or file
        A path, whose ending .z, .gz, .bz2, .xz or .lzma says how to compress; or a file opened to write.
    store_objective : bool, default: True
        False leaves the objective out, which then need not be picklable.
    compress : int, str or tuple, default: 0
        A level from 0 to 9, or a method, or both, as joblib has it: 9, "gzip", ("bz2", 9).
    protocol : int or None, default: None
        Of pickle; None: Python's default.
    **others : object
        Only cache_size, which has no effect; any other is refused.
    """
    others.pop("cache_size", None)  # of joblib: it has had no effect there for long
    if others:
        raise TypeError(f"dump has no keyword argument {next(iter(others))!r}: it takes compress and protocol")
    if not store_objective and "func" in _arguments(res):
        res = _without_objective(res)
    data = pickle.dumps(res, protocol)
    if isinstance(filename, str | os.PathLike):
        method, level = _method(os.fspath(filename), compress)
        replace_bytes(filename, data if method is None else CODECS[method][0](data, level))
    else:
        filename.write(data)


def load(filename: FilePath | IO[bytes], **others: Any) -> Any:
    """Read the result in a file that `dump` wrote. Load only what you trust: a pickle can do anything.

    Parameters
    ----------
    filename : path or file
        A path, or a file opened to read.
    **others : object
        Only mmap_mode, which has no effect; any other is refused.

    Returns
    -------
    OptimizeResult
        The result.
    """
    others.pop("mmap_mode", None)  # of joblib, for arrays that are larger than those of a result
    if others:
        raise TypeError(f"load has no keyword argument {next(iter(others))!r}")
    if isinstance(filename, str | os.PathLike):
        with open(filename, "rb") as file:
            data = file.read()
    else:
        data = filename.read()
    for _, decompress, beginning in CODECS.values():
        if data.startswith(beginning):
            data = decompress(data)
            break
    if b"skopt.space" in data and b"suffice.compat" not in data:
        raise ValueError(
            f"{filename} was written by scikit-optimize, whose objects it holds: load it with scikit-optimize once, "
            "and go on with its points and values, gp_minimize(..., x0=result.x_iters, y0=result.func_vals)"
        )
    return pickle.loads(data)


def _arguments(res: Any) -> dict[str, Any]:
    specs = res.get("specs") or {}
    found: dict[str, Any] = specs.get("args", {})
    return found


def _without_objective(res: OptimizeResult) -> OptimizeResult:
    """A copy, as far as it has to be one, whose arguments lack the objective."""
    other = copy.copy(res)
    arguments = {name: value for name, value in _arguments(res).items() if name != "func"}
    other["specs"] = {**res["specs"], "args": arguments}
    return other


def _method(path: str, compress: Any) -> tuple[str | None, int]:
    """How to compress, and how much: the ending of the name decides, unless a method is said."""
    by_name = ENDINGS.get(os.path.splitext(path)[1])
    method, level = compress if isinstance(compress, tuple) else (None, compress)
    if isinstance(level, str):
        method, level = level, LEVEL
    if level is True:
        level = LEVEL
    if not (isinstance(level, int) and 0 <= level <= 9):
        raise ValueError(f"compress must be a level from 0 to 9, a method, or a pair of both: got {compress!r}")
    if method is not None and method not in CODECS:
        raise ValueError(f"compress knows the methods {', '.join(CODECS)}: got {method!r}")
    if method is None and by_name is None and not level:
        return None, 0
    return method or by_name or "zlib", level or LEVEL
