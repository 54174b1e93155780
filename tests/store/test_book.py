"""Facts in a table: in order, all or none, and a row that is missing, moved or changed is found."""

import shutil
import sqlite3

import pytest

from suffice.errors import UnreadableFile, UnusableFile
from suffice.record.recovery import found_rows
from suffice.store.sqlite import TABLE, Book, Database, Fact, Kind, read_from

KIND = Kind("facts", 0x46414354, ((TABLE,),), "look at {path} with a magnifying glass")
FACTS = [Fact("word", {"text": text, "n": 0.1}) for text in ("one", "zwei", "三", "four" * 3000, "")]


@pytest.fixture
def path(tmp_path):
    with Database(tmp_path / "facts.db", KIND) as database:
        book = Book(database)
        book.append(FACTS[:2])
        book.append([])
        book.append(FACTS[2:])
    return tmp_path / "facts.db"


def read(path):
    return read_from(path, KIND, lambda database: Book(database).read())


def change(path, *statements):
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_facts_come_back_in_order(path):
    assert read(path) == FACTS
    with Database(path, KIND) as database:
        book = Book(database)
        assert book.read(2) == FACTS[:2]
        assert book.read() == FACTS[2:]
        assert book.read() == []


def test_a_book_goes_on_where_it_was_read(path):
    with Database(path, KIND) as database:
        book = Book(database)
        book.read()
        book.append([Fact("word", {"text": "six"})])
        assert book.read() == []
    assert read(path) == [*FACTS, Fact("word", {"text": "six"})]


def test_facts_that_an_interrupted_call_has_written_are_not_written_twice(path):
    new = [Fact("word", {"text": "six"}), Fact("word", {"text": "seven"})]
    with Database(path, KIND) as database:
        interrupted, again = Book(database), Book(database)
        interrupted.read(), again.read()
        interrupted.append(new[:1])  # and does not live to say so
        again.append(new)
    assert read(path) == [*FACTS, *new]


def test_rows_of_others_are_never_overwritten(path):
    with Database(path, KIND) as database:
        mine, theirs = Book(database), Book(database)
        mine.read(), theirs.read()
        theirs.append([Fact("word", {"text": "theirs"})])
        with pytest.raises(UnusableFile, match=r"changed by another program: it has 6 events, 5 were known; open"):
            mine.append([Fact("word", {"text": "mine"})])
    assert read(path)[-1] == Fact("word", {"text": "theirs"})


DAMAGE = {
    "a changed word": ["UPDATE events SET data = replace(data, 'zwei', 'drei') WHERE number = 2"],
    "a changed number": ["UPDATE events SET data = replace(data, '0.1', '0.2') WHERE number = 4"],
    "another kind": ["UPDATE events SET kind = 'deed' WHERE number = 1"],
    "the first row missing": ["DELETE FROM events WHERE number = 1"],
    "a row missing in the middle": ["DELETE FROM events WHERE number = 3"],
    "the last row missing": ["DELETE FROM events WHERE number = 5"],
    "all rows missing": ["DELETE FROM events"],
    "two rows exchanged": [
        "UPDATE events SET number = 9 WHERE number = 2",
        "UPDATE events SET number = 2 WHERE number = 3",
        "UPDATE events SET number = 3 WHERE number = 9",
    ],
    "no JSON": ["UPDATE events SET data = '{' WHERE number = 5"],
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_found_and_the_remedy_is_named(path, what):
    change(path, *DAMAGE[what])
    with pytest.raises(UnreadableFile, match=r"facts\.db is damaged: .*; look at .*facts\.db with a magnifying glass"):
        read(path)


def test_a_file_in_use_is_read_and_left_as_it_is(path):
    with Database(path, KIND) as database:
        book = Book(database)
        book.read()
        book.append([Fact("word", {"text": "six"})])
        assert len(read(path)) == 6  # from the log: nothing is in the file yet
        book.append([Fact("word", {"text": "seven"})])
    assert len(read(path)) == 7


def test_a_missing_file_is_not_made_by_reading(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("logged", [False, True], ids=["in the file", "in the log"])
def test_pages_give_the_rows_that_sqlite_gives(path, logged):
    with Database(path, KIND) as database:
        book = Book(database)
        book.read()
        if logged:
            book.append([Fact("word", {"text": "long" * 9999}), *(Fact("word", {"n": n}) for n in range(200))])
        with database.reading() as connection:
            rows = connection.execute("SELECT number, kind, data, before, crc FROM events").fetchall()
        found = {(number, *columns[1:]) for number, columns in found_rows(path) if len(columns) == 5}
    assert found >= set(rows)
    assert len(rows) == (206 if logged else 5)


def test_a_file_that_was_being_made_when_its_program_was_killed_is_read_as_it_was_before(tmp_path):
    path = tmp_path / "facts.db"
    with Database(path, KIND):
        pass
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA cache_size = 1")  # what does not fit goes into the file before it is settled
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE more (x)")
    connection.executemany("INSERT INTO more VALUES (?)", [("x" * 3000,)] * 50)
    (tmp_path / "killed").mkdir()
    for suffix in ("", "-journal"):
        shutil.copy(f"{path}{suffix}", tmp_path / "killed")
    connection.close()
    assert read(tmp_path / "killed" / "facts.db") == []


def test_a_book_that_knows_a_part_reads_the_rest_and_tells_another_file(path, tmp_path):
    with Database(path, KIND) as database:
        part = Book(database)
        part.read(3)
        rest = Book(database, part.reached)
        assert rest.goes_on()
        assert rest.read() == FACTS[3:]
        assert not Book(database, (3, part.reached[1] + 1)).goes_on()
        assert not Book(database, (len(FACTS) + 1, 0)).goes_on()


def test_what_came_before_a_row_that_is_not_whole_is_there(path):
    change(path, "UPDATE events SET data = '{}' WHERE number = 4")
    facts = []
    with pytest.raises(UnreadableFile, match="event 4 does not match"):
        read_from(path, KIND, lambda database: Book(database).read(-1, facts))
    assert facts == FACTS[:3]
    with pytest.raises(UnreadableFile, match="event 4 does not match"):
        read_from(path, KIND, lambda database: Book(database).check())


def test_rows_that_are_missing_at_the_end_are_missed_by_who_reads_in_portions(path):
    change(path, "DELETE FROM events WHERE number = 5")
    with pytest.raises(UnreadableFile, match="it had 5 events, and 4 are left"):
        read_from(path, KIND, lambda database: Book(database).read(10))
