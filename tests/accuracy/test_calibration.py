"""Whether a model's predictions were right: judged by counts, from predictions made before the values were known."""

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.calibration import FEWEST, LEVEL, calibration
from suffice.gp.model import Observations
from suffice.space import UnitCube

# A known process: one length-scale, a prior deviation and a noise, and no transform of the outputs.
ELL, TAU = 0.25, 1e-2
KNOWN = sf.GP(
    ard=False,
    warp=False,
    standardize=False,
    noise=TAU,
    prior=sf.gp.Prior(lengthscale_bounds=(ELL, ELL), scale_bounds=(1.0, 1.0)),
)


class Process:
    """An objective that is drawn, value by value, from the known process: each given all before it."""

    def __init__(self, seed, deviation=1.0):
        self.rng, self.X, self.y, self.deviation = np.random.default_rng(seed), [], [], deviation

    def predicted(self, x):
        """Mean and deviation of the next output, from the formulas of a text-book."""
        points = np.array([*self.X, x])
        r = np.sqrt(5) * np.linalg.norm(points[:, None] - points, axis=-1) / ELL
        K = (1 + r + r**2 / 3) * np.exp(-r)
        inverse = np.linalg.inv(K[:-1, :-1] + TAU * np.eye(len(self.X)))
        k = K[-1, :-1]
        return k @ inverse @ np.array(self.y), np.sqrt(1.0 + TAU - k @ inverse @ k)

    def __call__(self, x):
        mean, deviation = self.predicted(x)
        self.X.append(x.copy())
        self.y.append(mean + self.deviation * deviation * self.rng.standard_normal())
        return self.y[-1]


def run(seed, deviation=1.0, n=70, **words):
    objective = Process(seed, deviation)
    return sf.maximize(objective, [(0.0, 1.0)] * 2, n, seed=seed, n_initial=5, model=KNOWN, **words)


@pytest.fixture(scope="module")
def right():
    return run(0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(200)))


def test_the_prediction_of_a_step_is_that_of_the_text_book(right):
    again = Process(0)
    for trial in right.trials:
        if trial.solve is not None:
            mean, deviation = again.predicted(trial.point)
            assert trial.solve.mean == pytest.approx(mean, abs=1e-6)
            scale = (trial.solve.rescaled or {}).get("value", 1.0)
            assert trial.solve.deviation == pytest.approx(scale * deviation, abs=1e-6)
        again.X.append(trial.point)
        again.y.append(trial.value)


def test_on_its_own_process_a_model_has_standard_normal_scores_wherever_it_looks(right):
    z = right.accuracy.z_scores
    assert z.shape == (65,)
    # Sums of 65 independent terms: four deviations, so that a right model fails once in 16 000 streams.
    assert abs(z.mean()) < 4 / np.sqrt(65)
    assert abs((z**2).mean() - 1.0) < 4 * np.sqrt(2 / 65)
    assert right.accuracy.calibration.judgement == "calibrated"


def test_of_a_process_that_is_wider_than_the_model_says_predictions_are_widened():
    result = run(1, 3.0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(100)))
    scale = [trial.solve.rescaled["value"] for trial in result.trials[20:]]
    assert min(scale) > 1.0
    assert scale[-1] == pytest.approx(3.0, rel=0.3)
    assert result.accuracy.calibration.judgement == "calibrated"
    assert result.accuracy.calibration.rms < 2.0


def test_of_a_process_that_is_narrower_than_the_model_says_that_is_noticed():
    found = run(1, 0.2, solver=sf.solvers.Grid(size=sf.solvers.Fixed(100))).accuracy.calibration
    assert found.judgement == "underconfident"
    assert found.rms == pytest.approx(0.2, rel=0.5)


def test_a_model_that_is_right_is_seldom_called_wrong_and_one_that_is_wrong_often():
    rng = np.random.default_rng(0)

    def judged(scale):
        return [calibration(scale * rng.standard_normal(40)).judgement for _ in range(2000)]

    judgements = {scale: judged(scale) for scale in (1.0, 2.0, 0.4)}
    wrong = sum(said != "calibrated" for said in judgements[1.0]) / 2000
    assert wrong < 2 * LEVEL + 4 * np.sqrt(LEVEL / 1000)
    assert judgements[2.0].count("overconfident") > 1900
    assert judgements[0.4].count("underconfident") > 1900


def test_few_values_show_only_what_is_plain():
    assert calibration(np.array([0.5, -1.0, 0.2])).judgement == "too few to tell"
    assert calibration(np.array([5.0, -4.0, 6.0, 9.0])).judgement == "too few to tell"
    assert calibration(np.array([5.0, -4.0, 6.0, 9.0, 0.1])).judgement == "overconfident"
    assert calibration(np.full(8, 0.01)).judgement == "underconfident"
    spread = np.linspace(-1.9, 1.9, FEWEST)
    assert calibration(spread).judgement == "calibrated"
    assert calibration(spread[1:]).judgement == "too few to tell"


def test_many_good_predictions_do_not_make_bad_ones_cautious():
    found = calibration(np.array([0.05] * 40 + [30.0]))
    assert (found.judgement, found.surprising, found.worst) == ("calibrated", True, 30.0)
    assert not calibration(np.linspace(-2.0, 2.0, 40)).surprising


def test_values_that_are_not_known_do_not_count():
    z = np.array([0.3, np.nan, -1.2, np.nan])
    assert calibration(z) == calibration(z[[0, 2]])
    assert calibration(np.full(3, np.nan)) is calibration(np.empty(0)) is None


def test_without_observations_the_prior_predicts():
    nothing = Observations(np.empty((0, 2)), np.empty(0), np.empty(0))
    fitted = sf.GP()(nothing, UnitCube(2))
    mean, deviation = fitted.prediction(np.array([0.3, 0.4]))
    assert (mean, deviation) == pytest.approx((0.0, np.sqrt(fitted.hyper.variance * (1 + fitted.hyper.tau))))


def test_known_noise_that_differs_counts_in_the_median():
    X = np.random.default_rng(0).random((9, 2))
    noise = np.array([0.01] * 4 + [0.04] * 5)
    fitted = KNOWN(Observations(X, X.sum(axis=1), noise), UnitCube(2))
    far = np.array([50.0, 50.0])  # where the model knows nothing
    assert fitted.prediction(far) == pytest.approx((0.0, np.sqrt(1.04)))
