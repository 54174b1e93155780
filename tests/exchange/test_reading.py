"""A file that was filled in: what the study learns from it, once, and what it refuses as a whole."""

import csv
import io
import json
import math

import numpy as np
import pytest

import suffice as sf
from suffice.errors import UnreadableFile, UnusableFile


def state(optimizer):
    """All that is known of the trials."""
    return [
        (t.number, t.state, repr(t.point), t.values, t.noise_var, t.seconds, t.reason, t.cause, t.origin)
        for t in optimizer.trials
    ]


def filled(optimizer, path, values, **words):
    """The table of the pending trials, with cells filled in by the number of the trial."""
    sf.exchange.write(optimizer, path, pending=True)
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    for row in rows:
        row.update({"value": values.get(int(row["number"]), "")} | words.get(f"row{row['number']}", {}))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return path


def test_values_by_number_are_told_and_empty_ones_stay_open(opt, tmp_path):
    path = filled(opt, tmp_path / "batch.csv", {0: "1.5", 1: "-2e-3", 3: " 7 "})
    summary = sf.exchange.read(path, opt)
    assert str(summary) == "recorded 3, already known 0, still pending 2"
    assert [t.value for t in opt.trials] == [1.5, -0.002, None, 7.0, None]
    assert [t.state for t in opt.trials] == ["done", "done", "pending", "done", "pending"]


def test_to_read_a_file_twice_counts_once(opt, tmp_path):
    path = filled(opt, tmp_path / "batch.csv", {0: "1.5", 2: "failed"}, row2={"reason": "it broke"})
    path.write_text(
        path.read_text("utf-8") + ",,0.5,3,None,0.25,20,4.5,,,,,,\n,,0.5,3,None,0.25,20,4.5,,,,,,\n", "utf-8"
    )
    first = sf.exchange.read(path, opt)
    assert (first.recorded, first.failed, first.added, first.repeated, first.pending) == (1, 1, 2, 1, 3)
    assert "new points 2 (1 equal to earlier rows)" in str(first)
    before = state(opt)
    again = sf.exchange.read(path, opt)
    assert str(again) == "recorded 0, already known 4, still pending 3"
    assert state(opt) == before


def test_a_row_without_a_number_tells_the_pending_trial_at_its_point(opt, table):
    point = opt.trials[2].point
    digits = {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in point.items()}
    assert any(float(digits[name]) != point[name] for name in ("rate", "value", "T °C"))  # fewer digits than it has
    path = table(json.dumps({"point": point, "value": 3.5}), name="a.jsonl")
    assert str(sf.exchange.read(path, opt)) == "recorded 1, already known 0, still pending 0"
    assert (opt.trials[2].value, len(opt.trials)) == (3.5, 5)


def test_a_point_with_the_digits_of_a_spreadsheet_is_that_of_its_pending_trial(table):
    opt = sf.Optimizer({"small": sf.Float(1e-7, 1e-4, log=True), "x": sf.Float(0, 1)}, seed=1)
    for trial in opt.ask(6):
        path = table("small,x,value", f"{trial.point['small']:.5E},{trial.point['x']:.9g},{trial.number}")
        assert sf.exchange.read(path, opt).recorded == 1
    assert [t.value for t in opt.trials] == [0, 1, 2, 3, 4, 5]


def test_other_points_are_foreign_trials_and_a_second_value_is_a_second_measurement(table):
    opt = sf.Optimizer([(0, 1), (0, 1)], seed=0)
    a, b = opt.space.names
    path = table(f"{a},{b},value,noise_var,seconds", "0.5,0.25,1,0.01,3", "0.5,0.25,1.1,,", "0.75,0,failed,,")
    summary = sf.exchange.read(path, opt)
    assert (summary.added, summary.failed) == (2, 1)
    assert [t.origin for t in opt.trials] == ["foreign"] * 3
    assert [t.point.tolist() for t in opt.trials] == [[0.5, 0.25], [0.5, 0.25], [0.75, 0.0]]
    assert (opt.trials[0].noise_var, opt.trials[0].seconds) == (0.01, 3.0)
    assert opt.trials[2].state == "failed"


def test_what_one_row_says_by_number_another_without_one_does_not_say_again(table):
    opt = sf.Optimizer([(0, 1)], seed=0)
    opt.tell([0.5], 2.0)
    path = table(f"number,{opt.space.names[0]},value", "0,0.5,2.0", ",0.5,2.0")
    assert sf.exchange.read(path, opt).added == 1  # the same value, measured once more
    assert sf.exchange.read(path, opt).known == 2
    assert len(opt.trials) == 2


def test_a_spreadsheet_that_rounds_points_and_values_changes_nothing(tmp_path, table):
    opt = sf.Optimizer([(0, 1), (1000, 1001)], seed=0)
    for trial in opt.ask(4):
        opt.tell(trial, math.sin(trial.number) * 1e-6)
    opt.tell([1 / 3, 1000 + 2 / 3], 1 / 7)
    before = state(opt)
    names = ",".join(opt.space.names)
    rounded = [f"{t.point[0]:.9g},{t.point[1]:.10g},{t.value:.5E}" for t in opt.trials]
    for lines in (
        [f"number,{names},value", *(f"{j},{line}" for j, line in enumerate(rounded))],
        [f"{names},value", *rounded],
    ):
        assert str(sf.exchange.read(table(*lines), opt)) == "recorded 0, already known 5, still pending 0"
    assert state(opt) == before


def test_failures_have_their_words_reasons_and_causes(opt, table):
    path = table(
        "number,value,reason,cause,state",
        "0,nan,,,",
        "1,FAILED,the pump broke,crashed,pending",
        "2,,blocked,,failed",
        "3,-inf,,,",
        "4,,no time,,cancelled",
    )
    assert str(sf.exchange.read(path, opt)) == "recorded 0, failed 4, cancelled 1, already known 0, still pending 0"
    assert [(t.state, t.reason, t.cause) for t in opt.trials] == [
        ("failed", "the value was nan", "nan"),
        ("failed", "the pump broke", "crashed"),
        ("failed", "blocked", "failed"),
        ("failed", "the value was -inf", "inf"),
        ("cancelled", "no time", None),
    ]
    assert sf.exchange.read(path, opt).known == 5


def test_a_value_may_come_after_a_failure_and_an_old_table_does_not_take_it_back(opt, tmp_path, table):
    opt.fail(opt.trials[0], "too late")
    sf.exchange.write(opt, tmp_path / "old.csv")
    assert sf.exchange.read(table("number,value", "0,2.5"), opt).recorded == 1
    assert sf.exchange.read(tmp_path / "old.csv", opt).known == 1
    assert opt.trials[0].value == 2.5


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ["number,value", "1,2.0", "0,1.5"],
            "line 3: trial 0 already has 1.0: got 1.5; add a second measurement as a row",
        ),
        (["number,value", "1,2.0", "1,3"], "line 3: trial 1 already has 2.0 on line 2: got 3.0"),
        (["number,value", "1,2.0", "0,failed"], "line 3: trial 0 already has 1.0 and can no longer fail"),
        (["number,value", "1,2.0", "7,1"], "line 3: the study has 5 trials and no trial 7; leave the number"),
        (["number,value", "1,2.0", "-1,1"], "line 3: number is '-1': wanted the number of a trial"),
        (["number,value", "1,2.0", "2.5,1"], "line 3: number is '2.5'"),
        (["number,value", "1,2.0", "2,abc"], "line 3: value is 'abc': wanted a number, failed, or nothing"),
        (["number,value", "1,2.0", "2,#DIV/0!"], "line 3: value is '#DIV/0!'"),
        (["number,value", "1,2.0", '2,"1,5"'], "line 3: value is '1,5': wanted a number, with a point"),
        (["number,value", "1,2.0", "", "2,1,5"], "line 4 has 3 cells, but there are 2 names of columns"),
        (["number,value,reason", "1,2.0,", "2,,pump"], "line 3: there is a reason, 'pump', but no value"),
        (["number,value,state", "1,2.0,", "2,,lost"], "line 3: the state is 'lost': wanted pending, done"),
        (
            ["number,value,state", "1,2.0,", "2,1.0,failed"],
            "line 3: the column state says 'failed', but value is '1.0'",
        ),
        (["number,value,state", "1,2.0,", "2,1,Cancelled"], "line 3: the column state says 'Cancelled', but value is"),
        (["number,value,cause", "1,2.0,", "2,nan,bad luck"], "line 3: cause is 'bad luck': wanted one of raised"),
        (["number,value,noise_var", "1,2.0,", "2,1,-1"], "line 3: noise_var is '-1': wanted a number ≥ 0"),
        (["number,value,depth", "1,2.0,", "2,1,x"], "line 3: depth is 'x': wanted a number"),
        (["number,value,depth", "1,2.0,", "2,1,99"], "line 3: parameter 'depth': 99 is outside the bounds"),
        (["number,value,kind", "1,2.0,", "2,1,adam"], "line 3: kind is 'adam': wanted one of \"1\", 1, True"),
        (["number,value,rate", "1,2.0,", "2,1,0.5"], "line 3: rate is 0.5, but trial 2 has 0.1"),
        (["depth,value", "3,2.0"], "line 2: the point is missing 'rate'"),
        (["number,value", "1,2.0", ",3"], "line 3: it has neither the number of a trial nor a point"),
        (["number,valeu", "1,2.0"], "line 1 names no column 'value' (is it 'valeu'?)"),
        (["a,value", "1,2.0"], "line 1 names neither the number of a trial nor a point: got a, value"),
        (["0.5,1.0", "1,2.0"], "line 1 names no column 'value'"),
        (["number,value,Value", "1,2.0,"], "line 1: the column 'value' occurs more than once"),
        ([""], "it is empty: wanted a line with the names"),
    ],
)
def test_a_wrong_row_is_refused_by_its_line_and_nothing_at_all_is_told(opt, table, lines, words):
    opt.tell(opt.trials[0], 1.0)
    path, before = table(*lines), state(opt)
    with pytest.raises(UnreadableFile) as refused:
        sf.exchange.read(path, opt)
    assert str(path) in str(refused.value)
    assert words in str(refused.value)
    assert state(opt) == before


def test_all_wrong_rows_are_named_up_to_ten(opt, table):
    path = table("number,value", *(f"{j},x" for j in range(12)))
    with pytest.raises(UnreadableFile) as refused:
        sf.exchange.read(path, opt)
    said = str(refused.value).splitlines()
    assert [line.split(": ")[0].rsplit(" ", 1)[1] for line in said[:10]] == [str(j) for j in range(2, 12)]
    assert said[10:] == ["… and 2 more lines", "Nothing was imported; correct the file and import it again."]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "it is not JSON"),
        ("3", "wanted a JSON object"),
        ('{"number": 0, "value": [1]}', "value is [1]: wanted a number or a text"),
        ('{"number": true, "value": 1}', "number is true"),
        ('{"point": {"depth": 3, "wrong": 1}, "value": 1}', "there is no parameter 'wrong'"),
        ('{"point": {"depth": 300}, "value": 1}', "300 is outside the bounds"),
        ('{"point": "x", "value": 1}', "the point is not a point of the study"),
    ],
)
def test_a_wrong_line_of_json_is_refused_by_its_number(opt, table, line, words):
    path = table('{"number": 1, "value": 2.0}', line, name="results.jsonl")
    with pytest.raises(UnreadableFile, match="line 2") as refused:
        sf.exchange.read(path, opt)
    assert words in str(refused.value)
    assert opt.trials[1].state == "pending"


def test_a_rounding_error_outside_the_bounds_is_taken(table):
    opt = sf.Optimizer({"x": sf.Float(0, 0.3)}, seed=0)
    assert sf.exchange.read(table("x,value", "0.30000000000000004,1", "-1e-12,2"), opt).added == 2
    assert [t.point["x"] for t in opt.trials] == [0.3, 0.0]


def test_many_points_among_them_duplicates_are_read_at_once_and_known_afterwards(table):
    opt = sf.Optimizer([(0, 1), (0, 1)], seed=0)
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((500, 2)), np.full((500, 2), 0.5)])
    lines = [f"{x!r},{y!r},{v!r}" for (x, y), v in zip(points.tolist(), rng.random(1000).tolist(), strict=True)]
    path = table(",".join((*opt.space.names, "value")), *lines)
    assert sf.exchange.read(path, opt).added == 1000
    assert sf.exchange.read(path, opt).known == 1000
    assert len(opt.trials) == 1000


def test_a_file_that_cannot_be_stored_now_is_not_told_at_all(tmp_path, table, monkeypatch):
    def full(book, facts):
        raise UnusableFile("database or disk is full")

    with sf.Optimizer([(0, 1)], storage=tmp_path / "run.db", seed=0) as opt:
        opt.ask(2)
        path, before = table("number,value", "0,1", "1,2"), state(opt)
        with monkeypatch.context() as patch:
            patch.setattr("suffice.store.sqlite.Book.append", full)
            with pytest.raises(UnusableFile, match="disk is full"):
                sf.exchange.read(path, opt)
        assert state(opt) == before
        assert sf.exchange.read(path, opt).recorded == 2
    assert [trial.value for trial in sf.load(tmp_path / "run.db").trials] == [1.0, 2.0]


def test_arguments_that_are_swapped_are_refused(opt, tmp_path):
    path = str(tmp_path / "a.csv")
    with pytest.raises(TypeError, match=r"wanted write\(study, path\) .*: got str first"):
        sf.exchange.write(path, opt)
    with pytest.raises(TypeError, match=r"wanted read\(path, optimizer\), .*: got str"):
        sf.exchange.read(opt, path)


def test_a_wrong_number_is_corrected_on_request_and_its_table_can_be_read_again(opt, tmp_path, table):
    opt.tell(opt.trials[0], 5120.0)
    opt.tell(opt.trials[1], 7.0)
    opt.tell(opt.trials[2], 9.0)
    path = table("number,value,state,reason", "0,51.2,done,", "1,failed,,blocked", "2,,cancelled,no time", "3,1.5,,")
    with pytest.raises(UnreadableFile, match=r"trial 0 already has 5120\.0: got 51\.2.*suffice import --correct"):
        sf.exchange.read(path, opt)
    said = "recorded 2, corrected 3, failed 1, already known 0, still pending 0"
    assert str(sf.exchange.read(path, opt, correct=True)) == said
    assert [t.state for t in opt.trials[:4]] == ["done", "failed", "cancelled", "done"]
    assert (opt.trials[0].value, opt.trials[1].reason) == (51.2, "blocked")
    assert opt.trials[2].reason == "no time; the value was 9.0"
    before = state(opt)
    for correct in (False, True):
        assert sf.exchange.read(path, opt, correct=correct).known == 4
        assert state(opt) == before
    with pytest.raises(UnreadableFile, match=r"trial 0 already has 6\.0 on line 2"):
        sf.exchange.read(table("number,value", "0,6", "0,7"), opt, correct=True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0.5,3,None,0.25,20,,", "it has a point but no value, and no trial is pending there"),
        ("0.5,3,None,0.25,20,,cancelled", "it has a point but no value"),
        ("0.5,3,None,0.25,20,1.5,finished", "the state is 'finished': wanted pending, done, failed, cancelled"),
        ("0.1,4,None,0.25,20,nan,", "its point has a value already, trial 5: to withdraw a wrong value"),
    ],
)
def test_a_row_that_would_be_lost_or_misread_is_refused(opt, table, line, words):
    opt.tell({"rate": 0.1, "depth": 4, "kind": None, "value": 0.25, "T °C": 20.0}, 2.0)
    with pytest.raises(UnreadableFile) as refused:
        sf.exchange.read(table("rate,depth,kind,parameter:value,T °C,value,state", line), opt)
    assert words in str(refused.value)
