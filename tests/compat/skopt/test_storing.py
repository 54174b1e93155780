"""dump and load: a result in a file."""

import io
import pickle

import pytest

import suffice as sf
from suffice.compat.skopt import dump, gp_minimize, load
from suffice.compat.skopt.benchmarks import bench1

BEGINNINGS = {"pkl": b"\x80", "z": b"x", "gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ", "lzma": b"]\x00"}


@pytest.fixture(scope="module")
def result():
    return gp_minimize(bench1, [(-2.0, 2.0)], n_calls=6, n_initial_points=3, random_state=0)


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_a_result_comes_back_from_a_file_compressed_by_its_name(result, tmp_path, ending):
    path = tmp_path / f"result.{ending}"
    dump(result, path)
    assert path.read_bytes().startswith(BEGINNINGS[ending])
    back = load(str(path))
    assert back.x_iters == result.x_iters
    assert back.func_vals.tolist() == result.func_vals.tolist()
    assert back.space == result.space
    assert back.specs["args"]["func"] is bench1
    assert back.suffice.x == result.suffice.x
    assert isinstance(back.suffice, sf.Result)
    points = back.space.transform([[0.5]])
    assert back.models[-1].predict(points) == result.models[-1].predict(points)


@pytest.mark.parametrize(
    ("compress", "beginning"), [(9, b"x"), (True, b"x"), ("gzip", b"\x1f\x8b"), (("bz2", 5), b"BZh"), (0, b"\x80")]
)
def test_a_method_may_be_said(result, tmp_path, compress, beginning):
    dump(result, tmp_path / "result", compress=compress)
    assert (tmp_path / "result").read_bytes().startswith(beginning)
    assert load(tmp_path / "result").x == result.x


def test_the_objective_can_be_left_out(tmp_path):
    result = gp_minimize(lambda x: x[0] ** 2, [(-2.0, 2.0)], n_calls=3, n_initial_points=2)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        dump(result, tmp_path / "result.pkl")
    assert not (tmp_path / "result.pkl").exists()
    dump(result, tmp_path / "result.pkl", store_objective=False)
    assert "func" in result.specs["args"]
    back = load(tmp_path / "result.pkl")
    assert "func" not in back.specs["args"]
    dump(back, tmp_path / "again.pkl", store_objective=False)
    assert load(tmp_path / "again.pkl").x == result.x
    del result.specs["args"]["func"]
    dump(result, tmp_path / "result.pkl")


def test_an_open_file_will_do(result):
    file = io.BytesIO()
    dump(result, file)
    file.seek(0)
    assert load(file).x == result.x


def test_what_cannot_be_written_is_refused(result, tmp_path):
    for compress in (10, -1, "lz77", ("gzip", "high"), 1.5):
        with pytest.raises(ValueError, match="compress"):
            dump(result, tmp_path / "result", compress=compress)
    with pytest.raises(TypeError, match="speed"):
        dump(result, tmp_path / "result", speed=3)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_scikit_optimize_is_told_apart(tmp_path):
    (tmp_path / "theirs.pkl").write_bytes(b"\x80\x04\x95...cskopt.space.space\nSpace\n")
    with pytest.raises(ValueError, match="written by scikit-optimize"):
        load(tmp_path / "theirs.pkl")


def test_a_result_can_be_written_as_json_too(result, tmp_path):
    result.suffice.save(tmp_path / "run.json")
    assert sf.load(tmp_path / "run.json").fun == result.fun
