"""Pages of studies with limits and with several objectives: the front, what was satisfied, and words for both."""

import pytest

import suffice as sf

from .conftest import AIMS, SQUARE, STUDIES, told, two

pytestmark = pytest.mark.usefixtures("without_figures")


def test_the_front_is_a_table_that_leads_to_the_trials_and_its_knee_is_bold(report):
    study = STUDIES["two objectives and a limit"]()
    page, result = report(study), study.result()
    assert [text for level, text in page.headings if level == 2][1:3] == ["The front", "Constraints"]
    section = page.section("The front")
    assert f"The front of error, speed: {len(result.front)} trials" in section
    links = [value for _, name, value in page.attributes if name == "href" and value.startswith("#trial-")]
    places = [value for _, name, value in page.attributes if name == "id"]
    assert links == [f"#trial-{trial.number}" for trial in result.front]
    assert all(link[1:] in places for link in links)
    assert len(places) == len(set(places))
    bold = [value for tag, name, value in page.attributes if (tag, name) == ("td", "class") and "best" in value]
    assert len(bold) == 2 * 3  # the three outputs of the knee, in both tables


def test_the_verdict_names_the_front_its_knee_its_volume_and_what_is_feasible(report):
    study = STUDIES["two objectives and a limit"]()
    result, said = study.result(), report(study).shown
    knee = result.knee()
    assert (
        f"has {len(result.front)} trials, none of which is dominated by another: minimize error, maximize speed."
        in said
    )
    assert f"is trial {knee.number}: error {knee.values['error']:.6g}" in said
    assert f"Its hypervolume is {result.hypervolume[-1]:.6g}, measured from the reference point" in said
    n = len(result.history.feasible)
    assert f"{n} of 14 evaluated points are feasible." in said
    assert "The distance of the best value from the true optimum" not in said


def test_limits_are_listed_with_how_often_each_is_satisfied(report):
    study = STUDIES["limits"]()
    satisfied = sum(trial.values["heat"] <= 0.5 for trial in study.trials)
    section = report(study).section("Constraints")
    assert f"{satisfied} of 12 ({100 * satisfied / 12:.0f} %)" in section
    assert "at most 0.5" in section
    assert report(told(SQUARE)).section("Best points")
    assert "Constraints" not in [text for _, text in report(told(SQUARE)).headings]


def test_the_best_point_is_within_all_limits_and_others_are_marked(report):
    study = STUDIES["limits"]()
    page, best = report(study), study.result()
    assert f"The smallest value of a feasible point in 12 evaluations is {best.fun:.6g}" in page.shown
    assert "The first feasible value was" in page.shown
    beyond = sum(trial.values["heat"] > 0.5 for trial in study.trials)
    marked = [value for tag, name, value in page.attributes if (tag, name) == ("td", "class") and "differs" in value]
    assert len(marked) >= beyond  # in the table of all trials, and where they are among the best


def test_values_are_counted_where_the_objective_was_measured(report):
    optimizer = sf.Optimizer({"x": (0.0, 1.0)}, seed=0, constraints={"heat": sf.AtMost(0.5)})
    optimizer.tell({"x": 0.1}, {"value": 1.0, "heat": 0.1})
    optimizer.tell({"x": 0.2}, {"value": 2.0, "heat": 0.2})
    optimizer.tell({"x": 0.9}, {"heat": 0.9})
    assert "The best 2 of 2 values" in report(optimizer).shown


@pytest.mark.parametrize("kind", ["nothing within limits", "only the limited output", "no front"])
def test_without_a_feasible_point_the_least_violated_one_is_named(report, kind):
    study = STUDIES[kind]()
    page = report(study)
    least = min(study.trials, key=lambda trial: trial.values["heat"])
    assert "No feasible point was found: none of the 8 evaluated points is feasible" in page.shown
    assert f"the one closest to feasible is trial {least.number}" in page.shown
    assert "none feasible, the closest first" in page.shown


def test_several_objectives_without_a_value_promise_nothing(report):
    assert "Nothing was found: all 3 evaluations failed." in report(STUDIES["all of two objectives failed"]()).shown
    assert "Nothing was found yet" in report(STUDIES["no trial of two objectives"]()).shown


def test_a_front_that_has_levelled_off_is_told_from_one_that_grows(report):
    flat = told(SQUARE, 20, lambda p: {"error": 0.5, "speed": 0.5}, objectives=AIMS, reference={"error": 1, "speed": 0})
    assert "It has levelled off" in report(flat).shown
    opt = sf.Optimizer(SQUARE, seed=0, objectives=AIMS, reference={"error": 1.0, "speed": -1.0})
    for i in range(20):
        point = {"x": 1.0 - i / 20, "y": 0.0}
        opt.tell(point, {"error": point["x"], "speed": two(point)["speed"] + i / 5})
    assert "It was still growing" in report(opt).shown


def test_settings_have_the_limits_and_the_reference_point(report):
    section = report(STUDIES["three objectives"]()).section("Settings")
    assert "error 2, speed -2, heat 3" in section
    assert "heat at most 0.5" in report(STUDIES["limits"]()).section("Settings")
