"""The result: SciPy's words, skopt's two, every trial, printable and picklable."""

import pickle

import numpy as np
import pytest
from scipy.optimize import OptimizeResult
from scipy.stats import norm

from suffice import GP, Choice, Float, Optimizer, Result, Space, load, minimize

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def bumpy(x):
    if x[0] > 0.8:
        return np.nan
    return float(((x - 0.3) ** 2).sum())


@pytest.fixture
def result(quick):
    return minimize(bumpy, SQUARE, 16, **quick)


def test_it_is_a_scipy_result_with_words_as_attributes_and_keys(result):
    assert isinstance(result, OptimizeResult)
    for word in ("x", "fun", "nfev", "nit", "success", "message", "trials", "x_iters", "func_vals", "seed", "notes"):
        assert word in result
        assert word in dir(result)
        assert getattr(result, word) is result[word]
    with pytest.raises(AttributeError):
        _ = result.hessian


def test_its_numbers_fit_together(result):
    assert result.success
    assert result.nfev == len(result.trials) == len(result.x_iters) == len(result.func_vals) == 16
    assert result.nit == sum(trial.origin in ("model", "polish") for trial in result.trials)
    assert np.nanmin(result.func_vals) == result.fun == bumpy(result.x)
    assert np.array_equal(result.x, result.x_iters[int(np.nanargmin(result.func_vals))])
    assert np.array_equal(np.isnan(result.func_vals), [trial.state == "failed" for trial in result.trials])
    assert np.array_equal(result.func_vals, [bumpy(x) for x in result.x_iters], equal_nan=True)


def test_printing_it_shows_the_answer_not_the_history(result):
    text = str(result)
    assert text == repr(result)
    assert text.startswith(f"best seen     {result.fun:.6g}   trial {result.history.best.number}\n  [")
    assert "\nrun           all 16 trials are done; " in text
    assert "trials:" not in text
    on_one_screen(text)


def test_the_printed_point_has_readable_digits_and_the_attribute_has_all(quick):
    space = {"rate": Float(1e-5, 1.0, log=True), "width": (1000.0, 1001.0), "kind": Choice("a b", "c")}
    result = minimize(lambda p: abs(np.log(p["rate"])) + (p["width"] - 1000.3) ** 2, space, 12, **quick)
    line = str(result).splitlines()[1]
    assert line == f"  rate {result.x['rate']:.4g}, width {result.x['width']:.4f}, kind {result.x['kind']}".replace(
        "0,", ","
    )
    assert float(line.split("rate ")[1].split(",")[0]) == pytest.approx(result.x["rate"], rel=1e-3)


def test_what_matters_most_is_printed_and_what_has_no_effect():
    result = minimize(lambda p: (p["a"] - 0.3) ** 2 + 0.1 * p["b"], dict.fromkeys("abc", (0.0, 1.0)), 30, seed=0)
    (line,) = (line for line in str(result).splitlines() if line.startswith("matters most  "))
    shares = result.importance()
    assert line.startswith(f"matters most  {shares.names[0]} {100 * shares.total[0]:.0f} %, {shares.names[1]} ")
    assert line.endswith("; no effect: c")


def test_importances_of_more_than_one_hundred_percent_are_explained():
    space = {"a": (-1.0, 1.0), "b": (-1.0, 1.0)}
    result = minimize(lambda p: p["a"] * p["b"], space, 25, seed=0)
    assert result.importance().total.sum() > 1.5
    assert "; above 100 % because of interactions" in str(result)
    result = minimize(lambda p: p["a"] + p["b"], space, 12, seed=0)
    assert "count twice" not in str(result)


def test_a_model_that_does_not_know_what_matters_says_what_would_help():
    rng = np.random.default_rng(0)
    result = minimize(lambda p: float(rng.standard_normal()), dict.fromkeys("abc", (0.0, 1.0)), 14, seed=0)
    found = result.importance()
    assert 0.0 < found.deviation <= found.uncertainty  # else this is about another case
    assert "matters most  not clear yet: the model is too uncertain; run more trials, or" in str(result)


def test_what_matters_is_printed_only_where_finding_out_is_cheap(monkeypatch):
    result = minimize(lambda x: float(((x - 0.3) ** 2).sum()), SQUARE, 20, seed=0)
    monkeypatch.setattr("suffice.result.diagnostics.CHEAP", 39)
    monkeypatch.setattr("suffice.result.predict._fit", lambda *_: pytest.fail("fitted"))
    assert "matters most" not in str(result)


def test_long_names_and_many_values_fit_on_the_screen():
    space = {f"a parameter with a long name of its own, number {i}": (0.0, 1.0) for i in range(30)}
    result = minimize(lambda p: min(p.values()) + (1 / 0 if max(p.values()) > 0.99 else 0), space, 12, seed=0)
    on_one_screen(str(result))
    assert "(30 in all)" in str(result) or "…" in str(result)


def on_one_screen(text):
    assert len(text.splitlines()) <= 15
    assert max(map(len, text.splitlines())) <= 88


def test_it_survives_a_pickle(result):
    back = pickle.loads(pickle.dumps(result))
    assert type(back) is Result
    assert str(back) == str(result)
    assert [trial.number for trial in back.trials] == list(range(16))
    assert back.trials[-1].solve == result.trials[-1].solve
    assert all(np.array_equal(a.unit, b.unit) for a, b in zip(back.trials, result.trials, strict=True))


def test_a_named_space_gives_dicts_throughout(quick):
    space = Space(x=Float(0, 1), c=Choice("a", "b"))
    result = minimize(lambda point: point["x"] + (point["c"] == "a"), space, 8, **quick)
    assert set(result.x) == {"x", "c"}
    assert all(type(point) is dict for point in result.x_iters)
    assert type(pickle.loads(pickle.dumps(result)).x) is dict


def test_a_run_in_which_everything_failed_has_no_answer_and_says_so(quick):
    result = minimize(lambda x: np.nan, SQUARE, 6, **quick)
    assert (result.success, result.x, result.nfev) == (False, None, 6)
    assert np.isnan(result.fun)
    assert str(result).startswith(
        "best seen     nothing: no trial has a value\nfailed        6 of 6 evaluations failed"
    )
    assert "fix this first" in str(result)


def test_the_seed_in_the_result_runs_the_same_run_again(quick):
    first = minimize(bumpy, SQUARE, 8, **(quick | {"seed": None}))
    again = minimize(bumpy, SQUARE, 8, **(quick | {"seed": first.seed}))
    assert np.array_equal(first.x_iters, again.x_iters)


def test_a_trial_can_be_read_aloud(result):
    text = repr(result.trials[0])
    assert text.startswith("Trial(number=0, point=array(")
    assert "state='done'" in text


# ---------------------------------------------------------------------- a search that is exhausted


@pytest.fixture(scope="module")
def settled():
    """A run that goes on after its model expects nothing more."""
    return minimize(lambda x: float(((x - 0.3) ** 2).sum()), SQUARE, 30, seed=0, polish=False)


def test_it_says_since_when_nothing_more_was_expected(settled):
    kinds = [trial.solve and trial.solve.kind for trial in settled.trials]
    found = settled.exhausted
    assert kinds[found.since - 1] == "improve"
    assert set(kinds[found.since :]) == {"explore", "refine"}
    assert found.explored == tuple(i for i, kind in enumerate(kinds) if kind == "explore" and i >= found.since)
    assert (found.trials, found.improved, found.gain) == (30 - found.since, (), 0.0)
    assert found.in_vain == len(found.explored) > 3
    assert found.resolution == pytest.approx(settled.history.resolution)
    expected = [trial.solve.expected_improvement for trial in settled.trials[found.since - 1 :]]
    assert expected[0] >= found.resolution > max(expected[1:])
    (finding,) = (finding for finding in settled.diagnose() if finding.name == "exhausted")
    assert str(found) == finding.sentence
    assert "stop=sf.Exhausted()" in finding.remedy
    assert finding.brief in " ".join(str(settled).split())


def test_what_an_exploration_finds_is_said(settled):
    optimizer = Optimizer(SQUARE, seed=0)
    for trial in settled.trials[: settled.exhausted.since]:
        optimizer.tell(optimizer.ask(), trial.value)
    assert optimizer.result().exhausted is None
    first = optimizer.ask()
    assert first.solve.kind == "explore"
    found = optimizer.result().exhausted
    assert (
        str(found) == f"Since trial {found.since} the model has expected no improvement above {found.resolution:.2g}."
    )
    optimizer.tell(first, optimizer.best.value - 7.0)
    found = optimizer.result().exhausted
    assert (found.improved, found.gain, found.in_vain) == ((first.number,), pytest.approx(7.0), 0)
    assert f"trial {first.number} nevertheless improved the best value by 7" in str(found)
    optimizer.tell(optimizer.ask(), 0.5)  # the model was wrong, and expects more now
    assert optimizer.trials[-1].solve.kind == "improve"
    assert optimizer.result().exhausted is None


def test_a_saved_result_knows_that_it_is_exhausted(settled, tmp_path):
    settled.save(tmp_path / "run.json")
    again = load(tmp_path / "run.json")
    assert again.exhausted == settled.exhausted
    assert [trial.solve for trial in again.trials] == [trial.solve for trial in settled.trials]


def test_a_trial_says_that_it_explored(settled):
    trial = settled.trials[settled.exhausted.explored[0]]
    assert "solve.kind='explore'" in repr(trial)
    only = f"exploring: the expected improvement was only {trial.solve.expected_improvement:.2g}"
    assert trial.solve.purpose == only
    assert only in trial._repr_html_()
    assert "solve.kind" not in repr(settled.trials[settled.exhausted.since - 1])


def test_the_expected_improvement_is_that_of_a_normal_prediction_in_the_units_of_the_objective():
    """Without a warp, noise or members, EI = s (z Φ(z) + φ(z)) at the point, z = (best − mean)/s."""
    model = GP(members=1, warp=False, noise=0.0)
    for unit in (1.0, 1e3):
        result = minimize(lambda x, unit=unit: unit * float(np.sin(5 * x[0])), [(0, 1)], 9, seed=0, model=model)
        for number in (6, 7):
            solve, before = result.trials[number].solve, min(result.func_vals[:number])
            mean, s, outcome = solve.expected()
            s /= float(outcome.derivative(np.zeros(1))[0]) * (solve.rescaled or {}).get("value", 1.0)
            z = (before + float(outcome.inverse(np.array([mean]))[0])) / s
            expected = s * (z * norm.cdf(z) + norm.pdf(z))
            assert solve.expected_improvement == pytest.approx(expected, rel=0.01, abs=1e-6 * unit)
