"""Rooms and functions stay small enough to be read, and files are named after what they hold."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "suffice"
FILES = sorted(SOURCE.rglob("*.py"))
MAX_FUNCTION_LINES, MAX_FILES = 60, 14  # a room with more files holds several ideas
NAMELESS = {"utils", "util", "misc", "helpers", "helper", "common"}
NAMED_BY_OTHERS = {SOURCE / "compat" / "skopt" / "utils.py"}  # where programs of scikit-optimize import from


def test_the_source_is_found():
    assert SOURCE / "types.py" in FILES


def functions(path):
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_functions_fit_on_a_page():
    lengths = {(path.stem, f.name): f.end_lineno - f.lineno + 1 for path in FILES for f in functions(path)}
    assert [name for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES] == []


def test_a_room_has_few_files():
    rooms = Counter(path.parent for path in FILES if path.name != "__init__.py")
    assert [room.name for room, files in rooms.items() if files > MAX_FILES] == []


def test_a_file_says_what_it_holds():
    for path in FILES:
        assert path.stem not in NAMELESS or path in NAMED_BY_OTHERS, path
        assert path.parent.name not in NAMELESS, path
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
