"""A PostgreSQL server on loopback that is there while the tests of this folder run, and studies in it."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
import psycopg
import pytest
from sqlalchemy.pool import NullPool

PORTS = 5  # a free port may be taken by another program before the server opens it: then try another one
WAIT = 60.0  # seconds for the server to answer; it takes about one, on a machine that does nothing else


@pytest.fixture(scope="session")
def server(need) -> Iterator[str]:
    """The address of an empty database of a new server."""
    initdb, postgres = need("initdb", "postgresql"), need("postgres", "postgresql")
    # Not pytest's folder, which is closed to the user that the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="suffice-postgresql-"))
    try:
        user = someone_else(folder)
        words = ["--auth=trust", "--username=suffice", "--encoding=UTF8", "--locale=C", "--no-sync"]
        subprocess.run([initdb, f"--pgdata={folder}/data", *words], check=True, capture_output=True, cwd=folder, **user)
        with running(postgres, folder, user) as port:
            yield f"postgresql+psycopg://suffice@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def create(server):
    """`create(name)` is a new study on the server, whose connections are closed after use."""

    def created(name: str) -> optuna.Study:
        storage = optuna.storages.RDBStorage(server, engine_kwargs={"poolclass": NullPool})
        return optuna.create_study(storage=storage, study_name=name)

    return created


def someone_else(folder: Path) -> dict:
    """Words for subprocess: PostgreSQL refuses to run as root, so for root it is another user, who gets the folder."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def running(postgres: str, folder: Path, user: dict) -> Iterator[int]:
    """The server's port, while it runs: a fast shutdown in the end, whatever happened."""
    log = folder / "log"
    for _ in range(PORTS):
        port = free_port()
        # No socket file, nothing that survives a power cut, and no shared memory that a container may lack.
        settings = ["unix_socket_directories=", "fsync=off", "dynamic_shared_memory_type=mmap", "max_connections=40"]
        words = ["-D", f"{folder}/data", "-h", "127.0.0.1", "-p", str(port), *(f"-c{setting}" for setting in settings)]
        with log.open("ab") as out:
            process = subprocess.Popen([postgres, *words], stdout=out, stderr=out, cwd=folder, **user)
        try:
            if answers(process, port):
                yield port
                return
        finally:
            stop(process)
    pytest.fail(f"the PostgreSQL server does not start:\n{log.read_text(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(process: subprocess.Popen, port: int) -> bool:
    end = time.monotonic() + WAIT
    while process.poll() is None and time.monotonic() < end:
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="suffice", dbname="postgres", connect_timeout=5).close()
            return True
        except psycopg.OperationalError:
            time.sleep(0.05)
    return False


def stop(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
