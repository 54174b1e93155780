"""Tables and JSON lines of studies with limits and several objectives: out and back, and filled in by hand."""

import csv
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import UnreadableFile, UnusableFile

SPACE = {"x": (0.0, 1.0)}
AIMS = {"error": "minimize", "gain": "maximize"}
LIMITS = {"cost": sf.AtMost(5.0), "purity": sf.AtLeast(0.9)}
KINDS = {
    "plain": {},
    "limited": {"constraints": LIMITS},
    "several": {"objectives": AIMS},
    "both": {"objectives": AIMS, "constraints": LIMITS},
}
ENDS = ["csv", "jsonl"]


@pytest.fixture(params=list(KINDS))
def kind(request):
    return request.param


@pytest.fixture(params=ENDS)
def end(request):
    return request.param


def make(kind, n=0, **words):
    optimizer = sf.Optimizer(SPACE, seed=0, **(KINDS[kind] | words))
    if n:
        optimizer.ask(n)
    return optimizer


def values(optimizer, **known):
    numbers = {"value": 0.1, "error": -1e-30, "gain": 1e300, "cost": 1.0 / 3.0, "purity": 0.95} | known
    return {name: numbers[name] for name in optimizer.settings.outputs}


def states(optimizer):
    return [(t.number, t.state, t.values, t.feasible, t.noise_var, t.reason, t.seconds) for t in optimizer.trials]


@pytest.mark.parametrize("decimal", [".", ","])
def test_all_that_is_known_comes_back_bit_for_bit(kind, end, decimal, tmp_path):
    optimizer, again = make(kind, 6), make(kind, 6)
    trials, path = optimizer.trials, tmp_path / f"all.{end}"
    optimizer.tell(trials[0], values(optimizer), seconds=0.1)
    optimizer.tell(trials[1], values(optimizer, cost=9.0), noise_var={optimizer.settings.outputs[-1]: 0.25})
    if kind in ("limited", "both"):
        optimizer.tell(trials[2], {"cost": 6.0})
        optimizer.tell(trials[3], {"cost": 6.0, "purity": 0.5, optimizer.settings.objective: 2.0})
    optimizer.fail(trials[4], "no luck")
    sf.exchange.write(optimizer, path, decimal=decimal)
    summary = sf.exchange.read(path, again)
    assert summary.ignored == ()
    known = [state if state[4] != {"value": 0.25} else (*state[:4], 0.25, *state[5:]) for state in states(optimizer)]
    assert states(again) == known
    assert sf.exchange.read(path, again).recorded == 0
    assert states(again) == known


def test_an_empty_table_has_a_column_for_each_output(kind, tmp_path):
    optimizer = make(kind, 2)
    sf.exchange.write(optimizer, tmp_path / "batch.csv", pending=True)
    header = (tmp_path / "batch.csv").read_text().splitlines()[0].split(",")
    noise = ["noise_var"] if kind in ("plain", "limited") else []
    wanted = ["number", "state", "x", *optimizer.settings.outputs, *noise, "seconds"]
    assert header[: len(wanted)] == wanted


def test_rows_without_a_number_find_their_trial_by_what_is_there(kind, table):
    optimizer = make(kind)
    known = values(optimizer)
    optimizer.tell({"x": 0.25}, known)
    if kind in ("limited", "both"):
        optimizer.tell({"x": 0.5}, {"cost": 7.0})
    names = optimizer.settings.outputs
    rows = [
        f"{t.point['x']},{','.join(repr(t.values[n]) if n in t.values else '' for n in names)}"
        for t in optimizer.trials
    ]
    path = table(f"x,{','.join(names)}", *rows)
    summary = sf.exchange.read(path, optimizer)
    assert (summary.known, summary.added) == (len(rows), 0)


def test_a_row_may_lack_values_where_one_is_beyond_its_limit(table):
    optimizer = make("both", 4)
    path = table("number,error,gain,cost,purity", "0,1,2,9,", "1,,,,0.1", "2,nan,failed,9,", "3,1,2,3,0.95")
    assert sf.exchange.read(path, optimizer).recorded == 4
    assert [t.values for t in optimizer.trials] == [
        {"error": 1.0, "gain": 2.0, "cost": 9.0},
        {"purity": 0.1},
        {"cost": 9.0},
        {"error": 1.0, "gain": 2.0, "cost": 3.0, "purity": 0.95},
    ]
    assert [t.feasible for t in optimizer.trials] == [False, False, False, True]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "0,1,2,,0.95",
            "there is no cost, but another value: .*; one may be missing where another violates its constraint",
        ),
        ("0,1,2,3,pure", "purity is 'pure': wanted a number"),
        ("0,1,2,inf,much", "purity is 'much'"),
    ],
)
def test_a_row_that_is_wrong_is_refused_by_its_line(table, row, said):
    optimizer = make("both", 1)
    with pytest.raises(UnreadableFile, match=f"line 2: {said}"):
        sf.exchange.read(table("number,error,gain,cost,purity", row), optimizer)
    assert optimizer.trials[0].state == "pending"


def test_a_failure_is_written_into_any_column(table):
    optimizer = make("both", 3)
    path = table("number,error,gain,cost,purity,reason", "0,,failed,,,spilled", "1,nan,1,2,0.95,", "2,1,2,inf,0.95,")
    assert sf.exchange.read(path, optimizer).failed == 3
    assert [(t.reason, t.cause) for t in optimizer.trials] == [
        ("spilled", "failed"),
        ("error was nan", "nan"),
        ("cost was inf", "inf"),
    ]


def test_a_column_that_is_missing_is_named(table):
    with pytest.raises(UnreadableFile, match="no column 'cost', 'purity'"):
        sf.exchange.read(table("number,error,gain", "0,1,2"), make("both", 1))


def test_other_values_than_are_known_are_refused(table):
    optimizer = make("limited", 2)
    optimizer.tell(optimizer.trials[0], {"cost": 9.0})
    optimizer.tell(optimizer.trials[1], values(optimizer))
    header = "number,value,cost,purity"
    with pytest.raises(UnreadableFile, match=r"trial 0 already has cost 9\.0: got value 1\.0, cost 9\.0"):
        sf.exchange.read(table(header, "0,1.0,9,"), optimizer)
    with pytest.raises(UnreadableFile, match=r"trial 1 already has value 0\.1.*got cost 7\.0"):
        sf.exchange.read(table(header, "1,,7.0,"), optimizer)


def test_known_noise_has_a_column_where_there_is_some(tmp_path, table):
    optimizer = make("both", 2)
    optimizer.tell(optimizer.trials[0], values(optimizer), noise_var={"gain": 0.5, "cost": 0.25})
    sf.exchange.write(optimizer, tmp_path / "all.csv")
    row = next(csv.DictReader((tmp_path / "all.csv").read_text().splitlines()))
    assert (row["noise_var:gain"], row["noise_var:cost"]) == ("0.5", "0.25")
    assert "noise_var:error" not in row
    assert "noise_var" not in row
    again = make("both", 2)
    sf.exchange.read(table("number,error,gain,cost,purity,noise_var:purity", "0,1,2,3,0.95,0.125"), again)
    assert again.trials[0].noise_var == {"purity": 0.125}


@pytest.mark.parametrize(
    ("noise", "said"),
    [
        (0.5, "noise_var is 0.5: wanted an object"),
        ({"speed": 1}, "noise_var has 'speed'"),
        ({"gain": -1}, "gain is '-1'"),
    ],
)
def test_noise_that_is_none_is_refused(table, noise, said):
    line = {"number": 0, "error": 1, "gain": 2, "cost": 3, "purity": 0.95, "noise_var": noise}
    with pytest.raises(UnreadableFile, match=said):
        sf.exchange.read(table(json.dumps(line), name="a.jsonl"), make("both", 1))


def test_a_table_that_is_filled_in_partly_is_not_overwritten(tmp_path):
    optimizer, path = make("both", 1), tmp_path / "batch.csv"
    sf.exchange.write(optimizer, path, pending=True)
    path.write_text(path.read_text().replace(",,,,", ",,,9,", 1))
    assert ",,,9," in path.read_text()
    with pytest.raises(UnusableFile, match="import it first"):
        sf.exchange.write(optimizer, path)


names = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["number", "State", "point", "noise_var", "noise_var:x", "output:a", "parameter:x", "=1", "'x", " x ", "x", "a,b"]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(names, min_size=3, max_size=3, unique_by=lambda name: name.strip().casefold()), st.sampled_from(ENDS))
def test_outputs_and_parameters_may_be_called_anything(tmp_path_factory, given_names, end):
    first, second, limited = given_names
    words = {"objectives": {first: "minimize", second: "maximize"}, "constraints": {limited: sf.AtMost(1.0)}}
    space = {first: (0.0, 1.0), limited: (0.0, 1.0)}
    optimizer, again = (sf.Optimizer(space, seed=0, **words) for _ in range(2))
    told = dict(zip(given_names, (0.1, 0.2, 0.3), strict=True))
    for one in (optimizer, again):
        one.ask(2)
    optimizer.tell(optimizer.trials[0], told, noise_var={second: 0.5})
    path = tmp_path_factory.mktemp("names") / f"all.{end}"
    sf.exchange.write(optimizer, path)
    sf.exchange.read(path, again)
    assert states(again) == states(optimizer)
