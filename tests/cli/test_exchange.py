"""suffice ask, import, export and show: a study from the command line."""

import csv
import io
import json
import sys

import pytest

import suffice as sf
from suffice.cli import main

SPACE = {"x": sf.Float(0, 1), "kind": sf.Choice("a", "=b")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here, capsys):
    """Run a command; what it printed, and its errors."""

    def call(*arguments, code=0):
        assert main([str(argument) for argument in arguments]) == code
        return capsys.readouterr()

    return call


@pytest.fixture
def study(here):
    """A study with a trial of every state."""
    with sf.Optimizer(SPACE, storage="run.db", seed=0) as opt:
        done, failed, cancelled, *_ = opt.ask(5)
        opt.tell(done, 0.5, seconds=2)
        opt.fail(failed, "MemoryError: too large", cause="raised")
        opt.cancel(cancelled)
    return "run.db"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_export_prints_a_table_of_all_trials_or_of_the_pending_ones(run, study):
    table = rows(run("export", study).out)
    assert [row["state"] for row in table] == ["done", "failed", "cancelled", "pending", "pending"]
    assert {row["study"] for row in table} == {"run.db"}
    assert [row["number"] for row in rows(run("export", study, "--pending").out)] == ["3", "4"]


def test_export_writes_json_lines_by_option_or_by_the_name_of_the_file(run, study, here):
    lines = [json.loads(line) for line in run("export", study, "--format", "jsonl").out.splitlines()]
    assert [line["number"] for line in lines] == [0, 1, 2, 3, 4]
    said = run("export", study, "-o", "all.jsonl")
    assert (said.out, said.err) == ("", "5 trials written to all.jsonl\n")
    assert [json.loads(line) for line in (here / "all.jsonl").read_text().splitlines()] == lines


def test_export_without_a_standard_output_says_what_to_do(run, study, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", None)  # closed by who called
        assert main(["export", study]) == 1
    assert "name a file, -o FILE" in run("show", study).err


def test_export_can_write_decimal_commas(run, study, here):
    run("export", study, "--decimal-comma", "-o", "all.csv")
    assert "0;done;0," in (here / "all.csv").read_text()


def test_export_and_show_read_a_saved_result_too(run, here):
    sf.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=3, seed=0).save("run.json")
    assert len(rows(run("export", "run.json").out)) == 3
    assert "3: done 3" in run("show", "run.json").out


def test_a_study_is_exported_and_shown_while_it_is_open(run, study):
    with sf.Optimizer.resume(study) as opt:
        opt.ask()
        assert len(rows(run("export", study).out)) == 6
        assert "6: done 1" in run("show", study).out


def test_salvage_brings_out_what_is_whole_and_says_what_is_lost(run, here):
    with sf.Optimizer(SPACE, storage="run.db", seed=0) as opt:
        for trial in opt.ask(4):
            opt.tell(trial, trial.number + 0.125)
    whole = run("export", "run.db").out
    assert run("export", "run.db", "--salvage").out == whole
    content = (here / "run.db").read_bytes()
    assert content.count(b"2.125") == 1
    (here / "run.db").write_bytes(content.replace(b"2.125", b"9.125"))
    assert "does not match its checksum" in run("export", "run.db", code=1).err
    said = run("export", "run.db", "--salvage", code=3)
    assert [row["value"] for row in rows(said.out)] == ["0.125", "1.125", "", "3.125"]
    assert said.err.startswith("suffice: ")


def test_import_tells_what_is_new_and_says_how_much_that_is(run, study, here):
    (here / "results.csv").write_text("number,value\n3,1.5\n4,\n0,0.5\n")
    assert run("import", "results.csv", study).out == "recorded 1, already known 1, still pending 1\n"
    assert run("import", "results.csv", "--study", study).out == "recorded 0, already known 2, still pending 1\n"
    assert sf.load(study).trials[3].value == 1.5


def test_import_finds_the_study_that_the_table_names_here_or_beside_it(run, study, here, monkeypatch):
    run("export", study, "--pending", "-o", "batch.csv")
    run("export", study, "--pending", "-o", "batch.jsonl")
    run("export", study, "--pending", "--decimal-comma", "-o", "comma.csv")
    for name in ("batch.csv", "batch.jsonl", "comma.csv"):
        assert run("import", name).out == "recorded 0, already known 0, still pending 2\n"
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert run("import", here / "batch.csv").out == "recorded 0, already known 0, still pending 2\n"
    (here / "run.db").rename(here / "other.db")
    assert (
        "belongs to the study run.db, which is neither in this folder" in run("import", here / "batch.csv", code=1).err
    )


@pytest.mark.parametrize("name", ["../run.db", "/etc/passwd", "..\\run.db", "..", "C:run.db", "a/run.db"])
def test_a_table_cannot_choose_a_file_outside_the_folder(run, study, here, name):
    (here / "results.csv").write_text(f"number,value,study\n3,1.5,{name}\n")
    assert "wanted a name without a folder" in run("import", "results.csv", code=1).err
    assert sf.load(study).trials[3].state == "pending"


def test_a_table_that_names_no_study_or_several_is_refused(run, study, here):
    (here / "results.csv").write_text("number,value\n3,1.5\n")
    assert "has no column study: name the study" in run("import", "results.csv", code=1).err
    (here / "results.csv").write_text("number,value,study\n3,1.5,a.db\n3,1.5,b.db\n")
    assert "has rows of several studies, a.db, b.db" in run("import", "results.csv", code=1).err


def test_a_wrong_row_is_an_error_with_its_line_and_nothing_is_written(run, study, here):
    (here / "results.csv").write_text("number,value\n3,1.5\n4,x\n0,7\n")
    said = run("import", "results.csv", study, code=1).err
    assert said.startswith("suffice: results.csv, line 3: value is 'x'")
    assert "\nresults.csv, line 4: trial 0 already has 0.5: got 7.0" in said
    assert [trial.state for trial in sf.load(study).trials[3:]] == ["pending", "pending"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "run.db", "results.csv"], "run.db is a database: give the table first, then the study"),
        (["import", "results.csv", "run.json"], "run.json is a saved result, which is final"),
        (["import", "results.csv", "none.db"], "no study at none.db: create one with"),
        (["import", "none.csv", "run.db"], "none.csv"),
        (["ask", "none.db"], "no study at none.db: create one with"),
        (["ask", "run.json"], "run.json is a saved result"),
        (["show", "none.db"], "none.db"),
        (["export", "results.csv"], "results.csv is no result file, or damaged"),
        (["export", "run.db", "-o", "no/folder.csv"], "The folder of the file does not exist"),
    ],
)
def test_what_cannot_be_used_is_an_error_in_one_line(run, study, here, arguments, words):
    (here / "results.csv").write_text("number,value\n3,1.5\n")
    sf.Optimizer([(0, 1)], seed=0).result().save("run.json")
    said = run(*arguments, code=1)
    assert said.out == ""
    assert said.err.startswith("suffice: ")
    assert said.err.count("\n") == 1
    assert words in said.err


def test_ask_makes_a_study_goes_on_with_it_and_refuses_another_space(run, here):
    words = ["--param", "T=float:20:80", "--param", "acid=choice:HCl,HNO3", "--seed", "1"]
    first = rows(run("ask", "lab.db", "-n", "2", "--maximize", *words).out)
    assert [row["number"] for row in first] == ["0", "1"]
    second = rows(run("ask", "lab.db").out)
    third = rows(run("ask", "lab.db", *words).out)
    assert [row["number"] for row in (*second, *third)] == ["2", "3"]
    with sf.Optimizer({"T": sf.Float(20, 80), "acid": sf.Choice("HCl", "HNO3")}, direction="maximize", seed=1) as opt:
        assert [float(row["T"]) for row in (*first, *second, *third)] == [t.point["T"] for t in opt.ask(4)]
    assert sf.load("lab.db").settings.direction == "maximize"
    assert (
        "space, T: " in run("ask", "lab.db", "--param", "T=float:20:90", "--param", "acid=choice:HCl,HNO3", code=1).err
    )


@pytest.mark.parametrize("param", ["T", "T=float:1", "T=foat:0:1", "T=float:9:1", "T=choice:"])
def test_a_parameter_that_cannot_be_is_wrong_usage_and_makes_no_file(param, here, capsys):
    with pytest.raises(SystemExit) as left:
        main(["ask", "lab.db", "--param", param])
    assert left.value.code == 2
    assert "see suffice ask --help" in capsys.readouterr().err
    assert list(here.iterdir()) == []


def test_ask_makes_a_study_with_conditional_parameters(run, here, capsys):
    words = ["--param", "acid=choice:HCl,HNO3", "--param", "drops=int:1:9", "--when", "drops:acid=HCl", "--seed", "1"]
    table = rows(run("ask", "lab.db", "-n", "6", *words).out)
    assert {row["acid"] for row in table} == {"HCl", "HNO3"}
    assert all(bool(row["drops"]) == (row["acid"] == "HCl") for row in table)
    for wrong in (["lab.db", *words[4:6]], ["new.db", *words[:2], *words[4:6]]):
        with pytest.raises(SystemExit):
            main(["ask", *wrong])
    said = capsys.readouterr().err
    assert "--reference and --initial apply only to a new study" in said
    assert "--when drops:acid=HCl: there is no such parameter" in said


def test_a_study_with_a_function_in_it_is_shown_and_told_and_asked_in_python(run, here):
    space = sf.Space(
        x=sf.Float(0, 1), n=sf.Int(1, 3, when={"k": "a"}), k=sf.Choice("a", "b"), where=lambda p: p["x"] < 1
    )
    with sf.Optimizer(space, storage="run.db", seed=0) as opt:
        opt.ask(2)
    said = run("show", "run.db").out
    assert "n  Int(low=1, high=3, when={'k': 'a'})" in said
    assert "where " in said
    (here / "results.csv").write_text("number,value\n0,1.5\n")
    assert run("import", "results.csv", "run.db").out.startswith("recorded 1,")
    assert "a file cannot hold a function" in run("ask", "run.db", code=1).err
    with sf.Optimizer.resume("run.db", space=space) as opt:
        assert opt.ask().number == 2


def test_points_whose_table_could_not_be_written_are_not_pending(run, study):
    run("ask", study, "-n", "2", "-o", "no/folder.csv", code=1)
    assert [trial.state for trial in sf.load(study).trials[5:]] == ["cancelled"] * 2


def test_show_says_what_a_person_wants_to_see(run, study):
    said = run("show", study).out
    for words in (
        "x     Float(low=0.0, high=1.0)",
        "kind  Choice('a', '=b')",
        "direction    minimize",
        "model        GP()",
        "5: done 1, failed 1, pending 2, cancelled 1",
        "failures by cause: raised 1",
        "the last one, trial 1: MemoryError: too large",
        "Pending: 2",
        "trial 0  0.5  x=",
    ):
        assert words in said, words


def test_show_gives_the_verdict_of_a_run_and_settings_that_are_not_the_default(run, here):
    sf.minimize(
        lambda x: float(x[0]),
        [(0, 1)],
        n_trials=8,
        seed=0,
        storage="run.db",
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(30)),
        repeat=True,
    )
    said = run("show", "run.db").out
    assert "solver       Grid(size=Fixed(n=30))" in said
    assert "repeat       yes" in said
    assert "cquisition maximization" in said


def test_names_and_reasons_do_not_steer_the_terminal(run, here):
    name = "\x1b[2J" + "n" * 1000
    with sf.Optimizer({name: sf.Choice("\x1b]0;x\x07", "b")}, storage="run.db", seed=0) as opt:
        opt.fail(opt.ask(), "\x1b[31mred\r\n" * 30)
        opt.ask()
    said = run("show", "run.db").out
    assert "\x1b" not in said
    assert "\r" not in said
    assert max(map(len, said.splitlines())) < 300


def test_the_reader_of_a_table_that_has_seen_enough_is_no_error(study, run, monkeypatch):
    class Closed(io.BytesIO):
        def write(self, data):
            raise BrokenPipeError

    class Out(io.TextIOWrapper):
        def fileno(self):
            return 1

    monkeypatch.setattr("suffice.cli.os.dup2", lambda *descriptors: None)
    monkeypatch.setattr(sys, "stdout", Out(Closed()))
    assert main(["export", study]) == 0
    sys.stdout.detach()


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert all(f"    {word} " in said for word in ("ask", "import", "export", "show"))


def test_ask_suggests_the_rest_of_values_that_are_fixed(run, study, capsys):
    table = rows(run("ask", study, "-n", "3", "--fix", "kind==b", "--fix", "x=0.25").out)
    assert [(row["x"], row["kind"]) for row in table] == [("0.25", "'=b")]
    assert [t.fixed for t in sf.load(study).trials[5:]] == [{"x": 0.25, "kind": "=b"}]
    assert {row["x"] for row in rows(run("ask", study, "-n", "2", "--fix", "x=1").out)} == {"1.0"}
    for wrong, answer in (
        ("kin=a", "'kin', which is not a parameter: did you mean 'kind'?"),
        ("x=2", "parameter 'x': 2.0 is outside the bounds"),
        ("x=two", "x is 'two': wanted a number"),
        ("x", "wanted NAME=VALUE: got 'x'"),
    ):
        with pytest.raises(SystemExit) as ended:
            run("ask", study, "--fix", wrong)
        assert ended.value.code == 2
        assert answer in capsys.readouterr().err


@pytest.mark.parametrize("again", [("ask", "-n", 2), ("export", "--pending"), ("export",)])
def test_a_table_that_is_filled_in_is_not_replaced_before_it_was_read(again, run, study, here):
    run("export", study, "--pending", "-o", "batch.csv")
    table = here / "batch.csv"
    filled = table.read_text().replace(",,", ",0.25,", 1)
    table.write_text(filled)
    command, *options = again
    error = run(command, study, *options, "-o", "batch.csv", code=1).err
    assert "import it first, suffice import batch.csv run.db, or name another file" in error
    assert table.read_text() == filled
    assert len(sf.load(study).trials) == 5  # nothing was asked for, and nothing cancelled
    run("import", "batch.csv")
    run(command, study, *options, "-o", "batch.csv")
    assert table.read_text() != filled


def test_a_table_with_a_slip_of_the_pen_is_not_replaced_either(run, study, here):
    run("export", study, "--pending", "-o", "batch.csv")
    table = here / "batch.csv"
    table.write_text(table.read_text().replace(",,", ",0.2S,", 1))
    assert "import it first" in run("export", study, "--pending", "-o", "batch.csv", code=1).err


def test_what_an_export_of_an_earlier_study_wrote_is_not_replaced(run, study, here):
    run("export", study, "-o", "all.csv")
    (here / "run.db").unlink()
    with sf.Optimizer(SPACE, storage="run.db", seed=1) as opt:
        opt.tell(opt.ask(), 7.0)
    assert "name another file" in run("export", study, "-o", "all.csv", code=1).err


def test_a_table_of_another_study_is_neither_replaced_nor_imported_by_its_numbers(run, study, here):
    with sf.Optimizer(SPACE, storage="other.db", seed=0) as opt:
        opt.ask(5)
    run("export", "other.db", "--pending", "-o", "batch.csv")
    for command in (("ask", study), ("export", study)):
        error = run(*command, "-o", "batch.csv", code=1).err
        assert "batch.csv is a table of the study other.db: name another file" in error
    table = here / "batch.csv"
    table.write_text(table.read_text().replace(",,", ",0.25,", 1))
    assert "trial 0 belongs to the study other.db, not run.db" in run("import", "batch.csv", study, code=1).err


@pytest.mark.parametrize(
    ("column", "said"),
    [("note", "has values or notes that are not in the study: import it first"), ("weather", "weather: name another")],
)
def test_a_table_with_notes_or_columns_of_ones_own_is_not_replaced_before_it_was_read(column, said, run, study, here):
    run("export", study, "--pending", "-o", "batch.csv")
    table = here / "batch.csv"
    head, *lines = table.read_text().splitlines()
    table.write_text("\n".join([f"{head},{column}", *(f"{line},humid" for line in lines)]) + "\n")
    assert said in run("ask", study, "-o", "batch.csv", code=1).err
    if column == "note":
        run("import", "batch.csv")
        run("ask", study, "-o", "batch.csv")
        assert [row["note"] for row in rows(table.read_text())] == ["humid", "humid", ""]


def test_import_replaces_a_wrong_value_on_request(run, study, here):
    (here / "right.csv").write_text("number,value\n0,51.2\n")
    assert "trial 0 already has 0.5: got 51.2" in run("import", "right.csv", study, code=1).err
    said = run("import", "right.csv", study, "--correct").out
    assert said == "recorded 1, corrected 1, already known 0, still pending 0; pending in other tables 2\n"
    assert sf.load(study).trials[0].value == 51.2


def test_ask_makes_a_study_with_an_inequality_and_the_size_of_its_initial_design(run, here, capsys):
    words = [
        "--param",
        "x=float:0:4",
        "--param",
        "n=int:1:10",
        "--where",
        "x * n <= 8",
        "--initial",
        "3",
        "--seed",
        "1",
    ]
    table = rows(run("ask", "lab.db", "-n", "6", *words).out) + rows(run("ask", "lab.db", "-n", "2").out)
    assert len(table) == 8
    assert all(float(row["x"]) * int(row["n"]) <= 8 for row in table)
    with sf.Optimizer.resume("lab.db") as opt:
        assert opt.settings.n_initial == 3
        assert opt.ask().number == 8
    for option in (["--where", "x <= 1"], ["--initial", "3"]):
        with pytest.raises(SystemExit):
            main(["ask", "lab.db", *option])
        assert "apply only to a new study" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["ask", "new.db", *words[:4], "--at-most", "x*n=8"])
    assert "write --where 'x*n <= …'" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["-o", "batch.xlsx"], ["--where", "x >= 2"], ["-o", "no/folder.csv"]])
def test_an_ask_that_is_refused_leaves_no_new_study(wrong, run, here):
    words = ["ask", "new.db", "--param", "x=float:0:1"]
    run(*words, *wrong, code=1)
    assert list(here.iterdir()) == []
    run(*words[:2], "--param", "x=float:0:2")


def test_ask_says_when_the_space_has_fewer_points_and_options_lose_the_spaces_around_them(run, here):
    said = run("ask", "lab.db", "-n", "5", "--param", "acid=choice:HCl, HNO3")
    assert {row["acid"] for row in rows(said.out)} == {"HCl", "HNO3"}
    assert said.err == "suffice: only 2 points, not 5: every other point was already proposed\n"


@pytest.mark.parametrize("command", ["ask", "export"])
def test_a_table_is_not_given_the_name_of_a_workbook(command, run, study, here):
    error = run(command, study, "-o", "batch.xlsx", code=1).err
    assert "a table is written as CSV: name it batch.csv" in error
    assert not (here / "batch.xlsx").exists()
    assert len(sf.load(study).trials) == 5


def test_ask_keeps_the_rows_of_its_file_that_are_still_open(run, here):
    first = run("ask", "lab.db", "-n", "3", "--seed", "1", "--param", "x=float:0:1", "-o", "batch.csv")
    assert first.err == "3 trials written to batch.csv\n"
    table = (here / "batch.csv").read_text().splitlines()
    assert table[1].startswith("0,pending,")
    table[1] = table[1].replace(",pending,", ",,", 1)
    columns = table[0].split(",")
    cells = table[1].split(",")
    cells[columns.index("value")] = "0.5"
    table[1] = ",".join(cells)
    (here / "batch.csv").write_text("\n".join(table) + "\n")
    run("import", "batch.csv", "lab.db")
    with sf.Optimizer.resume("lab.db") as opt:
        elsewhere = opt.ask().number  # pending as well, and not of this table
    again = run("ask", "lab.db", "-n", "2", "-o", "batch.csv")
    assert again.err == "4 trials written to batch.csv, 2 of them still pending from before\n"
    numbers = [int(row["number"]) for row in rows((here / "batch.csv").read_text())]
    assert numbers == [1, 2, elsewhere + 1, elsewhere + 2]
    assert "of them still pending" not in run("ask", "lab.db", "-o", "other.csv").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tun"], "did you mean tune?; see suffice --help"),
        (["tune", "--minimise", "loss"], "did you mean --minimize?; see suffice tune --help"),
        (["ask", "x.db", "--maximise"], "did you mean --maximize?; see suffice ask --help"),
        (["tune", "--pruner", "medan"], "did you mean median?; see suffice tune --help"),
        (["show"], "the following arguments are required: STUDY; see suffice show --help"),
        (["ask", "x.db", "-n", "0"], "argument -n: wanted a whole number, at least 1: got '0'; see suffice ask --help"),
    ],
)
def test_wrong_usage_is_one_line_with_the_nearest_word(capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"{said}\n")
