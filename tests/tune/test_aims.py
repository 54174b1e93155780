"""What a command is to reach: the same in a file and on a command line, and a mistake is named."""

import pytest

import suffice as sf
from suffice.tune.config import of_arguments, of_file
from suffice.tune.metric import Aims, of_options

SEVERAL = [("minimize", "loss"), ("maximize", "speed")]
WITHIN = [("at_most", ("latency", 50.0)), ("at_least", ("recall", 0.9))]
PARAMS, COMMAND = ["x=float:0:1"], ["run", "{x}"]


def test_a_file_and_options_say_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(
        "command = ['run', '{x}']\nparams.x = {type = 'float', low = 0, high = 1}\n"
        "[objectives]\nloss = 'minimize'\nspeed = 'maximize'\n"
        "[constraints]\nlatency = {at_most = 50}\nrecall = {at_least = 0.9}\n"
    )
    file = of_file(tmp_path / "study.toml", {})
    inline = of_arguments(PARAMS, [], COMMAND, of_options(SEVERAL, WITHIN), {})
    assert file.aims == inline.aims
    assert file.aims.words == {
        "objectives": {"loss": "minimize", "speed": "maximize"},
        "constraints": {"latency": sf.AtMost(50), "recall": sf.AtLeast(0.9)},
    }
    assert Aims.of(file.aims.to_plain()) == file.aims


def test_one_metric_alone_is_the_value_however_it_is_written():
    by_name, by_table = Aims.of({"maximize": "speed"}), Aims.of({"objectives": {"speed": "maximize"}})
    assert by_name == by_table == Aims.of(of_options([("maximize", "speed")], []))
    assert by_name.words == {"direction": "maximize"}


def test_one_metric_with_a_limit_on_another_has_its_name():
    aims = Aims.of({"minimize": "loss", "constraints": {"latency": {"at_most": 50}}})
    assert aims.words == {"objectives": {"loss": "minimize"}, "constraints": {"latency": sf.AtMost(50)}}
    assert aims.outputs == ("loss", "latency")


def test_nothing_more_needs_to_be_known_beyond_a_limit():
    aims = Aims.of(of_options(SEVERAL, WITHIN))
    assert aims.are_known({"latency": 51.0})
    assert not aims.are_known({"latency": 49.0, "recall": 0.95, "loss": 1.0})
    assert aims.are_known({"latency": 49.0, "recall": 0.95, "loss": 1.0, "speed": 1.0})


def test_a_limit_that_changed_is_the_same_store_and_another_metric_is_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def storage(aims, within):
        return of_arguments(PARAMS, [], COMMAND, of_options(aims, within), {}).storage

    assert storage(SEVERAL, WITHIN) == storage(SEVERAL, [("at_most", ("latency", 60.0)), WITHIN[1]])
    others = {storage(SEVERAL[:1], []), storage(SEVERAL, []), storage(SEVERAL, WITHIN[:1]), storage(SEVERAL, WITHIN)}
    assert len(others) == 4


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "got none of them"),
        ({"minimize": "a", "objectives": {"b": "minimize"}}, "got minimize and objectives"),
        ({"objectives": {}}, "objectives: wanted a table such as"),
        ({"objectives": ["loss"]}, "objectives: wanted a table such as"),
        ({"objectives": {"loss": "minimise"}}, 'loss must be "minimize" or "maximize": got \'minimise\''),
        ({"objectives": {"loss": ["minimize"]}}, "loss must be"),
        ({"objectives": {" ": "minimize"}}, "the metric needs a name"),
        ({"minimize": "a", "constraints": 3}, "constraints: wanted a table such as"),
        ({"minimize": "a", "constraints": {"b": 3}}, "constraints: b: wanted one bound such as { at_most = 50 }"),
        ({"minimize": "a", "constraints": {"b": {"at_most": 3, "at_least": 1}}}, "wanted one bound"),
        ({"minimize": "a", "constraints": {"b": {"atmost": 3}}}, "'atmost' is not known: did you mean 'at_most'"),
        ({"minimize": "a", "constraints": {"b": {"at_most": "3"}}}, "constraints: b: at_most must be a number"),
        ({"minimize": "a", "constraints": {"b": {"at_most": float("nan")}}}, "at_most must be finite"),
        ({"minimize": "a", "constraints": {"a": {"at_most": 3}}}, "'a' is an objective and a constraint"),
    ],
)
def test_a_mistake_is_named(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Aims.of(table)


def test_what_is_said_twice_is_refused():
    with pytest.raises(ValueError, match="--maximize loss: there is --minimize loss already"):
        of_options([("minimize", "loss"), ("maximize", "loss")], [])
    with pytest.raises(ValueError, match="--at-least b: b already has a constraint"):
        of_options([("minimize", "loss")], [("at_most", ("b", 1.0)), ("at_least", ("b", 0.0))])


@pytest.mark.parametrize(("word", "value"), [("target", 1.0), ("pruner", "median")])
def test_a_target_and_early_stopping_are_for_one_objective(word, value):
    with pytest.raises(ValueError, match=f"{word}: it needs one objective, but there are loss, speed"):
        of_arguments(PARAMS, [], COMMAND, of_options(SEVERAL, []), {word: value})
