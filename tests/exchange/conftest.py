"""A small study with every kind of parameter, and its file."""

import pytest

import suffice as sf

MIXED = sf.Space(
    {
        "rate": sf.Float(1e-5, 1, log=True),
        "depth": sf.Int(1, 10),
        "kind": sf.Choice("1", 1, True, None, (1, 2), "=x", ""),
        "value": sf.Float(-1, 1),
        "T °C": sf.Float(-5, 40),
    }
)


@pytest.fixture
def opt():
    """Five points in the lab, none of them measured."""
    optimizer = sf.Optimizer(MIXED, seed=0)
    optimizer.ask(5)
    return optimizer


@pytest.fixture
def table(tmp_path):
    """A function that writes lines into a file and names it."""

    def write(*lines, name="results.csv", encoding="utf-8", end="\n"):
        path = tmp_path / name
        path.write_bytes("".join(line + end for line in lines).encode(encoding))
        return path

    return write
