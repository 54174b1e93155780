"""The size of the library: python -m research.house [--walk]

Counts what is in the wheel: files and lines by room, small files, modules with a single importer, constants, look-ups
of attributes by name, public names. `--walk` lists the files that one model-based ask runs through: the fifteenth
trial in a space of a choice, a real number and an integer.
"""

import argparse
import ast
import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import suffice as sf

ROOT = Path(__file__).resolve().parents[1] / "src" / "suffice"
LEAVES = ("cli", "compat", "dashboard", "integrations", "lab", "paper", "plot", "report", "testing", "tune", "exchange")


def modules() -> dict[str, Path]:
    """Every Python file of the wheel by the name of its module."""
    return {_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def importers(files: dict[str, Path]) -> dict[str, set[str]]:
    """The modules that import each module, by its name."""
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for target in _imported(node):
                if target in found and target != name:
                    found[target].add(name)
    return found


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def constants(path: Path) -> list[str]:
    """The upper-case names that a module assigns at its top level; type variables and `__all__` are not among them."""
    names: list[str] = []
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else ()
        )
        names += [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return [name for name in names if name.strip("_").isupper() and len(name.strip("_")) > 1]


def lookups(path: Path) -> int:
    """How often a module looks up an attribute by a literal name."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def lines(path: Path) -> int:
    return path.read_text("utf-8").count("\n")


def report() -> None:
    """Print the counts."""
    files = modules()
    size = {name: lines(path) for name, path in files.items()}
    rooms = defaultdict[str, list[str]](list)
    for name, path in files.items():
        rooms[str(path.parent.relative_to(ROOT.parent))].append(name)
    static = [path for path in ROOT.rglob("*") if path.suffix in (".js", ".css", ".html")]
    print(f"{'room':<36}{'files':>6}{'lines':>8}")
    for room, names in sorted(rooms.items()):
        print(f"{room:<36}{len(names):>6}{sum(size[name] for name in names):>8}")
    print(f"{'pages and scripts':<36}{len(static):>6}{sum(map(lines, static)):>8}")
    print(f"{'the wheel':<36}{len(files) + len(static):>6}{sum(size.values()) + sum(map(lines, static)):>8}")
    plain = {name for name, path in files.items() if path.name not in ("__init__.py", "__main__.py")}
    users = importers(files)
    single = [name for name in plain if size[name] < 100 and len(users[name]) == 1]
    small = [name for name in plain if size[name] < 50]
    large = [name for name in plain if size[name] > 600]
    core = [path for path in files.values() if path.relative_to(ROOT).parts[0] not in LEAVES]
    words = [word for path in files.values() for word in constants(path)]
    print(f"files under 50 lines: {len(small)}; over 600: {len(large)} {large}")
    print(f"modules under 100 lines with one importer: {len(single)}")
    print(f"rooms with more than 14 files: {[room for room, names in rooms.items() if len(names) > 15]}")
    several = [word for word, n in Counter(words).most_common(12) if n > 1]
    print(f"constants: {len(words)}, names of several: {several}")
    print(f"getattr and hasattr with a literal name in the core: {sum(map(lookups, core))}")
    print(f"object.__setattr__: {sum(path.read_text('utf-8').count('object.__setattr__') for path in files.values())}")
    arguments = inspect.signature(sf.minimize).parameters
    print(f"names at the top: {len(sf.__all__)}, arguments of minimize: {len(arguments)}")


def cost(p: dict[str, Any]) -> float:
    """A bracket: its weight and its friction."""
    friction = {"steel": 0.4, "brass": 0.25, "nylon": 0.3}[p["material"]]
    return float(p["angle"] - 32) ** 2 / 100 + friction * p["layers"] + 8 / p["layers"]


def walk() -> None:
    """Print the files that the fifteenth trial runs through, in the order of their first call."""
    space = {"material": sf.Choice("steel", "brass", "nylon"), "angle": (0.0, 90.0), "layers": (1, 12)}
    optimizer = sf.Optimizer(space, seed=0)
    for _ in range(14):
        trial = optimizer.ask()
        optimizer.tell(trial, cost(trial.point))
    calls: Counter[CodeType] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)) and not code.co_name.startswith("<"):
            calls[code] += 1

    sys.setprofile(trace)
    try:
        optimizer.ask()
    finally:
        sys.setprofile(None)
    files: Counter[str] = Counter()
    for code, n in calls.items():
        files[code.co_filename] += n
    for path, n in files.items():
        print(f"{n:>6}  {Path(path).relative_to(ROOT)}")
    print(f"{len(files)} files, {len(calls)} functions, {calls.total()} calls")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--walk", action="store_true", help="list the files of one ask")
    (walk if parser.parse_args().walk else report)()


if __name__ == "__main__":
    main()
