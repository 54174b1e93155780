"""Files and functions stay small enough to be read, and are named after what they hold."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "suffice"
FILES = sorted(SOURCE.rglob("*.py"))
MAX_FILE_LINES, MAX_FUNCTION_LINES = 350, 60
NAMELESS = {"utils", "util", "misc", "helpers", "helper", "common"}
NAMED_BY_OTHERS = {SOURCE / "compat" / "skopt" / "utils.py"}  # where programs of scikit-optimize import from

each = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))


def test_the_source_is_found():
    assert SOURCE / "types.py" in FILES


@each
def test_a_file_fits_the_budget(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES


@each
def test_a_function_fits_the_budget(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.name, node.end_lineno - node.lineno + 1) for node in functions]
    assert [(name, lines) for name, lines in lengths if lines > MAX_FUNCTION_LINES] == []


@each
def test_a_file_says_what_it_holds(path):
    assert path.stem not in NAMELESS or path in NAMED_BY_OTHERS
    assert path.parent.name not in NAMELESS
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
