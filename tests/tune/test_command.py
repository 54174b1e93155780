"""Command lines with places: what is written arrives, letter by letter, and what cannot be is refused at once."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.tune.command import Template, as_text, check_names, environment

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30)
NASTY = st.sampled_from(["'", '"', "$(id)", "; ls", "\n", "`x`", "*", "{lr}", "{{", "", "-x"])
ECHO = (
    "import json, os, sys\n"
    "json.dump([sys.argv[1:], {k: v for k, v in os.environ.items() if 'SUFFICE_PARAM' in k}], sys.stdout)"
)


@settings(max_examples=25)
@given(st.lists(TEXT, min_size=1, max_size=4), NASTY)
def test_values_arrive_as_they_are_in_arguments_and_environment(values, nasty):
    values = [*values, nasty, nasty + values[0]]
    names = [f"p{i}" for i in range(len(values))]
    code = ECHO.replace("{", "{{").replace("}", "}}")
    template = Template.of([sys.executable, "-c", code, *(f"{{{name}}}" for name in names), "--all={p0}{p1}"], names)
    point = dict(zip(names, values, strict=True))
    env = {**os.environ, **environment(point), "PYTHONUTF8": "1"}
    done = subprocess.run(template.filled(point), env=env, capture_output=True, check=True)
    arguments, variables = json.loads(done.stdout)
    assert arguments == [*values, f"--all={values[0]}{values[1]}"]
    assert variables == {f"SUFFICE_PARAM_P{i}": value for i, value in enumerate(values)}


@given(st.lists(TEXT, min_size=1, max_size=5), TEXT)
def test_a_text_without_places_comes_back_and_a_place_is_filled_once(texts, value):
    escaped = ["run", *(text.replace("{", "{{").replace("}", "}}") for text in texts)]
    assert Template.of(escaped, []).filled({}) == ["run", *texts]
    with_place = [escaped[0], *(text + "{a}" + text for text in escaped[1:])]
    assert Template.of(with_place, ["a"]).filled({"a": value}) == ["run", *(t + value + t for t in texts)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_keeps_all_its_digits(value):
    assert float(as_text(value)) == value


def test_true_and_false_are_those_of_toml():
    assert [as_text(value) for value in (True, False, 3, "True")] == ["true", "false", "3", "True"]


def test_the_number_and_the_folder_of_a_trial_are_places_too():
    template = Template.of(["run", "{SUFFICE_DIR}/model-{SUFFICE_TRIAL}.bin"], ["lr"])
    assert template.filled({"SUFFICE_DIR": "/x y", "SUFFICE_TRIAL": 7}) == ["run", "/x y/model-7.bin"]


def test_what_is_not_active_is_left_out_with_its_group():
    template = Template.of(["run", "--m={m}", ["--k", "{k}", "{a}"], "{a}"], ["m", "k", "a"], optional=["m", "k"])
    assert template.filled({"a": 1}) == ["run", "1"]
    assert template.filled({"a": 1, "k": 2, "m": 3}) == ["run", "--m=3", "--k", "2", "1", "1"]
    assert template.written == ["run", "--m={m}", ["--k", "{k}", "{a}"], "{a}"]


def test_a_flag_that_would_lose_its_value_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"leaves '--m' without a value; write '--m=\{m\}'"):
        Template.of(["run", "--m", "{m}"], ["m"], optional=["m"])
    Template.of(["run", "--m", "{m}"], ["m"])
    Template.of(["run", "--verbose", "--m={m}"], ["m"], optional=["m"])


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("{depht}", "place for 'depht': did you mean 'depth'"),
        ("{depth:.3f}", "place for 'depth:.3f': did you mean 'depth'"),
        ("{}", "place for '': there is 'lr', 'depth', 'SUFFICE_DIR'"),
        ('{"lr": {lr}}', r"lone '\{'; a brace is written '\{\{'"),
        ("lr}", r"lone '\}'; a brace is written '\}\}'"),
        ("a\0b", "NUL"),
    ],
)
def test_a_wrong_place_is_refused(argument, message):
    with pytest.raises(ValueError, match=message):
        Template.of(["run", argument], ["lr", "depth"])


@pytest.mark.parametrize("command", [[], ["{lr}", "x"], [[]]])
def test_a_command_begins_with_a_program(command):
    with pytest.raises(ValueError, match="must begin with the name of a program"):
        Template.of(command, ["lr"])


@pytest.mark.parametrize(
    "name", ["", "../etc", "<img onerror>", "ü", "😀", "a b", "1st", "x" * 101, "a=b", "a\n", "SUFFICE_DIR", "-x"]
)
def test_names_that_no_variable_can_have_are_refused(name):
    with pytest.raises(ValueError, match="a name has letters"):
        check_names([name])


def test_names_that_would_share_a_variable_are_refused():
    check_names(["learning-rate", "lr", "lr2", "a.b"])
    with pytest.raises(ValueError, match="both be the environment variable SUFFICE_PARAM_A_B"):
        check_names(["a.b", "A_b"])
