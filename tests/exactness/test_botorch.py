"""suffice's solver under BoTorch's names: their signature, their kind of answer, and a maximum at least as high."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")

from botorch.acquisition import (  # noqa: E402
    LogExpectedImprovement,
    UpperConfidenceBound,
    qExpectedImprovement,
    qKnowledgeGradient,
    qLogExpectedImprovement,
)
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms import Normalize  # noqa: E402
from botorch.optim import optimize_acqf as theirs  # noqa: E402
from botorch.optim import optimize_acqf_mixed as theirs_mixed  # noqa: E402

import suffice as sf  # noqa: E402
from suffice.botorch import everywhere, optimize_acqf, optimize_acqf_mixed, optimize_acqf_mixed_alternating  # noqa: E402
from suffice.exactness.foreign import CHUNK  # noqa: E402
from suffice.exactness.tensors import JOINT_CHUNK, lengthscales, observed_by, score, space_of  # noqa: E402
from tests.docs.pages import Page  # noqa: E402

from .loops import LOOPS  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of BoTorch

CUBE = torch.tensor([[0.0] * 3, [1.0] * 3], dtype=torch.double)
SAME = {"num_restarts": 20, "raw_samples": 512}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    X = torch.rand(15, 3, dtype=torch.double)
    return SingleTaskGP(X, -((X - 0.4) ** 2).sum(dim=1, keepdim=True))


ANALYTIC = {
    "logei": lambda model: LogExpectedImprovement(model, best_f=model.train_targets.max()),
    "ucb": lambda model: UpperConfidenceBound(model, beta=4.0),
}
MONTE_CARLO = {
    "qlogei": lambda model: qLogExpectedImprovement(model, best_f=model.train_targets.max()),
    "qei": lambda model: qExpectedImprovement(model, best_f=model.train_targets.max()),
}


@pytest.mark.parametrize("name", [*ANALYTIC, *MONTE_CARLO])
def test_one_point_is_as_good_and_has_the_same_form(model, name):
    acquisition = (ANALYTIC | MONTE_CARLO)[name](model)
    own, value = optimize_acqf(acquisition, CUBE, q=1, **SAME)
    other, best = theirs(acquisition, CUBE, q=1, **SAME)
    assert (own.shape, own.dtype, value.shape, value.dtype) == (other.shape, other.dtype, best.shape, best.dtype)
    assert value >= best - 1e-4 * abs(best)
    assert value == acquisition(own).squeeze()


@pytest.mark.parametrize("name", MONTE_CARLO)
@pytest.mark.parametrize("sequential", [True, False])
def test_a_batch_is_as_good_and_leaves_no_pending_points(model, name, sequential):
    acquisition = MONTE_CARLO[name](model)
    own, value = optimize_acqf(acquisition, CUBE, q=3, sequential=sequential, **SAME)
    other, best = theirs(acquisition, CUBE, q=3, sequential=sequential, **SAME)
    assert (own.shape, value.shape) == (other.shape, best.shape) == ((3, 3), (3,) if sequential else ())
    first = (value, best) if not sequential else (value[0], best[0])  # later points depend on those before
    assert first[0] >= first[1] - 0.02 * abs(first[1])
    assert acquisition.X_pending is None


def test_pending_points_come_back_also_after_an_error(model):
    acquisition = MONTE_CARLO["qlogei"](model)
    pending = torch.full((1, 3), 0.5, dtype=torch.double)
    acquisition.set_X_pending(pending)
    optimize_acqf(acquisition, CUBE, q=2, sequential=True)
    assert torch.equal(acquisition.X_pending, pending)


def test_rows_beside_pending_points_come_in_calls_that_fit_the_cache(model):
    acquisition, X = MONTE_CARLO["qlogei"](model), np.random.default_rng(0).random((3 * JOINT_CHUNK, 3))
    space = space_of(CUBE)
    alone, _ = score(acquisition, space)
    acquisition.set_X_pending(torch.full((2, 3), 0.5, dtype=torch.double))
    beside, _ = score(acquisition, space)
    assert (alone.chunk, beside.chunk) == (CHUNK, JOINT_CHUNK)
    whole = acquisition(torch.as_tensor(X)[:, None]).detach().numpy()
    assert beside(X) == pytest.approx(whole, rel=1e-6)


def test_the_same_seed_gives_the_same_point(model):
    acquisition = ANALYTIC["logei"](model)
    torch.manual_seed(3)
    first = optimize_acqf(acquisition, CUBE)[0]
    torch.manual_seed(3)
    assert torch.equal(first, optimize_acqf(acquisition, CUBE)[0])
    by_option = [optimize_acqf(acquisition, CUBE, options={"seed": 5})[0] for _ in range(2)]
    assert torch.equal(*by_option)


def test_other_units(model):
    bounds = torch.tensor([[-10.0, 0.0, 5.0], [10.0, 1e-3, 6.0]], dtype=torch.double)
    X = bounds[0] + model.train_inputs[0] * (bounds[1] - bounds[0])
    Y = model.train_targets.unsqueeze(-1)
    scaled = SingleTaskGP(X, Y, input_transform=Normalize(3, bounds=bounds))
    scaled.eval()
    acquisition = ANALYTIC["logei"](scaled)
    own, value = optimize_acqf(acquisition, bounds)
    assert value >= theirs(acquisition, bounds, q=1, **SAME)[1] - 1e-4
    assert ((own >= bounds[0]) & (own <= bounds[1])).all()
    assert observed_by(acquisition) == pytest.approx(X[Y[:, 0].argsort(descending=True)].numpy())
    assert lengthscales(acquisition, space_of(bounds)) == pytest.approx(
        scaled.covar_module.lengthscale.detach().numpy()[0]
    )


def test_fixed_features_stay_and_negative_columns_count_from_the_end(model):
    acquisition = ANALYTIC["logei"](model)
    own, value = optimize_acqf(acquisition, CUBE, fixed_features={0: 0.25, -1: 0.75})
    assert own[0, [0, 2]].tolist() == [0.25, 0.75]
    assert value >= theirs(acquisition, CUBE, q=1, fixed_features={0: 0.25, 2: 0.75}, **SAME)[1] - 1e-4
    everything, value = optimize_acqf(acquisition, CUBE, fixed_features={0: 0.1, 1: 0.2, 2: 0.3})
    assert everything.tolist() == [[0.1, 0.2, 0.3]]
    assert value.shape == ()


def test_linear_constraints_hold(model):
    acquisition = ANALYTIC["logei"](model)
    above = [(torch.tensor([0, 1]), torch.tensor([1.0, 1.0], dtype=torch.double), 1.2)]
    own, value = optimize_acqf(acquisition, CUBE, inequality_constraints=above)
    assert own[0, 0] + own[0, 1] >= 1.2 - 1e-8
    assert value >= theirs(acquisition, CUBE, q=1, inequality_constraints=above, **SAME)[1] - 0.05


def test_nonlinear_constraints_hold(model):
    inside = [(lambda x: 0.04 - ((x - 0.8) ** 2).sum(), True)]
    own, _ = optimize_acqf(ANALYTIC["logei"](model), CUBE, nonlinear_inequality_constraints=inside)
    assert ((own[0] - 0.8) ** 2).sum() <= 0.04 + 1e-9


def test_columns_with_separate_values(model):
    acquisition, tenths = ANALYTIC["logei"](model), [i / 10 for i in range(11)]
    own, value = optimize_acqf_mixed_alternating(acquisition, CUBE, {0: tenths}, {1: [0.0, 0.5, 1.0]})
    assert own[0, 0].item() in tenths
    assert own[0, 1].item() in [0.0, 0.5, 1.0]
    fixed = [{0: a, 1: b} for a in tenths for b in [0.0, 0.5, 1.0]]
    assert value >= theirs_mixed(acquisition, CUBE, 1, 4, fixed, 64)[1] - 1e-4
    again = optimize_acqf_mixed(acquisition, CUBE, 1, fixed_features_list=fixed)[1]
    assert float(again) == pytest.approx(float(value), abs=1e-4)


def test_a_list_that_is_no_product(model):
    acquisition, fixed = ANALYTIC["logei"](model), [{0: 0.1}, {1: 0.4}]
    _, value = optimize_acqf_mixed(acquisition, CUBE, 1, fixed_features_list=fixed)
    assert value >= theirs_mixed(acquisition, CUBE, 1, 10, fixed, 256)[1] - 1e-4
    with pytest.raises(NotImplementedError, match="every combination"):
        optimize_acqf_mixed(MONTE_CARLO["qei"](model), CUBE, 2, fixed_features_list=fixed)
    with pytest.raises(ValueError, match="empty"):
        optimize_acqf_mixed(acquisition, CUBE, 1)


def test_post_processing_is_applied_before_the_value(model):
    acquisition = ANALYTIC["logei"](model)
    own, value = optimize_acqf(acquisition, CUBE, post_processing_func=lambda X: X.round(decimals=1))
    assert torch.equal(own, own.round(decimals=1))
    assert value == acquisition(own)


def test_values_need_not_be_returned_and_single_precision_is_kept(model):
    acquisition = ANALYTIC["ucb"](model)
    assert optimize_acqf(acquisition, CUBE, return_acq_values=False)[1] is None
    own, value = optimize_acqf(acquisition, CUBE.float())
    assert own.dtype == value.dtype == torch.float32
    assert ((own >= 0) & (own <= 1)).all()


def test_every_solve_says_how_exact_it_was(model):
    reports = []
    optimize_acqf(MONTE_CARLO["qlogei"](model), CUBE, q=2, sequential=True, reports=reports)
    assert len(reports) == 2
    assert all(0.9 < report.eta <= 1.0 and report.eta_lower <= report.eta for report in reports)
    assert all(report.n_evals > 0 and report.seconds["solve"] > 0.0 for report in reports)


def test_a_sequence_of_acquisitions(model):
    several = [ANALYTIC["ucb"], ANALYTIC["logei"]]
    q = [MONTE_CARLO["qei"](model), MONTE_CARLO["qlogei"](model)]
    own, values = optimize_acqf(None, CUBE, q=2, sequential=True, acq_function_sequence=q)
    assert own.shape == (2, 3)
    assert values.shape == (2,)
    with pytest.raises(ValueError, match="must have q=3"):
        optimize_acqf(None, CUBE, q=3, acq_function_sequence=several)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"equality_constraints": [()]}, "equality_constraints"),
        ({"return_best_only": False}, "return_best_only"),
        ({"gen_candidates": print}, "gen_candidates"),
        ({"ic_generator": print}, "ic_generator"),
        ({"return_full_tree": True}, "return_full_tree"),
        ({"q": 2}, "is analytic"),
        ({"inequality_constraints": [(torch.zeros(1, 2).long(), torch.ones(1), 0.0)]}, "between the points"),
        ({"fixed_features": {0: torch.rand(3)}}, "fixed feature"),
    ],
)
def test_what_is_not_taken_is_refused_by_name(model, words, said):
    with pytest.raises(NotImplementedError, match=said):
        optimize_acqf(ANALYTIC["logei"](model), CUBE, **words)


def test_one_shot_acquisitions_are_refused(model):
    with pytest.raises(NotImplementedError, match="qKnowledgeGradient"):
        optimize_acqf(qKnowledgeGradient(model, num_fantasies=2), CUBE)


@pytest.mark.parametrize("bounds", [torch.rand(3, 2), [[0, 0], [1, 1]], torch.tensor([[0.0], [np.inf]])])
def test_bounds_that_are_none_are_refused(model, bounds):
    with pytest.raises(ValueError, match="bounds must be"):
        optimize_acqf(ANALYTIC["logei"](model), bounds)


def test_an_acquisition_without_fixed_samples_is_refused():
    with pytest.raises(ValueError, match="random"):
        optimize_acqf(lambda X: torch.rand(len(X)), CUBE)
    with pytest.raises(ValueError, match="nan at all"):
        optimize_acqf(lambda X: torch.full((len(X),), torch.nan), CUBE)


class Given(torch.nn.Module):
    """A function as an acquisition function that takes (b, q, d) only."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, X):
        assert X.ndim == 3
        return self.function(X)


def hill(X):
    return torch.exp(-((X - 0.3) ** 2).sum(dim=(1, 2)))


def raises(X):
    raise KeyError("model")


BAD = {
    "nan": (lambda X: torch.full((len(X),), torch.nan), "nan at all"),
    "infinite": (lambda X: hill(X) / 0.0, "infinite at"),
    "infinite in places": (lambda X: torch.where(X[:, 0, 0] > 0.5, torch.inf, hill(X)), "infinite at"),
    "a column": (lambda X: hill(X)[:, None], "one value for each row"),
    "a sum": (lambda X: hill(X).sum(), "one value for each row"),
    "no tensor": (lambda X: [1.0] * len(X), "must return a tensor: got list"),
    "nothing": (lambda X: None, "must return a tensor: got NoneType"),
    "an error": (raises, "raised KeyError"),
    "random": (lambda X: hill(X) + 0.1 * torch.rand(len(X)), "is random: two calls"),
    "other rows": (lambda X: hill(X) - hill(X).mean(), "among others"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_acquisition_is_a_clear_error_of_the_optimizer_and_of_the_meter(name):
    function, said = BAD[name]
    with pytest.raises(ValueError, match=said):
        optimize_acqf(Given(function), CUBE)
    with pytest.raises(ValueError, match=said):
        sf.solve_quality(Given(function), [0.5] * 3, CUBE, draws=1000)


@pytest.mark.parametrize(
    "function", [lambda X: hill(X).detach(), lambda X: torch.where(X[:, 0, 0] > 0.8, torch.nan, hill(X))]
)
def test_without_a_gradient_or_a_value_everywhere_the_maximum_is_found_all_the_same(function):
    x, value = optimize_acqf(Given(function), CUBE)
    assert x[0].tolist() == pytest.approx([0.3] * 3, abs=1e-2)
    assert float(value) == pytest.approx(1.0, abs=1e-4)


def test_the_meter_says_that_it_climbs_without_a_gradient():
    found = sf.solve_quality(Given(lambda X: hill(X).detach()), [0.3] * 3, CUBE, draws=1000)
    assert found.eta == pytest.approx(1.0, abs=1e-6)
    assert any("without a gradient" in note for note in found.notes)


def test_a_constant_is_solved_by_any_point():
    x, value = optimize_acqf(Given(lambda X: torch.full((len(X),), 3.0, dtype=torch.double)), CUBE)
    assert ((x >= 0) & (x <= 1)).all()
    assert value == 3.0


def test_what_is_no_acquisition_of_torch_is_refused_by_name():
    with pytest.raises(TypeError, match="a callable of tensors: got 'ei'"):
        optimize_acqf("ei", CUBE)
    with pytest.raises(NotImplementedError, match="Given has no set_X_pending"):
        optimize_acqf(Given(hill), CUBE, q=2, sequential=True)


def test_the_meter_takes_an_acquisition_as_it_is(model):
    acquisition = ANALYTIC["logei"](model)
    own, _ = optimize_acqf(acquisition, CUBE)
    found = sf.solve_quality(acquisition, own, CUBE, draws=2000)
    assert found.eta > 0.99
    assert found.logarithmic
    assert found.notes == ()
    assert sf.solve_quality(ANALYTIC["ucb"](model), [0.9, 0.1, 0.9], CUBE, draws=2000).eta < 0.9


@pytest.mark.parametrize("library", ["botorch", "ax", "baybe"])
def test_within_everywhere_other_libraries_solve_by_ours(library):
    pytest.importorskip(library)
    before = theirs
    with everywhere() as reports:
        LOOPS[library](steps=2)
    assert len(reports) >= 2
    assert min(report.eta for report in reports) > 0.9
    import botorch.optim

    assert botorch.optim.optimize_acqf is before


@pytest.mark.parametrize(("name", "package"), [("with_suffice.py", "botorch"), ("in_ax.py", "ax")])
def test_the_programs_of_the_page_run(name, package, tmp_path, monkeypatch):
    pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names, path = {}, "docs/howto/botorch.md"
    exec(Page(path).file(name), names)
    assert len(names["reports"]) >= 2
    assert min(report.eta for report in names["reports"]) > 0.9
