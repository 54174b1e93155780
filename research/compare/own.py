"""A system of the user's own: a file with a `Peer`, and the files beside it that it imports."""

import ast
import hashlib
from pathlib import Path

from research.compare.systems import SYSTEMS, System
from suffice.errors import SufficeError


def own_system(name: str, file: Path) -> System:
    """The system of an adapter: its runs are made again when it, or a file beside it that it imports, changes."""
    if name in SYSTEMS:
        raise SufficeError(f"--adapter {name}={file}: there is a system of that name already, choose another one")
    content = hashlib.sha256(b"".join(path.read_bytes() for path in _needed(file))).hexdigest()[:16]
    return System(name, name, f"Your own, {file.name}.", file.absolute(), (), parts={"content": content})


def _needed(file: Path) -> list[Path]:
    """The file and, sorted by name, what lies beside it and is imported by it or by another of them."""
    found, open_ = {file}, [file]
    while open_:
        for module in _imported(open_.pop()):
            beside = file.parent / f"{module}.py"
            if beside not in found and beside.is_file():
                found.add(beside)
                open_.append(beside)
    return [file, *sorted(found - {file})]


def _imported(file: Path) -> set[str]:
    """The first words of the modules that a file imports; nothing is run."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}}
