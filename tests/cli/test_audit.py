"""The command `suffice`: tables, JSON, helpful errors, exit codes."""

import importlib
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

import suffice as sf
from suffice.cli import main
from suffice.paper.theorems import bounds
from suffice.record.history import History
from suffice.record.trial import Asked
from suffice.result.coverage import coverage


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


@pytest.fixture(scope="module")
def result():
    return sf.minimize(
        bowl,
        [(0, 1)],
        8,
        seed=0,
        n_initial=4,
        aim="regret",
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(30)),
        diagnostics=sf.solvers.Diagnostics(proof_seconds=0.1),
    )


@pytest.fixture(scope="module")
def file(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "run.json"
    result.save(path)
    return str(path)


@pytest.fixture(scope="module")
def table(result):
    return str(sf.audit(result))


def test_audit_ends_with_the_papers_bounds_and_what_they_rest_on(file, table, capsys):
    assert main(["audit", file]) == 0
    added = capsys.readouterr().out.partition(table)[2]
    assert "Theorem 1, observed  R_T ≤ " in added
    assert "Theorem 1            no number" in added
    assert added.count("  - B is not known") == 1


def test_audit_says_where_the_run_did_not_look(tmp_path, capsys):
    path = str(tmp_path / "run.json")
    sf.minimize(
        lambda x: float(x[0]), [(0, 1)], 6, x0=[[0.0]], seed=0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(30))
    ).save(path)
    assert main(["audit", path]) == 0
    assert "\nExplored parts of the space:\n" in (text := capsys.readouterr().out)
    assert text.endswith(
        "The paper's regret bounds give no number for this run; --json lists the assumptions that fail.\n"
    )
    assert "the lower bound of x[0] (0.0)" in text
    assert main(["audit", path, "--json"]) == 0
    assert "bounds" in [finding["name"] for finding in json.loads(capsys.readouterr().out)["coverage"]]


def test_audit_prints_the_table(file, table, capsys):
    assert main(["audit", file]) == 0
    captured = capsys.readouterr()
    assert f"\n\n{table}\n" in captured.out
    assert captured.err == ""


def test_audit_begins_with_the_verdict_of_the_audited_steps_and_what_to_do(file, result, capsys):
    assert main(["audit", file]) == 0
    words = " ".join(capsys.readouterr().out.split())
    meaning, _, words = words.partition(". ")
    assert meaning == "A far longer search would have chosen the same points in 4 of 4 steps"
    assert words.startswith("Acquisition maximization was accurate enough in")
    assert "In 4 audited steps a far longer search found nothing better" in words
    assert main(["audit", file, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert words.startswith(" ".join(plain["verdict"]))
    assert all(finding["sentence"] in words for finding in plain["remedies"])
    assert "audited" not in str(result.accuracy)  # the run itself had no audit


def test_audit_prints_json_on_demand(file, result, capsys):
    assert main(["audit", file, "--json", "--every", "2"]) == 0
    plain = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    stated, looked = plain.pop("bounds"), plain.pop("coverage")
    del plain["verdict"], plain["remedies"]
    assert looked == [asdict(finding) for finding in coverage(result.history)]
    assert {name: bound["value"] for name, bound in stated.items()} == {n: b.value for n, b in bounds(result).items()}
    assert plain == json.loads(json.dumps(sf.audit(result, every=2).plain()))
    assert [step["t"] for step in plain["steps"]] == [1, 3]


def test_several_processes_give_the_same_table(file, table, capsys):
    assert main(["audit", file, "--jobs", "2"]) == 0
    assert f"\n\n{table}\n" in capsys.readouterr().out


def command(*arguments, **words):
    return subprocess.run(
        [sys.executable, "-m", "suffice", *arguments], capture_output=True, text=True, check=False, **words
    )


def test_the_package_can_be_run_as_a_module(file, table):
    done = command("audit", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n\n{table}\n" in done.stdout


def test_the_installed_command_is_this_one():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, name = project["scripts"]["suffice"].split(":")
    assert getattr(importlib.import_module(module), name) is main


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"suffice {sf.__version__}\n"


def test_help_names_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    text = capsys.readouterr().out
    assert "--every N" in text
    assert "3  some steps could not be rebuilt" in text


@pytest.mark.parametrize(
    "arguments",
    ["", "unheard-of", "audit", "audit f --every 0", "audit f --jobs -1", "audit f --jobs x", "audit f --every ²"],
)
def test_wrong_usage_has_the_exit_code_2_and_says_how_to_use_it(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments.split())
    assert left.value.code == 2
    assert "see suffice" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_an_error_in_one_line(tmp_path, capsys):
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"format": "suffice result", "version": 99}')
    for path, words in (
        (tmp_path / "none.json", "there is no file"),
        (damaged, "version 99"),
        (tmp_path, "is a directory"),
    ):
        assert main(["audit", str(path)]) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("suffice: ")
        assert captured.err.count("\n") == 1
        assert words in captured.err


@dataclass(frozen=True)
class Mine:
    """Somebody's own acquisition."""

    def __call__(self, beliefs, domain, *, step, rng):
        return sf.UCB()(beliefs, domain, step=step, rng=rng)


def test_a_part_of_ones_own_sends_the_user_to_python(tmp_path, capsys):
    path = tmp_path / "run.json"
    sf.minimize(bowl, [(0, 1)], 5, seed=0, n_initial=4, acquisition=Mine()).save(path)
    assert main(["audit", str(path)]) == 1
    assert "Mine(); pass it yourself, audit(result, acquisition=…)" in capsys.readouterr().err


def test_steps_that_were_not_rebuilt_have_an_exit_code_of_their_own(result, tmp_path, capsys):
    asked = max(i for i, event in enumerate(result.history.events) if isinstance(event, Asked))
    events = list(result.history.events)
    events[asked] = replace(events[asked], report=replace(events[asked].report, value=events[asked].report.value + 1))
    path = tmp_path / "run.json"
    sf.Result(result, history=History.of(events)).save(path)
    assert main(["audit", str(path)]) == 3
    assert "not rebuilt: alpha_t is" in capsys.readouterr().out


def test_an_interrupt_ends_it_quietly(file, capsys, monkeypatch):
    def interrupted(*args, **words):
        raise KeyboardInterrupt

    monkeypatch.setattr("suffice.cli.audit.audit", interrupted)
    assert main(["audit", file]) == 130
    assert capsys.readouterr().err == "suffice: interrupted\n"


def test_a_reader_that_has_seen_enough_is_no_error(file):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.Popen([sys.executable, "-m", "suffice", "audit", file], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.communicate()[1] == b""
    assert done.returncode == 0


@pytest.mark.parametrize("installed", [True, False])
def test_a_terminal_gets_a_bar_where_rich_is_installed_and_lines_elsewhere(installed, file, table, capsys, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    if not installed:
        monkeypatch.setattr("suffice.run.progress.find_spec", lambda name: None)
        monkeypatch.setitem(sys.modules, "rich.progress", None)  # importing it would fail
    assert main(["audit", file]) == 0
    captured = capsys.readouterr()
    assert f"\n\n{table}\n" in captured.out
    assert "4 of 4 steps" in captured.err
    assert (captured.err.count("\r") > 0) == installed  # a bar goes back to the start of its line
