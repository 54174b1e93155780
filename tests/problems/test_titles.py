"""Names of problems as titles."""

from suffice.problems.titles import family, family_and_number, title


def test_names_become_titles():
    assert (title("branin"), title("rastrigin3"), title("hartmann6")) == ("Branin", "Rastrigin 3d", "Hartmann 6d")
    assert (title("automl"), title("michalewicz10")) == ("AutoML", "Michalewicz 10d")
    assert (title("shekel7"), title("goldstein_price")) == ("Shekel 7", "Goldstein–Price")


def test_a_seed_is_told_from_a_dimension():
    assert (title("reaction3"), title("which_model0")) == ("Reaction, seed 3", "Which model, seed 0")
    assert (title("basins4d12"), title("two_way_close")) == ("Basins 4d, seed 12", "Two way close")


def test_a_problem_of_many_inputs_has_a_dimension_and_a_seed():
    assert (title("lasso180d3"), title("hartmann6_in100d0")) == ("Lasso 180d, seed 3", "Hartmann 6d among 100, seed 0")
    assert (title("ellipsoid40d"), family("ellipsoid40d7")) == ("Ellipsoid 40d", "ellipsoid40d")


def test_a_number_at_the_end_is_apart():
    assert family_and_number("levy10") == ("levy", "10")
    assert family_and_number("branin") == ("branin", "")


def test_a_problem_that_a_seed_draws_is_one_of_its_family():
    assert [family(name) for name in ("reaction12", "basins2d7", "two_way", "levy5")] == [
        "reaction",
        "basins2d",
        "two_way",
        "levy5",
    ]
    assert (title("basins2d"), title("reaction_large")) == ("Basins 2d", "Reaction large")
