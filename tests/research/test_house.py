"""The counts of the library, and the walk through one ask."""

from research import house


def test_every_room_is_counted(capsys):
    house.report()
    said = capsys.readouterr().out
    assert "suffice/gp" in said
    assert "the wheel" in said


def test_a_walk_goes_from_the_optimizer_to_the_model_and_the_solver(capsys):
    house.walk()
    said = capsys.readouterr().out
    assert "study/optimizer.py" in said
    assert " files, " in said.splitlines()[-1]
