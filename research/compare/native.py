"""A problem's own space, in numbers and words that any interpreter understands.

u  (n, d)  points of the unit cube, a column for each parameter        rows  (n, d)  points as they are told to a peer

A parameter is {"kind": "float" or "int", "low", "high", "log"} or {"kind": "choice", "options": [a word for each]}.
A point is a number for each parameter: of an option its place, from 0. That is also the problem's box, whose function
takes it as it is. Options are words, as Python writes them, because some systems take numbers for quantities.
"""

import ast
from pathlib import Path
from typing import Any

import numpy as np

from research.problems import Problem
from suffice.lab.results import initial_design, unit_design
from suffice.space import Float, Listed, Parameter, as_space
from suffice.types import Array


def described(problem: Problem) -> list[dict[str, Any]]:
    """The parameters of its own space, or of its box, which is one of floats."""
    space = problem.native.space if problem.native else as_space(problem.bounds)
    return [_described(parameter) for parameter in space.params.values()]


def design(problem: Problem, n: int, seed: int) -> Array:
    """The n scrambled Sobol points of run number `seed`, (n, d): of its own space if it has one, else of its box."""
    if problem.native is None:
        return initial_design(problem, n, seed)
    parameters = problem.native.space.parameters
    return np.column_stack(list(map(_numbers, parameters, unit_design(problem.dim, n, seed).T)))


def takes_spaces(adapter: Path) -> bool:
    """Whether the peer of a file is made with `space`, in place of `bounds`; nothing is imported."""
    tree = ast.parse(adapter.read_text(encoding="utf-8"))
    peers = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Peer"]
    return any(isinstance(node, ast.arg) and node.arg == "space" for peer in peers for node in ast.walk(peer))


def _described(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Listed):
        return {"kind": "choice", "options": [repr(option) for option in parameter.options]}
    kind = "float" if isinstance(parameter, Float) else "int"
    return {"kind": kind, "low": parameter.low, "high": parameter.high, "log": parameter.log}


def _numbers(parameter: Parameter, u: Array) -> Array:
    """The values at u, (n,), as numbers, (n,)."""
    if isinstance(parameter, Listed):
        places: Array = np.floor(u * len(parameter.options))  # u < 1
        return places
    return np.array([parameter.from_unit(row) for row in parameter.place(u)], dtype=np.float64)
