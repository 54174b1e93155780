"""A PostgreSQL server that is there while the tests of this folder run, and studies in it."""

from collections.abc import Iterator

import optuna
import pytest
from sqlalchemy.pool import NullPool

from tests.servers import PostgreSQL


@pytest.fixture(scope="session")
def server(need) -> Iterator[str]:
    """The address of an empty database of a new server."""
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql")) as server:
        yield server.address().replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture(scope="session")
def create(server):
    """`create(name)` is a new study on the server, whose connections are closed after use."""

    def created(name: str) -> optuna.Study:
        storage = optuna.storages.RDBStorage(server, engine_kwargs={"poolclass": NullPool})
        return optuna.create_study(storage=storage, study_name=name)

    return created
