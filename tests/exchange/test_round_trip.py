"""What leaves a study comes back as it was, bit for bit."""

import csv
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.exchange.columns import Columns, as_text
from suffice.exchange.rows import Measured, rows_of
from suffice.record.settings import Settings
from suffice.record.trial import Trial

names = st.text(min_size=1, max_size=12) | st.sampled_from(
    [
        "number",
        "value",
        "Value",
        " state ",
        "parameter:value",
        "=1+1",
        "'x",
        "a;b",
        'a"b',
        "../x",
        "<img onerror>",
        "🎈",
    ]
)
options = st.lists(
    st.text(max_size=4) | st.integers() | st.booleans() | st.none() | st.floats(),
    min_size=1,
    max_size=4,
    unique_by=lambda option: (type(option), repr(option)),
)
bounds = st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=2, unique=True).map(sorted)
parameters = (
    bounds.map(lambda b: sf.Float(*b))
    | st.tuples(st.integers(-(10**20), 10**20), st.integers(0, 10**20)).map(lambda t: sf.Int(t[0], t[0] + t[1]))
    | options.map(lambda given: sf.Choice(*given))
)
spaces = st.dictionaries(names, parameters, min_size=1, max_size=4).map(sf.Space)


@settings(max_examples=60)
@given(spaces, st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4))
def test_points_and_values_of_any_space_come_back_bit_for_bit(space, values):
    made = Settings.of(space, seed=0)
    draws = np.random.default_rng(0).random((len(values), len(space.coordinates)))
    points = [space.from_unit(x) for x in space.place(draws)]
    trials = [
        Trial(j, point, "done", {"value": value}, reason=None, unit=space.to_unit(point))
        for j, (point, value) in enumerate(zip(points, values, strict=True))
    ]
    for format, decimal in (("csv", "."), ("csv", ","), ("jsonl", ".")):
        text = as_text(trials, made, format, "run.db", decimal)
        found = rows_of(text.encode("utf-8"), Columns(made), format == "jsonl")
        assert (found.faults, found.unread) == ((), ())
        for row, trial in zip(found.rows, trials, strict=True):
            assert (row.number, row.study) == (trial.number, "run.db")
            assert isinstance(row.outcome, Measured)
            assert math.copysign(1, row.outcome.values["value"]) == math.copysign(1, trial.value)
            assert row.outcome.values["value"] == trial.value
            assert list(row.given) == list(trial.point)
            for name, value in row.given.items():
                assert type(value) is type(trial.point[name])
                assert repr(value) == repr(trial.point[name])


def test_every_state_of_a_trial_is_written(opt):
    first, second, third, *_ = opt.trials
    opt.tell(first, 1 / 3, noise_var=0.1, seconds=2.5)
    opt.fail(second, "the pump, it broke", cause="crashed", seconds=1)
    opt.cancel(third, "no time")
    opt.tell(first.point, 7)
    rows = list(csv.DictReader(io.StringIO(as_text(opt.trials, opt.settings, "csv", "run.db").lstrip("\ufeff"))))
    assert [row["state"] for row in rows] == ["done", "failed", "cancelled", "pending", "pending", "done"]
    assert [row["origin"] for row in rows] == ["design"] * 5 + ["foreign"]
    assert (rows[0]["value"], rows[0]["noise_var"], rows[0]["seconds"]) == ("0.3333333333333333", "0.1", "2.5")
    assert (rows[1]["value"], rows[1]["reason"], rows[1]["cause"]) == ("", "the pump, it broke", "crashed")
    assert rows[0]["parameter:value"] == repr(first.point["value"])
    assert {row["study"] for row in rows} == {"run.db"}
    lines = [json.loads(line) for line in as_text(opt.trials, opt.settings, "jsonl").splitlines()]
    assert [line["state"] for line in lines] == [row["state"] for row in rows]
    assert (lines[0]["value"], lines[3]["value"], lines[2]["reason"]) == (1 / 3, None, "no time")
    assert lines[0]["point"]["rate"] == first.point["rate"]


def test_points_by_position_have_a_column_for_each_number(tmp_path):
    opt = sf.Optimizer([(0, 1), (-1, 1)], seed=0)
    asked = opt.ask(2)
    path = tmp_path / "batch.csv"
    sf.exchange.write(opt, path, pending=True)
    header, first, _ = path.read_text().splitlines()
    assert header.split(",")[2:4] == list(opt.space.names)
    assert [float(cell) for cell in first.split(",")[2:4]] == asked[0].point.tolist()
    sf.exchange.write(opt, tmp_path / "batch.jsonl")
    assert json.loads((tmp_path / "batch.jsonl").read_text().splitlines()[1])["point"] == asked[1].point.tolist()


def test_a_result_can_be_written_and_only_what_is_pending_on_demand(tmp_path):
    result = sf.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, seed=0)
    sf.exchange.write(result, tmp_path / "all.csv")
    sf.exchange.write(result, tmp_path / "none.csv", pending=True)
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 4
    assert len((tmp_path / "none.csv").read_text().splitlines()) == 1


def test_only_a_table_with_letters_beyond_ascii_says_that_it_is_in_utf_8(opt):
    assert as_text(opt.trials, opt.settings, "csv").startswith("\ufeff")
    plain = sf.Optimizer([(0, 1)], seed=0)
    assert as_text(plain.trials, plain.settings, "csv").startswith("number,")


def test_a_wrong_format_or_decimal_mark_is_refused(opt, tmp_path):
    with pytest.raises(ValueError, match="format must be 'csv' or 'jsonl': got 'xls'"):
        sf.exchange.write(opt, tmp_path / "x", format="xls")
    with pytest.raises(ValueError, match="decimal must be"):
        sf.exchange.write(opt, tmp_path / "x", decimal="·")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["n" * 1000, "🎈", "<img src=x onerror=alert(1)>", "../../etc/passwd", "=cmd|' /C calc'!A0"]
)
def test_strange_names_and_texts_are_text_and_nothing_else(name, tmp_path):
    opt = sf.Optimizer({name: sf.Choice(name, "b"), "x": sf.Float(0, 1)}, seed=0)
    opt.fail(opt.ask(), reason=name)
    opt.tell({name: name, "x": 0.5}, 1.0)
    for file in ("all.csv", "all.jsonl"):
        path = tmp_path / file
        sf.exchange.write(opt, path)
        assert (sf.exchange.read(path, opt).known, len(opt.trials)) == (2, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.csv", "all.jsonl"]
    cells = [cell for row in csv.reader(io.StringIO((tmp_path / "all.csv").read_text("utf-8-sig"))) for cell in row]
    assert not any(cell.startswith(("=", "+", "@", "-")) for cell in cells)


def test_options_that_no_file_can_hold_go_out_and_come_back_by_their_text(tmp_path):
    opt = sf.Optimizer({"kind": sf.Choice(b"x", frozenset({1}), math.nan, 1j), "x": sf.Float(0, 1)}, seed=0)
    for trial in opt.ask(6):
        opt.tell(trial, trial.number)
    for name in ("all.csv", "all.jsonl"):
        sf.exchange.write(opt, tmp_path / name)
        other = sf.Optimizer(opt.space, seed=0)
        other.ask(6)
        assert sf.exchange.read(tmp_path / name, other).recorded == 6
        assert [repr(trial.point) for trial in other.trials] == [repr(trial.point) for trial in opt.trials]
