"""Whatever bytes a file holds, it is read or refused in words, and what is read fits the study."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import UnreadableFile
from suffice.exchange.columns import Columns, as_text
from suffice.exchange.reading import Plan
from suffice.exchange.rows import rows_of
from suffice.record.history import History

SPACE = {"rate": sf.Float(1e-5, 1, log=True), "depth": sf.Int(1, 10), "kind": sf.Choice("1", 1, None)}


@pytest.fixture(scope="module")
def opt():
    optimizer = sf.Optimizer(SPACE, seed=0)
    for trial in optimizer.ask(6)[:4]:
        optimizer.tell(trial, trial.number / 7)
    return optimizer


@settings(max_examples=150)
@given(
    st.sampled_from(["csv", "comma", "jsonl"]),
    st.integers(0, 10**6),
    st.integers(0, 12),
    st.binary(max_size=12)
    | st.sampled_from([b'"', b",", b";", b"\n", b"\r", b"nan", b"\xff\xfe", b"1e999", b"[", b"{}"]),
)
def test_a_damaged_table_is_read_or_refused_in_words(opt, format, place, length, inserted):
    kind = "jsonl" if format == "jsonl" else "csv"
    text = as_text(opt.trials, opt.settings, kind, "run.db", "," if format == "comma" else ".")
    content = text.encode("utf-8")
    place %= len(content)
    content = content[:place] + inserted + content[place + length :]
    columns = Columns(opt.settings)
    try:
        found = rows_of(content, columns, kind == "jsonl")
    except UnreadableFile:
        return
    plan = Plan(opt.history, columns)
    plan.take(found.rows)
    grown = History.of((*opt.history.events, *plan.events))
    told = [(trial.state, trial.values) for trial in opt.trials[:4]]
    assert [(trial.state, trial.values) for trial in grown.trials[:4]] == told
    assert all(np.all((trial.unit >= 0) & (trial.unit <= 1)) for trial in grown.trials)
    assert plan.counts.total() + len(plan.faults) == len(found.rows)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused_in_words(opt, content, jsonl):
    try:
        found = rows_of(content, Columns(opt.settings), jsonl)
    except UnreadableFile:
        return
    assert len(found.rows) + len(found.faults) <= content.count(b"\n") + content.count(b"\r") + 1


@pytest.mark.parametrize("number", ["1e310", "-1e310", "1.5", "-1", "x"])
def test_what_is_no_number_of_a_trial_is_refused_by_its_line(opt, number):
    found = rows_of(f"number,value\n{number},1\n".encode(), Columns(opt.settings), False)
    assert not found.rows
    assert [line for line, _ in found.faults] == [2]
