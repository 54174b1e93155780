"""Systems of the user's own: parts in files beside their adapter."""

import sys

import pytest

import suffice as sf
from research.compare.host import load
from research.compare.systems import own_system

ADAPTER = """
from part_of_mine import SOLVER
from research.compare.adapters.suffice import Peer as Suffice

class Peer(Suffice):
    def __init__(self, space, points, values, seed):
        super().__init__(space, points, values, seed, solver=SOLVER)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(ADAPTER)
    (tmp_path / "part_of_mine.py").write_text("import deeper_of_mine\nSOLVER = deeper_of_mine.SOLVER\n")
    (tmp_path / "deeper_of_mine.py").write_text(
        "import suffice as sf\nSOLVER = sf.solvers.Grid(size=sf.solvers.Fixed(9))\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("name", "again"), [("mine", True), ("part_of_mine", True), ("deeper_of_mine", True), ("stranger", False)]
)
def test_runs_are_made_again_when_a_file_changes_that_the_adapter_needs(folder, name, again):
    before = own_system("mine", folder / "mine.py")
    with (folder / f"{name}.py").open("a") as file:
        file.write("# changed\n")
    after = own_system("mine", folder / "mine.py")
    assert (before.parts != after.parts) == again
    assert after.native


def test_an_adapter_finds_its_part_beside_it(folder, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    space = [{"kind": "float", "low": 0.0, "high": 1.0, "log": False}]
    peer = load(str(folder / "mine.py")).Peer(space, [[0.2], [0.7]], [1.0, 2.0], 0)
    assert peer.optimizer.settings.solver == sf.solvers.Grid(size=sf.solvers.Fixed(9))
    assert 0 <= peer.ask()[0] <= 1


def test_the_adapters_of_the_library_do_not_find_each_other(monkeypatch):
    from research.compare.systems import ADAPTERS

    monkeypatch.setattr(sys, "path", [*sys.path])
    load(str(ADAPTERS / "random.py"))
    assert str(ADAPTERS) not in sys.path
