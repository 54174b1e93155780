"""The value in the output: the last one that is printed, and nothing that only looks like it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.tune import metric
from suffice.tune.metric import Metric, backwards, tail

LOSS = Metric("loss")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("loss=0.25", 0.25),
        ("loss: 0.25", 0.25),
        ("epoch 3, loss = -1.5e-3, acc=0.9", -1.5e-3),
        ("[info] loss=.5 loss=7", 7.0),
        ('{"loss": 0.25, "val_loss": 3}', 0.25),
        ('{"loss": 2}', 2.0),
        ('  "loss": 0.125,', 0.125),  # of an indented JSON object
        ("{'loss': 0.5}", 0.5),  # a printed dict
        ("\x1b[32mloss=0.25\x1b[0m", 0.25),
        ("loss=93.5%", 93.5),
        ("The end: loss=0.25.", 0.25),
        ("val_loss=0.25", None),
        ("eval/loss=0.25", None),
        ("run.py --loss=3", None),
        ("loss=12ms", None),
        ("loss=1e5x", None),
        ("loss=1e", None),
        ("loss=1.e2", 100.0),
        ("loss=inform", None),
        ("loss=1,234.5", None),
        ("loss=1.2.3", None),
        ("loss=tensor(0.3)", None),
        ("Loss=0.25", None),
        ("loss 0.25", None),
        ('{"other": 1}', None),
        ("{loss", None),
        ("", None),
    ],
)
def test_a_line_has_the_value_or_not(line, value):
    assert LOSS.of_line(line) == value


def test_not_a_number_is_a_value_that_was_printed():
    assert math.isnan(LOSS.of_line("loss=nan"))
    assert math.isnan(LOSS.of_line('{"loss": NaN}'))
    assert LOSS.of_line("loss=-Infinity") == -math.inf
    assert LOSS.of_line('{"loss": 1' + 400 * "0" + "}") == math.inf


@pytest.mark.parametrize("value", ["null", '"0.3"', "true", "[1]", "{}"])
def test_an_object_that_has_no_number_there_is_refused_and_no_earlier_one_taken(tmp_path, value):
    file = tmp_path / "stdout"
    file.write_text(f'loss=0.1\n{{"loss": {value}}}\n')
    with pytest.raises(ValueError, match=r"loss is .*: wanted a number"):
        LOSS.of_file(file)


def test_deeply_nested_output_is_no_trouble():
    assert LOSS.of_line('{"loss":' + 100_000 * "[" + "}") is None


def test_names_are_no_patterns():
    assert Metric("a.b(c)").of_line("a.b(c)=2") == 2.0
    assert Metric("a.b").of_line("axb=2") is None
    with pytest.raises(ValueError, match="needs a name"):
        Metric("a\nb")


def test_the_last_value_of_a_file_counts(tmp_path):
    file = tmp_path / "stdout"
    file.write_bytes(b"loss=3\n" + b'{"loss": 2}\r' + b"\xff\xfe loss=1\rloss=0.5\r\n" + b"bye\n" * 50_000)
    assert LOSS.of_file(file) == 0.5
    file.write_bytes(b"")
    assert LOSS.of_file(file) is None


@settings(max_examples=50)
@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\xc3", b"\xa9"]), max_size=40), st.integers(1, 9))
def test_backwards_is_the_reverse_of_forwards_at_any_block(tmp_path_factory, content, block):
    file = tmp_path_factory.mktemp("lines") / "file"
    file.write_bytes(b"".join(content))
    with pytest.MonkeyPatch.context() as patch, file.open("rb") as opened:
        patch.setattr(metric, "BLOCK", block)
        forwards = b"".join(content).replace(b"\r", b"\n").split(b"\n")
        found = list(backwards(opened))
    assert found == [line.decode("utf-8", "replace") for line in reversed(forwards)]


def test_a_line_without_an_end_takes_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(metric, "BLOCK", 64)
    monkeypatch.setattr(metric, "LONGEST", 256)
    file = tmp_path / "stdout"
    file.write_bytes(b"loss=1\n" + b"x" * 10_000)
    with file.open("rb") as opened:
        lines = list(backwards(opened))
    assert max(map(len, lines)) <= 256
    assert lines[-1] == "loss=1"


def test_a_tail_is_one_short_line(tmp_path):
    file = tmp_path / "stderr"
    file.write_bytes(b"first\n\n\x1b[31msecond\x1b[0m\nthi\x07rd\n \n")
    assert tail(file) == "first | second | thi?rd"
    assert tail(file, lines=1) == "thi?rd"
    file.write_text("y" * 1000)
    assert tail(file) == "..." + "y" * 197


@pytest.mark.parametrize(
    "line",
    [
        "loss=" + 200_000 * "1" + "x",
        "loss=" + 200_000 * "1.",
        "loss=1e" + 200_000 * "1" + "x",
        "loss=" + 200_000 * " " + "x",
        "loss" + 200_000 * " " + "x",
        200_000 * "loss=",
        200_000 * " loss ",
        "\x1b[" + 200_000 * "1",
        100_000 * "\x1b[1",
    ],
)
def test_long_lines_take_linear_time(line):
    """Quadratic time would be an hour for each of these."""
    assert LOSS.of_line(line) is None


def test_lines_without_a_value_are_not_taken_apart(tmp_path, monkeypatch):
    file = tmp_path / "stdout"
    file.write_bytes(b"loss=0.5\n" + b"loss\nloss=none\n" * 500_000)
    seen = []
    monkeypatch.setattr(Metric, "of_line", lambda metric, line: seen.append(line) or None)
    LOSS.of_file(file)
    assert 0 < len(seen) < 1_000_000  # the block of the value alone
    monkeypatch.undo()
    assert LOSS.of_file(file) == 0.5


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from(["loss=1", "loss", "x", "{}", '{"loss": 2}', "loss=none", ""]), max_size=20),
    st.integers(1, 30),
)
def test_the_last_value_is_that_of_the_last_line_at_any_block(tmp_path_factory, lines, block):
    file = tmp_path_factory.mktemp("lines") / "file"
    file.write_text("\n".join(lines))
    values = [value for value in map(LOSS.of_line, lines) if value is not None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric, "BLOCK", block)
        assert LOSS.of_file(file) == (values[-1] if values else None)


def test_a_tail_reads_the_end_only(tmp_path, monkeypatch):
    monkeypatch.setattr(metric, "TAIL", 100)
    file = tmp_path / "stderr"
    file.write_bytes(b"first\n" + b"\n" * 1000 + b"last\n")
    assert tail(file) == "last"
    file.write_bytes(b"first\n" + b"y" * 1000)
    assert tail(file) == "y" * 100
