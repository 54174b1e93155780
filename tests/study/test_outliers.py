"""Studies with gross errors among their values: what is set aside is on the record, reported, and never recommended."""

import numpy as np
import pytest

import suffice as sf
from suffice.record.encoding import from_spec, to_spec

SQUARE = [(0.0, 1.0)] * 2
# By trial: far too good, far too bad.
ERRORS = {4: -9.0, 13: 12.0, 17: -15.0, 24: 20.0}


def cost(x):
    return float((x[0] - 0.3) ** 2 + 2 * (x[1] - 0.6) ** 2)


def drive(optimizer, n, errors=ERRORS):
    points = []
    for _ in range(n):
        trial = optimizer.ask()
        points.append(trial.point.tolist())
        optimizer.tell(trial, errors.get(trial.number, 0.0) + cost(trial.point))
    return points


@pytest.fixture(scope="module")
def study():
    optimizer = sf.Optimizer(SQUARE, seed=1)
    return optimizer, drive(optimizer, 36)


def aside(optimizer):
    return optimizer.trials[-1].solve.binding.outcome.aside


def test_errors_are_set_aside_and_the_run_ends_where_it_should(study):
    optimizer, _ = study
    result = optimizer.result()
    assert aside(optimizer) == tuple(ERRORS)
    assert cost(result.x_recommended) < 1e-3
    assert result.fun_recommended == pytest.approx(0.0, abs=0.02)
    mean, _ = result.predict([[0.5, 0.5], [0.1, 0.9]])
    assert mean == pytest.approx([cost([0.5, 0.5]), cost([0.1, 0.9])], abs=0.1)


def test_the_best_observed_value_stays_and_the_print_says_that_it_is_set_aside(study):
    optimizer, _ = study
    result = optimizer.result()
    assert result.fun < -5
    text = str(result)
    assert "set aside as an error" in text
    assert "use this point" in text
    finding = next(found for found in result.diagnose() if found.name == "set aside")
    assert finding.severity == "warning"
    assert "The best observed value is one of them." in finding.sentence
    assert "withdraw it (opt.withdraw)" in finding.remedy
    assert any("set aside" in note for note in result.notes)


def test_errors_do_not_coarsen_the_resolution_or_widen_predictions(study):
    optimizer, _ = study
    clean = sf.Optimizer(SQUARE, seed=1)
    drive(clean, 36, {})
    history, plain = optimizer.history, clean.history
    assert history.resolution < 2 * plain.resolution
    assert history.rescaled["value"] < 3.0


def test_a_run_with_errors_is_resumed_bit_for_bit(study, tmp_path):
    optimizer, whole = study
    parts = []
    for n in (13, 6, 4, 13):
        with sf.Optimizer(SQUARE, seed=1, storage=tmp_path / "run.db") as stored:
            parts += drive(stored, n)
    assert parts == whole
    loaded = sf.load(tmp_path / "run.db")
    assert loaded.trials[-1].solve.binding.outcome.aside == aside(optimizer)
    assert loaded.x_recommended.tolist() == optimizer.result().x_recommended.tolist()


def test_every_step_of_a_run_with_errors_is_rebuilt(study):
    audit = sf.audit(study[0].result())
    assert [step.reason for step in audit.steps if step.reason] == []


def test_a_run_without_errors_is_that_of_a_model_that_sets_nothing_aside():
    first, second = (sf.Optimizer(SQUARE, seed=3, model=sf.GP(robust=robust)) for robust in (True, False))
    assert drive(first, 25, {}) == drive(second, 25, {})
    assert not any(found.name == "set aside" for found in first.result().diagnose())


def test_models_of_earlier_files_set_nothing_aside():
    spec = to_spec(sf.GP())
    assert from_spec(spec) == sf.GP()
    assert not from_spec({word: value for word, value in spec.items() if word not in ("members", "robust")}).robust


def test_a_narrow_basin_that_is_given_is_not_lost():
    c = np.array([0.72, 0.31])

    def f(x):
        return cost(x) - 8 * np.exp(-0.5 * float(np.sum((x - c) ** 2)) / 0.05**2)

    result = sf.minimize(f, SQUARE, 30, seed=0, x0=[(c + 0.02).tolist()])
    assert result.fun < -7
    assert not any(trial.solve.binding.outcome.aside for trial in result.trials if trial.solve)
