"""Tables of spaces of every kind: steps, orders, lists, pools of rows and of objects."""

from dataclasses import dataclass

import numpy as np
import pytest

import suffice as sf
from suffice.cli import main
from suffice.errors import UnreadableFile

COMPOUNDS = [
    {"name": f"m{j}", "code": str(j), "mass": 1 / 3 + j, "salt": j % 2 == 0, "note": "" if j else "=A1"}
    for j in range(12)
]


@dataclass(frozen=True)
class Orders(sf.CustomSpace):
    """All orders of five things."""

    def draw(self, rng):
        return tuple(rng.permutation(5).tolist())

    def neighbour(self, point, rng):
        i = int(rng.integers(4))
        return (*point[:i], point[i + 1], point[i], *point[i + 2 :])

    def encode(self, point):
        if sorted(point) != list(range(5)):
            raise ValueError(f"wanted an order of 0 to 4: got {point}")
        return np.argsort(point) / 4

    def decode(self, row):
        return tuple(np.argsort(row, kind="stable").tolist())


def filled(optimizer, path, **words):
    """Write what is pending, and fill in the number of each trial as its value."""
    sf.exchange.write(optimizer, path, pending=True, **words)
    header, *rows = path.read_text("utf-8-sig").splitlines()
    place = header.split(",").index("value") - len(header.split(","))
    cells = [row.rsplit(",", -place) for row in rows]
    for row in cells:
        row[place] = row[0].split(",")[0]
    path.write_text("\n".join([header, *(",".join(row) for row in cells)]), "utf-8")
    return header.split(",")


def without_numbers(path):
    """The same table, without the column of numbers."""
    rows = [row.split(",", 1)[1] for row in path.read_text("utf-8").splitlines()]
    path.write_text("\n".join(rows), "utf-8")


def steps_and_orders():
    return {"t": sf.Float(20, 80, step=0.1), "n": sf.Int(16, 256, step=16), "size": sf.Ordinal("S", "M", "L"), "k": 3}


def unlike_list():
    return [sf.Float(0, 1), sf.Int(1, 10), sf.Choice("a", 1, "1")]


def kernels():
    return sf.Space(
        kernel=sf.Choice("rbf", "poly", "linear"),
        gamma=sf.Float(1e-4, 1, log=True, when={"kernel": ("rbf", "poly")}),
        degree=sf.Int(2, 5, when={"kernel": "poly"}),
        x=sf.Float(0, 1),
        where=lambda p: p["x"] < 0.9,
    )


@pytest.mark.parametrize(
    "space", [steps_and_orders, unlike_list, kernels, lambda: sf.Pool(COMPOUNDS)], ids=["steps", "list", "when", "pool"]
)
@pytest.mark.parametrize("numbers", [True, False])
def test_a_batch_goes_out_and_comes_back(space, numbers, tmp_path):
    opt, path = sf.Optimizer(space(), seed=0), tmp_path / "batch.csv"
    opt.ask(5)
    header = filled(opt, path)
    if not numbers:
        without_numbers(path)
    assert header[2:-7] == [name if name != "value" else "parameter:value" for name in opt.space.names]
    assert sf.exchange.read(path, opt).recorded == 5
    assert [trial.value for trial in opt.trials] == [0, 1, 2, 3, 4]
    assert sf.exchange.read(path, opt).known == 5
    sf.exchange.write(opt, tmp_path / "all.jsonl")
    assert sf.exchange.read(tmp_path / "all.jsonl", opt).known == 5


def test_what_is_not_active_is_an_empty_cell_and_must_be_one(table, tmp_path):
    opt = sf.Optimizer(kernels(), seed=0)
    point = {"kernel": "linear", "x": 0.25}
    opt.tell(point, 1.0)
    sf.exchange.write(opt, tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().splitlines()[1].startswith("0,done,linear,,,0.25,1.0,")
    assert sf.exchange.read(table("kernel,gamma,degree,x,value", "linear,,,0.5,2"), opt).added == 1
    assert opt.trials[1].point == {"kernel": "linear", "x": 0.5}
    for lines, words in (
        (("kernel,gamma,x,value", "linear,0.5,0.5,2"), "'gamma': it is inactive here"),
        (("number,gamma,value", "0,0.5,1.0"), "gamma is 0.5, but trial 0 has none"),
        (("kernel,x,value", "linear,0.95,2"), "does not satisfy the constraint"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            sf.exchange.read(table(*lines), opt)


def test_rows_of_a_pool_that_were_measured_elsewhere_are_told_by_what_they_are(table):
    opt = sf.Optimizer(sf.Pool(COMPOUNDS), seed=0)
    opt.ask()
    row = COMPOUNDS[7] if opt.trials[0].point["name"] != "m7" else COMPOUNDS[8]
    cells = (row["name"], row["code"], repr(row["mass"]), str(row["salt"]).upper(), '""""""')
    line = ",".join(cells)
    assert sf.exchange.read(table("name,code,mass,salt,note,value", f"{line},2.5"), opt).added == 1
    assert opt.trials[1].point == row
    with pytest.raises(UnreadableFile, match=r"line 2: .* is not a row of the pool"):
        sf.exchange.read(table("name,code,mass,salt,note,value", "m99,1,1,True,x,2.5"), opt)
    with pytest.raises(UnreadableFile, match="name is 'm99', but trial 0 has 'm"):
        sf.exchange.read(table("number,name,value", "0,m99,2.5"), opt)


def test_a_pool_of_numbers_comes_back_rounded_by_number(table):
    opt = sf.Optimizer(sf.Pool(np.random.default_rng(0).random((20, 2))), seed=0)
    (trial,) = opt.ask(1)
    a, b = opt.space.names
    path = table(f"number,{a},{b},value", f"0,{trial.point[0]:.9g},{trial.point[1]:.9g},1.5")
    assert sf.exchange.read(path, opt).recorded == 1


def test_points_of_ones_own_stand_in_one_column_and_come_back(table, tmp_path):
    opt = sf.Optimizer(Orders(), seed=0)
    opt.ask(3)
    assert filled(opt, tmp_path / "batch.csv")[2] == "point"
    assert sf.exchange.read(tmp_path / "batch.csv", opt).recorded == 3
    other = next(point for point in ((4, 3, 2, 1, 0), (0, 1, 2, 3, 4)) if point not in [t.point for t in opt.trials])
    assert sf.exchange.read(table("point,value", f'"{list(other)}",7'), opt).added == 1
    assert opt.trials[3].point == other
    for cell, words in (
        ("[0, 0, 0, 0, 0]", "wanted an order of 0 to 4"),
        ("[1", "wanted a point of the space as JSON"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            sf.exchange.read(table("point,value", f'"{cell}",7'), opt)


def test_objects_of_a_pool_are_numbers_in_one_column_and_a_study_without_them_takes_values(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    pool = sf.Pool([frozenset({j}) for j in range(9)], features=np.arange(9.0)[:, None])
    with sf.Optimizer(pool, storage="run.db", seed=0) as opt:
        opt.ask(3)
        assert filled(opt, tmp_path / "batch.csv")[2] == "point"
    assert main(["import", "batch.csv"]) == 0
    assert capsys.readouterr().out == "recorded 3, already known 0, still pending 0\n"
    assert main(["show", "run.db"]) == 0
    assert "known only by its description" in capsys.readouterr().out
    with sf.Optimizer.resume("run.db", space=pool) as opt:
        assert [trial.value for trial in opt.trials] == [0, 1, 2]
        assert sf.exchange.read("batch.csv", opt).known == 3
