"""The recommended point: the best posterior mean among the evaluated ones, computed when asked for."""

import copy
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.ask.models import fit_outputs
from suffice.result.display import overview
from suffice.result.predict import CHOSEN, answer_with_noise, recommend
from suffice.text import with_error

SQUARE = [(0.0, 1.0), (0.0, 1.0)]
MIXED = sf.Space(x=sf.Float(-5, 10), k=sf.Float(1e-5, 1, log=True), n=sf.Int(1, 9), c=sf.Choice("a", "b"))
# The outputs as they are, signal variance 1, noise variance 1, prior mean 0: every answer by hand.
UNIT = sf.GP(noise=1.0, standardize=False, warp=False, prior=sf.gp.Prior(scale_bounds=(1.0, 1.0)))


def bowl(x):
    x = np.asarray([x["x"] / 15, x["n"] / 9] if isinstance(x, dict) else x)
    return float(((x - 0.3) ** 2).sum())


def noisy(sd, seed=0):
    rng = np.random.default_rng(seed)
    return lambda x: bowl(x) + sd * rng.standard_normal()


def eventful(space, n=10, **words):
    """A noisy run with failed, cancelled and pending trials, values told late, and a point measured three times."""
    optimizer, f = sf.Optimizer(space, seed=0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(64)), **words), noisy(0.1)
    for i in range(n):
        first, second = optimizer.ask(2)
        optimizer.tell(second, f(second.point), noise_var=0.01 if i % 4 == 3 else None)
        if i == 6:
            optimizer.fail(first)
        elif i == 7:
            optimizer.cancel(first)
        else:
            optimizer.tell(first, f(first.point))
    optimizer.ask(2)
    for _ in range(2):
        optimizer.tell(optimizer.best.point, f(optimizer.best.point))
    return optimizer


@pytest.fixture(scope="module")
def result():
    return eventful(SQUARE).result()


def told_elsewhere(result, unit=1.0):
    """An optimizer that knows the values of a run in another unit, and nothing else of it."""
    direction = (
        result.settings.direction
        if unit > 0
        else {"minimize": "maximize", "maximize": "minimize"}[result.settings.direction]
    )
    settings = result.settings
    optimizer = sf.Optimizer(settings.space, seed=settings.seed, direction=direction, model=settings.model)
    done = [trial for trial in result.trials if trial.state == "done"]
    for trial in sorted(done, key=lambda trial: trial.order):
        noise_var = None if trial.noise_var is None else unit**2 * trial.noise_var
        optimizer.tell(trial.point, unit * trial.value, noise_var=noise_var)
    return optimizer


@pytest.mark.parametrize("space", [SQUARE, MIXED], ids=["box", "mixed"])
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("model", [sf.GP(), sf.GP(max_points=15), UNIT], ids=["default", "subset", "unit"])
def test_it_is_the_best_mean_of_a_model_that_knows_all_values(space, direction, model):
    result = eventful(space, direction=direction, model=replace(model, members=1)).result()
    again = told_elsewhere(result)
    fitted = fit_outputs(again.settings, again.history, again._fitted)["value"]
    done = [trial for trial in result.trials if trial.state == "done"]
    mean, std = fitted.posterior.predict(np.array([trial.unit for trial in done]))
    best = int(np.argmax(mean))
    assert plain(result.x_recommended) == plain(done[best].point)
    sign = 1.0 if direction == "maximize" else -1.0
    assert result.fun_recommended == pytest.approx(sign * fitted.outcome.inverse(mean[[best]])[0], rel=1e-9, abs=1e-9)
    # a deviation to either side, mapped back: half of what is between holds 68 %
    low, high = fitted.outcome.inverse(mean[best] + std[best] * np.array([-1.0, 1.0]))
    wide = CHOSEN * max(1.0, result.history.rescaled["value"])  # as the predictions of the run called for
    assert 0.999 <= result.fun_recommended_sd / (abs(high - low) / 2) <= 1.001 * wide


@pytest.mark.parametrize("space", [SQUARE, MIXED], ids=["box", "mixed"])
def test_of_several_members_it_is_the_best_mean_of_all(space):
    result = eventful(space).result()
    done = [trial for trial in result.trials if trial.state == "done"]
    median, sd = result.predict([trial.point for trial in done])
    best = int(np.argmin(median))
    assert plain(result.x_recommended) == plain(done[best].point)
    assert result.fun_recommended == pytest.approx(median[best], rel=1e-9)
    assert 1.0 <= result.fun_recommended_sd / sd[best] <= 1.001 * CHOSEN * max(1.0, result.history.rescaled["value"])


def test_its_deviation_is_wider_than_the_models_but_not_than_its_own_measurements_say():
    def measured(n):
        optimizer, rng = sf.Optimizer(SQUARE, seed=0, repeat=True), np.random.default_rng(0)
        for _ in range(12):
            trial = optimizer.ask()
            optimizer.tell(trial, bowl(trial.point) + 0.1 * rng.standard_normal(), noise_var=0.01)
        for value in 0.1 * rng.standard_normal(n) - 1.0:
            optimizer.tell([0.3, 0.3], value, noise_var=0.01)
        result = optimizer.result()
        assert result.x_recommended.tolist() == [0.3, 0.3]
        return result.fun_recommended_sd, result.predict([0.3, 0.3])[1]

    stated, plain = measured(1)
    assert plain < stated <= 0.1001
    stated, plain = measured(100)
    assert plain <= stated <= 0.01001


def plain(point):
    return point if isinstance(point, dict) else point.tolist()


def test_the_best_observed_value_may_be_luck():
    # Ten values around 1 in one corner, one value 0 with much noise in the other: the prior mean is 5 at most.
    optimizer = sf.Optimizer(SQUARE, seed=0)
    values = np.random.default_rng(0).normal(1.0, 0.1, 10)
    for value in values:
        optimizer.tell([0.1, 0.1], value, noise_var=0.01)
    for x in ([0.1, 0.9], [0.9, 0.1]):
        optimizer.tell(x, 5.0, noise_var=0.01)
    optimizer.tell([0.9, 0.9], 0.0, noise_var=100.0)
    result = optimizer.result()
    assert (result.x.tolist(), result.fun) == ([0.9, 0.9], 0.0)
    assert result.x_recommended.tolist() == [0.1, 0.1]
    assert result.fun_recommended == pytest.approx(values.mean(), abs=0.1)
    assert 0.02 < result.fun_recommended_sd < 0.05  # 0.1/√10 = 0.032


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_of_n_measurements_of_one_point_it_knows_their_mean(n):
    values = np.random.default_rng(1).standard_normal(n) + 3.0
    for direction in ("minimize", "maximize"):
        optimizer = sf.Optimizer(SQUARE, direction=direction, seed=0, model=UNIT)
        for value in values:
            optimizer.tell([0.25, 0.5], value)
        result = optimizer.result()
        assert result.x_recommended.tolist() == [0.25, 0.5]
        assert result.fun_recommended == pytest.approx(values.sum() / (n + 1), rel=1e-6)
        assert result.fun_recommended_sd == pytest.approx(math.sqrt(1 / (n + 1)), rel=1e-6)


def test_fifty_measurements_of_one_point_tell_the_noise_and_the_run_goes_on():
    optimizer, rng = sf.Optimizer(SQUARE, seed=0, repeat=True), np.random.default_rng(2)
    for trial in optimizer.ask(6):
        optimizer.tell(trial, 10 * bowl(trial.point) + rng.standard_normal())
    values = 10 * bowl([0.3, 0.4]) + rng.standard_normal(50)
    for value in values:
        optimizer.tell([0.3, 0.4], value)
    fitted = fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"]
    noise = math.sqrt(fitted.hyper.tau * fitted.hyper.variance) / fitted.outcome.derivative(-np.median(values))
    assert noise == pytest.approx(values.std(), rel=0.25)  # known to about 1/√100 from 50 values
    result = optimizer.result()
    assert result.x_recommended.tolist() == [0.3, 0.4]
    assert result.fun_recommended == pytest.approx(values.mean(), abs=0.3)  # two standard errors
    assert result.fun < values.mean() - 1.5
    for trial in optimizer.ask(3):
        optimizer.tell(trial, 10 * bowl(trial.point) + rng.standard_normal())
        assert math.isfinite(trial.solve.value)
    assert math.isfinite(optimizer.result().fun_recommended)


def test_a_finite_space_is_measured_again_and_the_mean_decides():
    # The best of six arms by 0.5, noise 0.5; 60 measurements.
    rng = np.random.default_rng(3)
    result = sf.maximize(
        lambda point: -0.5 * abs(point["arm"] - 4) + 0.5 * rng.standard_normal(),
        {"arm": sf.Int(1, 6)},
        60,
        seed=0,
        repeat=True,
        solver=sf.solvers.Grid(size=sf.solvers.Fixed(64)),
    )
    assert result.nfev == 60
    assert result.x_recommended == {"arm": 4}
    assert abs(result.fun_recommended) < 4 * result.fun_recommended_sd < 0.8 < result.fun


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_where_the_model_knows_of_no_noise_it_is_the_best_observed_point(direction, quick):
    sign = 1.0 if direction == "minimize" else -1.0
    result = getattr(sf, direction)(lambda x: sign * bowl(x), SQUARE, 20, **(quick | {"model": sf.GP(noise=0.0)}))
    assert np.array_equal(result.x_recommended, result.x)
    assert result.fun_recommended == pytest.approx(result.fun, abs=1e-4)
    assert 0 < result.fun_recommended_sd < 1e-3


def test_a_tie_goes_to_the_best_observed_point(quick):
    result = sf.minimize(lambda x: 2.5, SQUARE, 10, **quick)
    assert result.x is not result.x_recommended
    assert np.array_equal(result.x, result.x_recommended)
    assert result.fun_recommended == pytest.approx(2.5)


def test_the_sense_and_the_units_do_not_matter(result):
    result = told_elsewhere(result).result()
    for unit in (-1.0, 2.0**40, -(2.0**-40)):
        other = told_elsewhere(result, unit).result()
        assert np.array_equal(other.x_recommended, result.x_recommended)
        assert other.fun_recommended == pytest.approx(unit * result.fun_recommended, rel=1e-6)
        assert other.fun_recommended_sd == pytest.approx(abs(unit) * result.fun_recommended_sd, rel=1e-6)


def test_nothing_is_computed_before_it_is_asked_for(result, monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr("suffice.result.result.recommend", lambda *given: calls.append(given) or recommend(*given))
    fresh = eventful(SQUARE, 4).result()
    for use in (str, dir, list, pickle.dumps, copy.deepcopy, lambda result: result.save(tmp_path / "run.json")):
        use(fresh)
    sf.minimize(bowl, SQUARE, 5, seed=0, callback=lambda result: result.fun < 0)
    assert not calls
    assert fresh.x_recommended is fresh.x_recommended
    assert fresh.fun_recommended_sd > 0
    assert math.isfinite(fresh.fun_recommended)
    assert len(calls) == 1


def test_asking_for_it_changes_neither_the_run_nor_the_result():
    quiet, curious = eventful(SQUARE, 8), eventful(SQUARE, 8)
    before = curious.result()
    words = list(before)
    assert before.x_recommended is not None
    assert list(before) == words
    for _ in range(3):
        assert curious.result().x_recommended is not None
        a, b = quiet.ask(), curious.ask()
        assert np.array_equal(a.point, b.point)
        quiet.tell(a, bowl(a.point))
        curious.tell(b, bowl(b.point))


@pytest.mark.parametrize("space", [SQUARE, MIXED], ids=["box", "mixed"])
def test_it_survives_a_pickle_and_a_file_to_the_last_bit(space, tmp_path):
    result = eventful(space, 8).result()
    kept = [pickle.loads(pickle.dumps(result)), copy.deepcopy(result)]
    result.save(tmp_path / "run.json")
    kept.append(sf.load(tmp_path / "run.json"))
    assert result.x_recommended is not None
    kept.append(pickle.loads(pickle.dumps(result)))  # now with the answer in it
    for other in kept:
        assert type(other) is sf.Result
        assert plain(other.x_recommended) == plain(result.x_recommended)
        assert other.fun_recommended == result.fun_recommended
        assert other.fun_recommended_sd == result.fun_recommended_sd


def test_it_is_the_callers_own(result):
    point = copy.deepcopy(result).x_recommended
    point[:] = 7.0
    assert not np.array_equal(point, result.x_recommended)
    assert not any(np.array_equal(point, trial.point) for trial in result.trials)


def test_its_words_are_listed(result):
    assert {"x_recommended", "fun_recommended", "fun_recommended_sd", "save"} <= set(dir(result))


def test_without_a_value_there_is_no_recommendation(quick):
    result = sf.minimize(lambda x: math.nan, SQUARE, 6, **quick)
    assert result.x_recommended is None
    assert math.isnan(result.fun_recommended)
    assert math.isnan(result.fun_recommended_sd)


def test_a_file_that_only_describes_the_model_says_how_to_go_on(tmp_path):
    class Own(sf.GP):
        """Not a part of the library."""

    result = eventful(SQUARE, 6, model=Own()).result()
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    with pytest.raises(sf.errors.SufficeError, match=r"Own.*suffice\.result\.predict\.surface"):
        _ = loaded.x_recommended
    again = recommend(loaded.history, model=Own())
    assert again.value == result.fun_recommended == loaded.fun_recommended  # it is kept


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_of_several_measurements_at_the_recommended_point_it_is_the_best(direction):
    sign = 1.0 if direction == "maximize" else -1.0
    optimizer = sf.Optimizer(SQUARE, direction=direction, model=UNIT)
    for value in (1.0, 3.0, 2.0):
        optimizer.tell([0.5, 0.5], sign * value)
    optimizer.tell([0.1, 0.9], sign * -2.0)
    assert recommend(optimizer.history).trial.value == sign * 3.0


# ---------------------------------------------------------------------- in print


@pytest.fixture(scope="module")
def lucky():
    return sf.minimize(noisy(0.1), SQUARE, 30, seed=1)


def test_with_noise_the_recommended_point_is_printed_before_the_lucky_one(lucky):
    lines = repr(lucky).splitlines()
    expected = with_error(lucky.fun_recommended, lucky.fun_recommended_sd)
    use = recommend(lucky.history).trial.number
    assert lines[0].startswith("best seen  ")
    assert lines[0].endswith(f"   trial {lucky.history.best.number}, including noise")
    assert lines[1] == f"recommended   {expected} (sd)   trial {use}; the values look noisy: use this point"
    assert lines[2] == f"  [{lucky.x_recommended[0]:.4g}, {lucky.x_recommended[1]:.4g}]"
    text = overview(lucky.history, lucky.accuracy)
    assert text.startswith("\n".join(lines[:3]))
    assert text.index("recommended") < text.index("Best seen, including noise")
    html = lucky._repr_html_()
    assert html.index(f": recommended {expected} (sd), trial {use}") < html.index("including noise")


def test_without_noise_no_model_is_fitted_to_print_the_answer(monkeypatch):
    result = sf.minimize(bowl, SQUARE, 20, seed=1)
    monkeypatch.setattr("suffice.result.diagnostics.CHEAP", 0)
    monkeypatch.setattr("suffice.result.predict._fit", lambda *_: pytest.fail("fitted"))
    assert "recommended" not in repr(result)
    assert "recommended" not in overview(result.history, result.accuracy)
    assert "recommended" not in result._repr_html_().split("<svg")[0]


def test_noise_that_is_known_or_was_seen_counts_from_the_first_values_on():
    for words in ({"noise_var": 0.04}, {}):
        optimizer = sf.Optimizer(SQUARE, seed=0, n_initial=20)
        for value in (0.1, 0.5, 0.3, 0.2):
            for other in (value, value + 0.4 * (not words)):
                optimizer.tell([value, value], other, **words)
        assert answer_with_noise(optimizer.history) is not None


def test_noise_below_the_resolution_does_not_matter(lucky):
    optimizer = sf.Optimizer(SQUARE, seed=1, resolution=10.0)
    for trial in lucky.trials:
        optimizer.tell(trial.point, trial.value, noise_var=0.01)
    assert answer_with_noise(optimizer.history) is None
