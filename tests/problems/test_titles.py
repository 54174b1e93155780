"""Names of problems as titles."""

from suffice.problems.titles import family, family_and_number, title


def test_names_become_titles():
    assert (title("branin"), title("rastrigin3"), title("hartmann6")) == ("Branin", "Rastrigin 3d", "Hartmann 6d")
    assert (title("automl"), title("michalewicz10")) == ("AutoML", "Michalewicz 10d")


def test_a_number_at_the_end_is_apart():
    assert family_and_number("levy10") == ("levy", "10")
    assert family_and_number("branin") == ("branin", "")


def test_a_problem_that_no_seed_draws_is_one_of_itself():
    assert (family("levy5"), family("branin")) == ("levy5", "branin")
