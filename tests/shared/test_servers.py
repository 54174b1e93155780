"""A server that is away, crashes, refuses or is too new, and what is said then; rights, and passwords unseen."""

import logging
import os
import signal
import threading
import time
from collections import Counter
from multiprocessing import get_context

import pytest

import suffice as sf
from suffice.errors import DifferentStudy, UnreadableFile, UnusableFile
from suffice.record.trial import Told
from suffice.store import postgres
from suffice.store.postgres import Address, is_address
from tests.servers import PostgreSQL, free_port

BOX = {"x": (0.0, 1.0)}


def f(point):
    time.sleep(0.02)
    return (point["x"] - 0.3) ** 2


def test_addresses_are_told_from_paths():
    assert all(map(is_address, ("postgresql://h/d", "postgres://u@h:1/d?study=a", "postgresql+psycopg://h/d")))
    assert not any(map(is_address, ("run.db", "sqlite:///run.db", "postgresql", None, 3)))


def test_an_address_is_shown_without_user_and_password():
    address = Address.of("postgresql://me:s%40fe@db.org:5433/lab?study=a%20b&lease=7&sslmode=require")
    assert address.shown == "postgresql://db.org:5433/lab?study=a%20b"
    assert address.server == "postgresql://me:s%40fe@db.org:5433/lab?sslmode=require"
    assert (address.study, address.lease) == ("a b", 7.0)
    assert "s%40fe" not in repr(address)
    assert Address.of("postgresql:///lab?study=a").server == "postgresql:///lab"  # the host is that of PGHOST


@pytest.mark.parametrize("words", ["lease=0", "lease=nan", "lease=soon"])
def test_a_wrong_lease_is_refused(words):
    with pytest.raises(UnusableFile, match=r"lease of a claim|wrong number"):
        Address.of(f"postgresql://h/d?{words}")


def test_a_wrong_word_of_an_address_is_refused(server):
    with pytest.raises(UnusableFile, match=r"is not a valid address: .*colour"):
        sf.minimize(f, BOX, 3, storage=f"{server.address()}?colour=red", seed=0)


def test_a_server_that_is_away_is_an_error_at_once():
    with pytest.raises(UnusableFile, match=r"postgresql://127.0.0.1:\d+/lab\?study=study cannot be reached"):
        sf.minimize(f, BOX, 3, storage=f"postgresql://me:hidden@127.0.0.1:{free_port()}/lab", seed=0)


def test_a_server_of_these_tests_is_no_other_one_that_answers_at_its_port(server, need):
    other = PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql"))
    other.port = server.port
    try:
        assert not other.start()
    finally:
        other.__exit__()


def test_a_study_that_is_not_there_is_named_and_nothing_is_made(server):
    with pytest.raises(FileNotFoundError, match=r"there is no study .*study=nowhere"):
        sf.load(f"{server.address()}?study=nowhere")
    with pytest.raises(FileNotFoundError, match="there is no study"):
        sf.Optimizer.resume(f"{server.address()}?study=nowhere")


def test_a_study_of_another_space_is_refused_with_a_difference(place, quick):
    sf.minimize(f, BOX, 4, storage=place, **quick)
    with pytest.raises(DifferentStudy, match=r"space, x: .*1\.0.* -> .*2\.0") as caught:
        sf.minimize(f, {"x": (0.0, 2.0)}, 8, storage=place, **quick)
    assert "study=" in str(caught.value)
    assert sf.load(place).nfev == 4


@pytest.mark.parametrize("version", [0, 99])
def test_tables_of_another_version_are_refused(place, server, quick, version):
    sf.minimize(f, BOX, 4, storage=place, **quick)
    with server.connect() as connection:
        connection.execute("UPDATE suffice.version SET version = %s", [version])
        try:
            with pytest.raises(UnreadableFile, match=f"have version {version}, and this suffice uses version 1"):
                sf.minimize(f, BOX, 8, storage=place, **quick)
        finally:
            connection.execute("UPDATE suffice.version SET version = 1")
    assert sf.load(place).nfev == 4


def test_tables_that_others_have_changed_are_refused(server, quick):
    with server.connect() as connection:
        connection.execute("CREATE DATABASE changed")
    place = server.address(database="changed")
    sf.minimize(f, BOX, 4, storage=place, **quick)
    with server.connect(dbname="changed") as connection:
        connection.execute("ALTER TABLE suffice.trials RENAME COLUMN until TO deadline")
        with pytest.raises(UnreadableFile, match=r'changed\?study=study: column "until" .*not as suffice made them'):
            sf.minimize(f, BOX, 8, storage=place, **quick)
        connection.execute("ALTER TABLE suffice.trials RENAME COLUMN deadline TO until")
        connection.execute("DROP TABLE suffice.version")
        with pytest.raises(UnreadableFile, match="already exists"):
            sf.minimize(f, BOX, 8, storage=place, **quick)


def test_a_clock_that_is_wrong_by_an_hour_changes_nothing(place, quick, monkeypatch):
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600)
    assert sf.minimize(f, BOX, 6, storage=place, **quick).nfev == 6
    with postgres_of(place).connect() as connection:
        (ahead,) = connection.execute("SELECT max(at) > now() + interval '1 minute' FROM suffice.events").fetchone()
    assert not ahead


def postgres_of(place):
    """A way to the server that a test has."""

    class Way:
        def connect(self):
            import psycopg

            return psycopg.connect(Address.of(place).server)

    return Way()


# ---------------------------------------------------------------------- crashes


def worker(place, trials, words):
    logging.getLogger("suffice").setLevel(logging.ERROR)
    sf.minimize(f, BOX, trials, storage=place, **words)


def test_kills_a_crash_of_the_server_and_cut_connections_lose_nothing(need, quick):
    """The short form of research/benchmarks/shared_kills.py."""
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql")) as server:
        place = f"{server.address()}?study=crash&lease=1"
        context = get_context("fork")
        workers = [context.Process(target=worker, args=(place, 60, quick)) for _ in range(4)]
        for one in workers:
            one.start()

        def values():
            with server.connect() as connection:
                there = connection.execute("SELECT to_regclass('suffice.trials') IS NOT NULL").fetchone()[0]
                count = "SELECT count(*) FROM suffice.trials WHERE state = 'done'"
                return connection.execute(count).fetchone()[0] if there else 0

        def until(count):
            end = time.monotonic() + 600
            while values() < count and time.monotonic() < end:
                time.sleep(0.02)

        until(10)
        os.kill(workers[0].pid, signal.SIGKILL)
        until(20)
        server.crash()
        until(30)
        server.cut()
        until(40)
        os.kill(workers[1].pid, signal.SIGKILL)
        for one in workers:
            one.join(600)
        assert [one.exitcode for one in workers] == [-9, -9, 0, 0]
        result = sf.load(place)
    told = Counter(event.number for event in result.history.events if isinstance(event, Told))
    assert told == dict.fromkeys(range(60), 1)
    assert len({trial.point["x"] for trial in result.trials}) == 60


def test_a_server_that_does_not_come_back_ends_the_run_with_the_result(need, quick, monkeypatch):
    monkeypatch.setattr(postgres, "PATIENCE", 1.0)
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql")) as server:
        place = f"{server.address()}?study=away&lease=2"  # the trial of who could not leave is free again then

        def stops(point):
            if len(calls) == 5:
                server.stop()
            calls.append(point)
            return f(point)

        calls = []
        with pytest.raises(UnusableFile, match=r"cannot be reached: .*what was recorded before is safe") as caught:
            sf.minimize(stops, BOX, 20, storage=place, **quick)
        assert caught.value.result.nfev == 5
        assert server.start()
        assert sf.load(place).nfev == 5
        assert sf.minimize(f, BOX, 8, storage=place, **quick).nfev == 8


# ---------------------------------------------------------------------- rights and passwords

# As docs/howto/shared.md has it.
RIGHTS = """
CREATE ROLE worker LOGIN PASSWORD 'w0rk';
GRANT USAGE ON SCHEMA suffice TO worker;
GRANT SELECT ON ALL TABLES IN SCHEMA suffice TO worker;
GRANT INSERT ON suffice.studies, suffice.events, suffice.trials, suffice.workers TO worker;
GRANT UPDATE ON suffice.studies, suffice.trials, suffice.workers TO worker;
GRANT DELETE ON suffice.workers TO worker;
CREATE ROLE reader LOGIN PASSWORD 'r3ad';
GRANT USAGE ON SCHEMA suffice TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA suffice TO reader;
CREATE ROLE stranger LOGIN PASSWORD 'str4nge';
"""


@pytest.fixture(scope="module")
def guarded(need):
    """A server that wants passwords, with roles that may do as little as they need."""
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql"), auth="scram-sha-256") as server:
        owner = server.address().replace("owner@", f"owner:{server.password}@")
        sf.Optimizer(BOX, storage=f"{owner}?study=first", seed=0).close()
        with server.connect() as connection:
            connection.execute(RIGHTS)
        yield server


def test_a_worker_needs_no_more_rights_than_the_page_says(guarded, quick, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "w0rk")
    assert sf.minimize(f, BOX, 8, storage=f"{guarded.address('worker')}?study=rights", **quick).nfev == 8
    with guarded.connect() as connection:
        for word in ("DELETE", "UPDATE", "TRUNCATE"):
            (may,) = connection.execute(f"SELECT has_table_privilege('worker', 'suffice.events', '{word}')").fetchone()
            assert not may
    monkeypatch.setenv("PGPASSWORD", "r3ad")
    assert sf.load(f"{guarded.address('reader')}?study=rights").nfev == 8
    with pytest.raises(UnusableFile, match=r"permission denied for .*; see docs/howto/shared.md"):
        sf.minimize(f, BOX, 12, storage=f"{guarded.address('reader')}?study=rights", **quick)
    monkeypatch.setenv("PGPASSWORD", "str4nge")
    with pytest.raises(UnusableFile, match="permission denied for schema suffice"):
        sf.load(f"{guarded.address('stranger')}?study=rights")


def test_a_wrong_password_is_an_error_that_does_not_show_it(guarded, quick, caplog):
    place = guarded.address("worker").replace("worker@", "worker:wr0ng@")
    with caplog.at_level(logging.DEBUG), pytest.raises(UnusableFile, match="password authentication failed") as caught:
        sf.minimize(f, BOX, 4, storage=place, **quick)
    chain = caught.value
    while chain is not None:
        assert "wr0ng" not in str(chain)
        chain = chain.__cause__
    assert "wr0ng" not in caplog.text


def test_a_password_is_in_no_log_no_record_and_no_report(guarded, quick, caplog, tmp_path):
    place = guarded.address("worker").replace("worker@", "worker:w0rk@") + "?study=silent"
    with caplog.at_level(logging.DEBUG):
        result = sf.minimize(f, BOX, 6, storage=place, **quick)
        guarded.cut()
        sf.load(place).save(tmp_path / "run.json")
        with sf.Optimizer.resume(place) as optimizer:
            guarded.cut()
            optimizer.ask()
            shown = repr(optimizer) + str(optimizer.storage) + repr(optimizer.settings)
    kept = caplog.text + (tmp_path / "run.json").read_text() + repr(result) + str(result) + shown
    with guarded.connect() as connection:
        kept += str(connection.execute("SELECT data, worker FROM suffice.events").fetchall())
        kept += str(connection.execute("SELECT query FROM pg_stat_activity").fetchall())
    assert "w0rk" not in kept
    assert "cannot be reached; retrying" in caplog.text


def test_encrypted_connections_by_the_usual_variables(need, quick, monkeypatch):
    with PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql"), "scram-sha-256") as other:
        wrong = other.encrypt(need("openssl", "openssl"))  # of no server that runs
        server = PostgreSQL(need("initdb", "postgresql"), need("postgres", "postgresql"), "scram-sha-256")
        certificate = server.encrypt(need("openssl", "openssl"))
        with server:
            place = f"{server.address()}?study=encrypted"
            monkeypatch.setenv("PGPASSWORD", server.password)
            monkeypatch.setenv("PGSSLMODE", "verify-full")
            monkeypatch.setenv("PGSSLROOTCERT", certificate)
            seen = []

            def cut(point):
                with server.connect() as connection:
                    query = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND {}"
                    seen.append(connection.execute(query.format("application_name = 'suffice'")).fetchone()[0])
                server.cut()
                return f(point)

            assert sf.minimize(cut, BOX, 4, storage=place, **quick).nfev == 4
            assert seen == [1] * 4
            monkeypatch.setenv("PGSSLROOTCERT", wrong)
            with pytest.raises(UnusableFile, match="certificate verify failed"):
                sf.load(place)
            monkeypatch.setenv("PGSSLMODE", "disable")
            with pytest.raises(UnusableFile, match="no encryption") as caught:
                sf.load(place)
            assert server.password not in str(caught.value)
            assert sf.load(f"{place}&sslmode=verify-full&sslrootcert={certificate}").nfev == 4


def test_a_connection_that_stalls_in_a_transaction_does_not_keep_the_others_waiting(place, quick, monkeypatch):
    monkeypatch.setattr(postgres, "STALLED", 1)
    sf.minimize(f, BOX, 4, storage=place, **quick)
    book = postgres.SharedBook(Address.of(place))
    held = threading.Event()

    def stalls(cursor, _):
        book._more(cursor, 0)
        held.set()
        time.sleep(2)

    book.server.patience = 0.0

    def stall():
        with pytest.raises(UnusableFile, match="idle-in-transaction"):
            book.server.run(stalls)

    thread = threading.Thread(target=stall)
    thread.start()
    held.wait(10)
    assert sf.minimize(f, BOX, 6, storage=place, **quick).nfev == 6
    thread.join()
    book.server.close()
