"""python -m research.compare: from the command line to the report, with peers of a few lines."""

import os
import sys
from pathlib import Path

import pytest

from research.compare.command import Installed, chosen, main, make_parser
from research.compare.contest import Cap
from research.compare.systems import SYSTEMS
from suffice.lab.results import Results

pytest.importorskip("matplotlib")

PEERS = Path(__file__).parent / "peers"


def words(tmp_path, *names, more=()):
    adapters = [f"{name}={PEERS / name}.py" for name in names]
    return ["--adapter", *adapters, "--out", str(tmp_path), "--jobs", "1", *more]


def runs(tmp_path, plan="full"):
    with Results(tmp_path / "results.db") as results:
        return results.runs(plan)


def test_the_list_says_what_is_there_and_why_the_rest_is_not(capsys):
    assert main(["--list", "--adapter", f"mine={PEERS / 'fixed.py'}"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert list(lines) == [*SYSTEMS, "mine"]
    assert "Uniform points." in lines["random"]
    assert "pip install HEBO, or --python hebo=PATH" in lines["hebo"]
    assert "Your own, fixed.py." in lines["mine"]


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for an interpreter")
def test_an_interpreter_without_the_package_is_told_apart(capsys, tmp_path):
    strange = tmp_path / "python"
    strange.write_text("#!/bin/sh\necho no Python here >&2\nexit 4\n")
    strange.chmod(0o755)
    assert main(["--list", "--python", f"random={strange}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (random,) = (line for line in lines if line.startswith("random"))
    assert "its process ended with exit code 4; its last words: no Python here" in random
    assert any(line.startswith("sobol") and "Sobol sequence" in line for line in lines)


@pytest.mark.parametrize("program", ["ls", "echo", "yes"])
@pytest.mark.skipif(os.name != "posix", reason="programs of POSIX stand for an interpreter")
def test_a_program_that_is_no_python_is_told_apart(program, capsys):
    assert main(["--list", "--python", f"random={program}"]) == 0
    (random,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("random"))
    assert "is it a Python interpreter?" in random


def test_a_name_may_look_like_a_formula(tmp_path):
    name = r"$\frac{$"
    given = ["--adapter", f"{name}={PEERS / 'fixed.py'}", "--out", str(tmp_path), "--jobs", "1"]
    given += ["--systems", name, "random", "--problems", "branin", "--budget", "2", "--seeds", "1"]
    assert main(given) == 0
    assert name in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "$" in (tmp_path / "figures" / "regret.svg").read_text(encoding="utf-8")


def test_a_full_disk_leaves_the_old_report_whole(tmp_path, monkeypatch, capsys):
    given = words(tmp_path, "fixed", more=["--systems", "fixed", "--problems", "branin", "--budget", "2"])
    assert main([*given, "--seeds", "1"]) == 0
    before = (tmp_path / "report.html").read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("suffice.store.files.os.fsync", full)
    assert main([*given, "--seeds", "2"]) == 1
    assert "No space left" in capsys.readouterr().err
    assert (tmp_path / "report.html").read_bytes() == before
    assert list(tmp_path.rglob("*.tmp")) == []


def test_a_comparison_goes_on_when_a_peer_crashes_and_is_not_repeated(tmp_path, capsys):
    given = words(tmp_path, "centre", "crashes", "fixed", more=["--systems", "random", "centre", "crashes", "fixed"])
    given += ["--problems", "branin", "--budget", "3", "--seeds", "2", "--cap", "fixed=1x2"]
    assert main(given) == 3
    said = capsys.readouterr()
    assert "full/branin/crashes/0 failed: PeerFailed: crashes, step 2: its process ended with exit code 7" in said.err
    assert "out of luck" in said.err
    table = said.out.splitlines()
    assert table[0].startswith("System")
    assert {line.split()[0] for line in table[1 : table.index("")]} == {"Random", "centre", "fixed"}
    assert table[-2].startswith("Branin ")
    assert table[-1] == str(tmp_path / "report.html")
    done = runs(tmp_path)
    assert [(run.method, run.seed, len(run.points)) for run in done] == [
        ("centre", 0, 3),
        ("centre", 1, 3),
        ("fixed", 0, 2),
        ("random", 0, 3),
        ("random", 1, 3),
    ]
    assert main([*given, "--systems", "random", "centre"]) == 3  # the crash is tried again, nothing else
    assert [run.seconds for run in runs(tmp_path)] == [run.seconds for run in done]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "--budget 3 --seeds 2 --cap fixed=1x2" in page


def test_with_noise_it_is_another_comparison(tmp_path):
    given = words(
        tmp_path, "fixed", more=["--systems", "fixed", "--problems", "branin", "--budget", "1", "--seeds", "1"]
    )
    assert main(given) == 0
    assert main([*given, "--noise", "0.01"]) == 0
    (quiet,), (noisy,) = runs(tmp_path), runs(tmp_path, "full-noise-0.01")
    assert quiet.points != noisy.points


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--systems", "optunna"], "no system is called 'optunna'; there are suffice, suffice_logei"),
        (["--systems", "hebo"], "hebo cannot be used: HEBO not installed: pip install HEBO"),
        (["--systems", "random", "--problems", "brainin"], "there is no problem 'brainin'"),
        (["--systems", "random", "--cap", "random=0"], "--cap random=0: wanted a system that takes part"),
        (["--systems", "random", "--cap", "sobol=1"], "--cap sobol=1: wanted a system that takes part"),
        (["--python", "random=/nowhere/python"], "/nowhere/python is no Python interpreter"),
        (["--python", "rnadom=python"], "no system is called 'rnadom'"),
        (["--adapter", "random=x.py"], "there is a system of that name already"),
        (["--adapter", "mine=/nowhere/x.py"], "No such file"),
    ],
)
def test_wrong_words_are_refused_before_anything_runs(more, message, tmp_path, capsys):
    assert main(["--out", str(tmp_path / "x"), *more]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("more", [["--noise", "-1"], ["--noise", "much"], ["--python", "random"], ["--seeds", "0"]])
def test_wrong_usage_is_refused(more, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*more])
    assert stopped.value.code == 2
    assert "wanted" in capsys.readouterr().err


class TestChosen:
    """What the options make of the plan."""

    @pytest.fixture
    def contest(self, monkeypatch):
        def made(*more):
            given = make_parser().parse_args([*more])
            systems = [Installed(SYSTEMS[name], sys.executable, {}, "") for name in ("random", "ax", "cma")]
            monkeypatch.setattr(Installed, "why_not", "")
            return chosen(given, systems)

        return made

    def test_named_problems_are_for_all_systems(self, contest):
        found = contest("--problems", "levy7", "branin", "levy7")
        assert [task.problem for task in found.plan.tasks] == ["levy7", "branin"]
        assert {job.task.problem for job in found.plan.jobs() if job.method.name == "ax"} == {"levy7", "branin"}
        assert {job.task.iterations for job in found.plan.jobs() if job.method.name == "ax"} == {60}

    def test_caps_can_be_changed_and_lifted(self, contest):
        boxes = ("--problems", "branin", "levy5")
        assert contest("--cap", "cma=3", "ax=1x5", *boxes).plan.caps["cma"] == Cap(seeds=3)
        assert contest("--cap", "cma=3", "ax=1x5", *boxes).plan.caps["ax"] == Cap(seeds=1, iterations=5)
        lifted = contest("--cap", "ax=none", "--seeds", "4", *boxes)
        assert len([job for job in lifted.plan.jobs() if job.method.name == "ax"]) == 4 * len(lifted.plan.tasks)

    def test_no_cap_and_no_name_gives_choices_to_a_system_of_boxes(self, contest):
        found = contest("--problems", "branin", "reaction3", "--cap", "ax=none")
        jobs = {(job.method.name, job.task.problem) for job in found.plan.jobs()}
        assert jobs == {("random", "branin"), ("random", "reaction3"), ("ax", "branin"), ("cma", "branin")}

    def test_a_group_stands_for_its_problems(self, contest):
        found = [task.problem for task in contest("--problems", "places", "branin", "two_way").plan.tasks]
        assert len(found) == len(set(found)) == 23
        assert {"two_way", "reaction200", "basins6d201", "branin"} <= set(found)
        assert len(contest("--problems", "functions").plan.tasks) == 16

    def test_the_quick_version_stays_quick_on_other_problems(self, contest):
        assert {task.iterations for task in contest("--quick", "--problems", "levy7").plan.tasks} == {15}
        assert {task.iterations for task in contest("--quick", "--budget", "4").plan.tasks} == {4}

    def test_patience_is_passed_on(self, contest):
        assert {entrant.timeout for entrant in contest("--timeout", "7").entrants} == {7.0}


def test_on_choices_systems_of_boxes_are_left_out_and_that_is_said(tmp_path, capsys):
    given = words(tmp_path, "fixed", "corner", more=["--systems", "fixed", "corner", "random"])
    assert main([*given, "--problems", "reaction3", "two_way", "--budget", "2", "--seeds", "1"]) == 0
    said = capsys.readouterr()
    sentence = "Given boxes of floats only, and so without part in Reaction, Two way: fixed."
    assert said.err.startswith(f"suffice: {sentence}\n")
    assert {line.split()[0] for line in said.out.splitlines()[1:3]} == {"corner", "Random"}
    assert "> 12" in said.out  # ten points of the design, and two
    assert sentence in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert {run.method for run in runs(tmp_path)} == {"corner", "random"}
