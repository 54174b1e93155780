"""The paper's parts can be stored like the library's own, once the room is imported."""

import json
import subprocess
import sys

import pytest

from suffice.paper.solvers import Degraded, Restarts, SciPyLBFGSB, surrogate
from suffice.problems import find
from suffice.record.encoding import from_spec, to_spec
from suffice.solvers import Exhaustive

PARTS = {
    "surrogate": surrogate(find("levy5")),
    "restarts": Restarts("CG", ((-5.0, 10.0), (0.0, 15.0))),
    "scipy": SciPyLBFGSB(starts=3),
    "degraded": Degraded(0.25, q=1.0, inner=Exhaustive()),
}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_survives_the_round_trip(name):
    back = from_spec(json.loads(json.dumps(to_spec(PARTS[name]), allow_nan=False)))
    assert back == PARTS[name]
    assert type(back) is type(PARTS[name])


def test_a_part_is_known_from_the_import_of_its_room_on_and_no_sooner():
    code = """
import suffice
from suffice.record.encoding import UnknownPart, from_spec
try:
    from_spec({"is": "Restarts"})
except UnknownPart:
    import suffice.paper.published
    print(from_spec({"is": "Restarts"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{Restarts()}\n"
