"""A journal gives back what it was given, in order, from any place on."""

from hypothesis import given
from hypothesis import strategies as st

from suffice.store.journal import Memory


@given(facts=st.lists(st.integers()), since=st.integers(0, 30))
def test_facts_come_back_in_order_and_from_any_place(facts, since):
    journal = Memory()
    for fact in facts:
        journal.append(fact)
    assert len(journal) == len(facts)
    assert list(journal.read()) == facts
    assert list(journal.read(since)) == facts[since:]


def test_a_reader_does_not_see_what_comes_later():
    journal = Memory()
    journal.append("first")
    reading = journal.read()
    journal.append("second")
    assert list(reading) == ["first"]
