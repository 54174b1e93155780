"""What is whole in a damaged study comes out, whatever the damage, and what is lost is said."""

import random

import pytest

import suffice as sf
from suffice.errors import UnreadableFile, UnusableFile
from suffice.record.recovery import salvage

SPACE = sf.Space(x=sf.Float(0, 1), kind=sf.Choice("a", "b"))
FAST = sf.solvers.Grid(size=sf.solvers.Fixed(50))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.db"
    with sf.Optimizer(SPACE, seed=0, n_initial=3, solver=FAST, storage=path) as opt:
        for i in range(16):
            trial = opt.ask()
            if i % 5 == 4:
                opt.fail(trial, "line\n" * 2000)  # longer than a page
            else:
                opt.tell(trial, trial.point["x"] ** 2)
        opt.ask()
    return path


def known(trial):
    return trial.number, trial.point, trial.state, trial.value, trial.cause, trial.solve and trial.solve.value


def test_of_a_whole_study_nothing_is_lost(whole):
    saved, loaded = salvage(whole), sf.load(whole)
    assert saved.lost == ()
    assert saved.events == 34
    assert list(map(known, saved.trials)) == list(map(known, loaded.trials))
    assert saved.settings == loaded.settings


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_damaged_the_rest_comes_out_and_nothing_false_does(whole, tmp_path, seed):
    data, draw = bytearray(whole.read_bytes()), random.Random(seed)
    for _ in range(3):
        size, place = draw.choice([(1, 1), (100, 1), (4096, 4096)])
        at = draw.randrange(3 * 4096, len(data) - size) // place * place  # after the schema and the start
        data[at : at + size] = draw.randbytes(size)
    path = tmp_path / "damaged.db"
    path.write_bytes(data)
    truth = {trial.number: trial for trial in sf.load(whole).trials}
    saved = salvage(path)
    assert saved.events + sum(_count(sentence) for sentence in saved.lost) >= 34
    for trial in saved.trials:
        assert trial.point == truth[trial.number].point
        assert trial.value in (None, truth[trial.number].value)
    if saved.lost:
        with pytest.raises(UnreadableFile, match="damaged"):
            sf.load(path)


def _count(sentence):
    words = sentence.split()
    if words[0] == "event":
        return 1
    return int(words[3]) - int(words[1]) + 1 if words[0] == "events" else 0


def test_a_file_that_sqlite_cannot_open_still_gives_its_trials(whole, tmp_path):
    path = tmp_path / "damaged.db"
    data = whole.read_bytes()
    path.write_bytes(b"\0" * 60 + data[60:])
    with pytest.raises(UnreadableFile):
        sf.load(path)
    assert len(salvage(path).trials) == 17


def test_a_file_that_was_cut_off_gives_its_beginning_and_says_so(whole, tmp_path):
    path = tmp_path / "damaged.db"
    path.write_bytes(whole.read_bytes()[: -5 * 4096])
    saved = salvage(path)
    assert 0 < saved.events < 34
    assert saved.lost


def test_what_is_no_study_is_said(tmp_path):
    path = tmp_path / "other.db"
    path.write_bytes(b"nothing at all" * 1000)
    with pytest.raises(UnreadableFile, match="has lost the start of the study"):
        salvage(path)


def test_a_study_that_is_open_here_is_left_alone(tmp_path):
    path = tmp_path / "study.db"
    with (
        sf.Optimizer(SPACE, storage=path),
        pytest.raises(UnusableFile, match="open in this process: close it first"),
    ):
        salvage(path)
    assert salvage(path).trials == ()
