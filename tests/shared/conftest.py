"""A PostgreSQL server that is there while the tests of this folder run."""

import pytest

from suffice import GP
from suffice.solvers import Fixed, Grid
from tests.servers import PostgreSQL


@pytest.fixture(scope="session")
def server(need):
    """A server with an empty database."""
    pytest.importorskip("psycopg")
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql")) as server:
        yield server


@pytest.fixture
def place(server, request):
    """The address of a study that does not exist yet."""
    return f"{server.address()}?study={request.node.name.partition('[')[0]}-{id(request)}"


@pytest.fixture
def brief(place):
    """The same; claims last for a second, so that the dead are missed soon."""
    return f"{place}&lease=1"


@pytest.fixture
def quick():
    """A cheap model and solver, seed 0."""
    return {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}
