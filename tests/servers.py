"""A PostgreSQL server on loopback, for tests and benchmarks that need one: started, ended and restarted at will."""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psycopg

PORTS = 5  # a free port may be taken by another program before the server opens it: then try another one
# Below the ports that systems give to clients and to whoever asks for a free one. A port among those may be taken while
# the server restarts, even by a client that tries to reach it there.
RANGE = range(15000, 32000)
WAIT = 60.0  # seconds for the server to answer; it takes about one, on a machine that does nothing else


class PostgreSQL:
    """A server with an empty database, in a folder of its own: `with PostgreSQL(initdb, postgres) as server: …`.

    auth    "trust", or "scram-sha-256": then the owner's password is the one that is given
    """

    def __init__(self, initdb: str, postgres: str, auth: str = "trust", password: str = "secret"):
        self.postgres, self.auth, self.password = postgres, auth, password
        # Not pytest's folder, which is closed to the user that the server runs as.
        self.folder = Path(tempfile.mkdtemp(prefix="suffice-postgresql-"))
        self.user = _someone_else(self.folder)
        self.process, self.port = None, 0
        try:
            file = self.folder / "password"
            file.write_text(password)
            file.chmod(0o644)
            words = [f"--auth={auth}", f"--pwfile={file}", "--username=owner", "--encoding=UTF8", "--locale=C"]
            command = [initdb, f"--pgdata={self.folder}/data", "--no-sync", *words]
            subprocess.run(command, check=True, capture_output=True, cwd=self.folder, **self.user)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self) -> "PostgreSQL":
        for _ in range(PORTS):
            self.port = free_port(random.SystemRandom().sample(RANGE, 100))
            if self.start():
                return self
        log = (self.folder / "log").read_text(errors="replace")
        self.__exit__()
        raise RuntimeError(f"the PostgreSQL server does not start:\n{log}")

    def __exit__(self, *error: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def encrypt(self, openssl: str) -> str:
        """Take encrypted connections alone; the file of its certificate, which it signs itself. Before it starts."""
        certificate, key = f"{self.folder}/server.crt", f"{self.folder}/server.key"
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        names = ["-subj", "/CN=suffice", "-addext", "subjectAltName=IP:127.0.0.1"]
        command = [openssl, "req", "-x509", *kind, *names, "-keyout", key, "-out", certificate]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, **self.user)
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.write(f"ssl = on\nssl_cert_file = '{certificate}'\nssl_key_file = '{key}'\n")
        (self.folder / "data" / "pg_hba.conf").write_text(f"hostssl all all 127.0.0.1/32 {self.auth}\n")
        return certificate

    def address(self, user: str = "owner", database: str = "postgres") -> str:
        """For the library."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> bool:
        """Start it on its port; whether it answers."""
        # No socket file, nothing that survives a power cut, and no shared memory that a container may lack.
        settings = ["unix_socket_directories=", "fsync=off", "dynamic_shared_memory_type=mmap", "max_connections=100"]
        words = ["-D", f"{self.folder}/data", "-h", "127.0.0.1", "-p", str(self.port)]
        with (self.folder / "log").open("ab") as out:
            command = [self.postgres, *words, *(f"-c{setting}" for setting in settings)]
            self.process = subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder, **self.user)
        end = time.monotonic() + WAIT
        while self.process.poll() is None and time.monotonic() < end:
            try:
                with self.connect() as connection:
                    (found,) = connection.execute("SHOW data_directory").fetchone()
                if found == f"{self.folder}/data":
                    return True
            except psycopg.OperationalError:
                pass
            time.sleep(0.05)  # or another server answers at this port, which was faster: this one ends
        return False

    def stop(self, how: int = signal.SIGINT) -> None:
        """End it: SIGINT is a fast shutdown, SIGQUIT an immediate one, like a crash."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def crash(self) -> None:
        """What `pg_ctl restart -m immediate` does."""
        self.stop(signal.SIGQUIT)
        if not self.start():
            raise RuntimeError("the PostgreSQL server does not come back")

    def connect(self, **words) -> psycopg.Connection:
        """A connection of its owner."""
        known = {"host": "127.0.0.1", "port": self.port, "user": "owner", "dbname": "postgres", "connect_timeout": 5}
        return psycopg.connect(**{**known, "password": self.password, "autocommit": True, **words})

    def cut(self) -> None:
        """End every connection but this one."""
        with suppress(psycopg.OperationalError), self.connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )


def _someone_else(folder: Path) -> dict:
    """Words for subprocess: PostgreSQL refuses to run as root, so for root it is another user, who gets the folder."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def free_port(candidates: Iterable[int] = (0,)) -> int:
    """A port that nobody listens at: the first free one of these; 0: any."""
    for port in candidates:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise RuntimeError("no port is free")
