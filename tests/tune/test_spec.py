"""What to tune, from a TOML file or from a command line: the same either way, and a mistake is named by its key."""

import pytest

import suffice as sf
from suffice.tune.config import of_arguments, of_file

FILE = """
command = ["python", "train.py", "--lr={lr}", "--depth", "{depth}", "--opt", "{opt}", "--epochs={epochs}"]
minimize = "loss"
trials = 30

[params]
lr = { type = "float", low = 1e-5, high = 1.0, log = true }
depth = { type = "int", low = 1, high = 10 }
opt = { type = "choice", options = ["adam", "sgd"] }
epochs = "10"
"""
PARAMS = ["lr=float:1e-5:1:log", "depth=int:1:10", "opt=choice:adam,sgd", "epochs=const:10"]
COMMAND = ["python", "train.py", "--lr={lr}", "--depth", "{depth}", "--opt", "{opt}", "--epochs={epochs}"]
AIM = {"minimize": "loss", "maximize": None}


@pytest.fixture
def read(tmp_path):
    def read(text, **given):
        file = tmp_path / "study.toml"
        file.write_text(text, encoding="utf-8")
        return of_file(file, given)

    return read


def test_a_file_and_a_command_line_say_the_same(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inline = of_arguments(PARAMS, [], COMMAND, AIM, {"trials": 30})
    file = read(FILE)
    assert file.space == inline.space
    assert list(file.space.names) == ["lr", "depth", "opt", "epochs"]
    assert file.space.params["lr"] == sf.Float(1e-5, 1.0, log=True)
    assert (file.template, file.aims, file.trials) == (inline.template, inline.aims, inline.trials)
    assert file.aims.words == {"direction": "minimize"}
    assert file.folder == inline.folder == tmp_path.resolve()
    assert file.storage == tmp_path.resolve() / "study.db"
    assert file.outputs == tmp_path.resolve() / "study.db.trials"


def test_the_same_line_is_the_same_store_and_another_command_is_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = of_arguments(PARAMS, [], COMMAND, AIM, {})
    assert first.storage == of_arguments(PARAMS[::-1], [], COMMAND, AIM, {"trials": 99, "jobs": 4}).storage
    assert first.storage != of_arguments(PARAMS, [], [*COMMAND, "--quick"], AIM, {}).storage
    assert first.storage != of_arguments(PARAMS, [], COMMAND, {"maximize": "loss"}, {}).storage


def test_what_is_given_takes_the_place_of_what_the_file_says(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path.parent)
    text = FILE.replace("trials = 30", "trials = 30\njobs = 2\nstorage = 'here.db'\ntarget = 1\ntimeout = 5.5")
    assert read(text).storage == tmp_path.resolve() / "here.db"
    found = read(text, trials=7, storage="there.db", jobs=None)
    assert (found.trials, found.jobs, found.target, found.timeout) == (7, 2, 1.0, 5.5)
    assert found.storage == tmp_path.parent / "there.db"


def test_options_on_a_command_line_are_words_and_a_json_list_has_types():
    words = of_arguments(["a=choice:1,2,x y", "b=float:0:1"], [], ["run"], AIM, {}).space.params["a"]
    assert words.options == ("1", "2", "x y")
    typed = of_arguments(['a=choice:["a,b", 2, true]', "b=float:0:1"], [], ["run"], AIM, {}).space.params["a"]
    assert typed.options == ("a,b", 2, True)


def test_steps_and_orders(read):
    params = "a = { type = 'int', low = 16, high = 64, step = 16 }\nb = { type = 'ordinal', options = ['s', 'm', 'l'] }"
    file = read(f"command = ['run']\nminimize = 'loss'\n[params]\n{params}\nc.type = 'float'\nc.low = 0\nc.high = 1\n")
    inline = of_arguments(["a=int:16:64:step=16", "b=ordinal:s,m,l", "c=float:0:1"], [], ["run"], AIM, {})
    assert (
        file.space == inline.space == sf.Space(a=sf.Int(16, 64, step=16), b=sf.Ordinal("s", "m", "l"), c=sf.Float(0, 1))
    )


def test_conditions(read):
    params = ["opt=choice:sgd,adam", "n=int:1:4", "m=float:0:1", "k=int:1:3"]
    inline = of_arguments(params, ["m:opt=sgd,adam", "m:n=2,3", "k:opt=adam"], ["run", "--m={m}"], AIM, {})
    file = read(
        "command = ['run', '--m={m}']\nminimize = 'loss'\n[params]\n"
        "opt = {type = 'choice', options = ['sgd', 'adam']}\n"
        "n = {type = 'int', low = 1, high = 4}\n"
        "m = {type = 'float', low = 0, high = 1, when = {opt = ['sgd', 'adam'], n = [2, 3]}}\n"
        "k = {type = 'int', low = 1, high = 3, when = {opt = 'adam'}}"
    )
    assert (
        file.space.params["m"] == inline.space.params["m"] == sf.Float(0, 1, when={"opt": ("sgd", "adam"), "n": (2, 3)})
    )
    assert file.space == inline.space
    with pytest.raises(ValueError, match="leaves '--m' without a value"):
        of_arguments(params, ["m:opt=sgd"], ["run", "--m", "{m}"], AIM, {})
    with pytest.raises(ValueError, match="parameter 'm': when: 'opt' never takes 'sdg'"):
        of_arguments(params, ["m:opt=sdg"], ["run"], AIM, {})
    with pytest.raises(ValueError, match="there is no parameter 'otp'"):
        of_arguments(params, ["m:otp=sgd"], ["run"], AIM, {})
    with pytest.raises(ValueError, match="'two' is no number"):
        of_arguments(params, ["m:n=two"], ["run"], AIM, {})
    with pytest.raises(TypeError, match="parameter 'm': when: wanted a table"):
        read("command = ['run']\nminimize = 'x'\nparams.m = {type = 'float', low = 0, high = 1, when = 3}")


def test_points_to_begin_with(read):
    point = '{ lr = 0.1, depth = 3, opt = "sgd", epochs = "10" }'
    assert read(f"start = [{point}]" + FILE).start == ({"lr": 0.1, "depth": 3, "opt": "sgd", "epochs": "10"},)
    with pytest.raises(ValueError, match=r"study.toml: start: .*'depth'"):
        read(f"start = [{point.replace('3', '30')}]" + FILE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minimize", "minimise", "the key 'minimise' is not known: did you mean 'minimize'"),
        ("trials = 30", "maximize = 'x'", "wanted one of minimize .* got minimize and maximize"),
        ("minimize = ", "seed = 0 #", "wanted one of minimize .* got none of them"),
        ("minimize = 'loss'", "minimize = 3", "minimize: wanted the name of a metric: got 3"),
        ("trials = 30", "trials = 0", "trials must be a whole number ≥ 1: got 0"),
        ("trials = 30", "jobs = 1.5", r"jobs must be a whole number ≥ 1: got 1\.5"),
        ("trials = 30", "timeout = -1", "timeout: wanted seconds > 0: got -1"),
        ("trials = 30", "trial_timeout = 'x'", "trial_timeout must be a number"),
        ("trials = 30", "seed = -1", "seed must be a whole number ≥ 0"),
        ("trials = 30", "target = nan", "target must be finite"),
        ("trials = 30", "storage = 3", "storage: wanted the name of a file: got 3"),
        ("trials = 30", "start = 3", "start: wanted a list of points"),
        ("trials = 30", "trials = ", "is no TOML: .*line 4"),
        ("[params]", "[parameters]", "the key 'parameters' is not known: did you mean 'params'"),
        ("{depth}", "{dept}", "place for 'dept': did you mean 'depth'"),
        ("lr = {", "../lr = {", "is no TOML"),
        ("lr = {", "'../lr' = {", "parameter '../lr': a name has letters"),
        ("log = true", "logs = true", "parameter 'lr': the key 'logs' is not known for a float: did you mean 'log'"),
        ('"float"', '"real"', "parameter 'lr': type = 'real' is not known"),
        ('type = "float", ', "", "parameter 'lr': the type is missing: wanted a table"),
        ("high = 1.0, ", "", "parameter 'lr': 'high' is missing"),
        ("low = 1e-5", "low = 0", "parameter 'lr': log=True needs low > 0"),
        ('["adam", "sgd"]', '"adam"', "parameter 'opt': options: wanted a list"),
        ('["adam", "sgd"]', '[1, "1"]', "parameter 'opt': options 1 and '1' are the same argument"),
        ('["adam", "sgd"]', "[[1], [2]]", r"parameter 'opt': an option must be a string, .* got \[1\]"),
        ('["adam", "sgd"]', r'["a\u0000", "b"]', "cannot hold a NUL"),
        ('["adam", "sgd"]', "[nan, 1.0]", "an option must be finite"),
        (
            'epochs = "10"',
            "epochs = 'float:0:1'",
            "parameter 'epochs': 'float:0:1' is the way to write it on a command",
        ),
        ('epochs = "10"', "epochs = 1979-05-27", "parameter 'epochs': a constant must be a string"),
    ],
)
def test_a_mistake_in_a_file_is_named_by_its_key(read, old, new, message):
    text = FILE.replace('minimize = "loss"', "minimize = 'loss'")
    assert old in text
    with pytest.raises((ValueError, TypeError), match=rf"study\.toml.*{message}"):
        read(text.replace(old, new, 1))


def test_a_command_in_one_string_is_refused_with_the_list_to_write(read):
    with pytest.raises(TypeError, match=r'no shell splits it: write \["python", "train.py", "\{lr\}"\]'):
        read(FILE.replace(FILE.split("\n")[1], 'command = "python train.py {lr}"'))


def test_a_file_that_is_not_there_or_is_no_text(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        of_file(tmp_path / "none.toml", {})
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="cannot be read"):
        of_file(tmp_path / "bytes.toml", {})
    with pytest.raises(ValueError, match="cannot be read"):
        of_file(tmp_path, {})


@pytest.mark.parametrize(
    ("param", "message"),
    [
        ("lr", "--param lr: wanted NAME=float:LOW:HIGH"),
        ("lr=", "wanted NAME=float:LOW:HIGH"),
        ("lr=0.1", "wanted NAME=float:LOW:HIGH"),
        ("lr=flaot:0:1", "there is no type 'flaot': did you mean 'float'"),
        ("lr=float:0", "'' is no number"),
        ("lr=float:0:x", "'x' is no number"),
        ("lr=float:0:1:lg", "'lg' is not known; wanted log or step=S"),
        ("lr=float:1:0", "parameter 'lr': low must not exceed high"),
        ("lr=int:0.5:3", "parameter 'lr': low must be a whole number"),
        ("lr=choice:[1", "is no JSON list"),
        ("a=float:0:1", "already"),
        ("a b=float:0:1", "a name has letters"),
    ],
)
def test_a_mistake_on_a_command_line_is_named(param, message):
    with pytest.raises((ValueError, TypeError), match=message):
        of_arguments(["a=float:0:1", param], [], ["run"], AIM, {})


def test_there_must_be_something_to_tune(read):
    with pytest.raises(ValueError, match="every parameter is a constant"):
        of_arguments(["a=const:1"], [], ["run"], AIM, {})
    with pytest.raises(ValueError, match="there are no parameters"):
        of_arguments([], [], ["run"], AIM, {})
    with pytest.raises(ValueError, match="--when b:a=1: there is no such parameter; there is 'a'"):
        of_arguments(["a=float:0:1"], ["b:a=1"], ["run"], AIM, {})
    with pytest.raises(ValueError, match="wanted NAME:OTHER=VALUE"):
        of_arguments(["a=float:0:1"], ["b"], ["run"], AIM, {})
