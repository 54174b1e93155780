"""Spaces and kernels of one's own: the example, and one of every other kind."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition import ACQUISITIONS
from suffice.candidates import CANDIDATES
from suffice.errors import SpaceAbsent
from suffice.gp.fit import Evidence, Hyper
from suffice.gp.transform import standardised
from suffice.solvers import SOLVERS
from suffice.space import SearchSpace
from suffice.testing import OwnKernelContract, OwnSpaceContract

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from permutations import OtherLegs, Tours, tour_length

LETTERS = "acgt"
TOURS, LENGTH = Tours(8), tour_length(np.random.default_rng(5).random((8, 2)))
QUICK = sf.solvers.Adaptive(cap=1, draws=50)


@dataclass(frozen=True)
class Words(sf.CustomSpace):
    """Words of one length."""

    length: int

    def draw(self, rng):
        return "".join(rng.choice(list(LETTERS), self.length))

    def neighbour(self, word, rng):
        i = int(rng.integers(self.length))
        return word[:i] + str(rng.choice(list(LETTERS))) + word[i + 1 :]

    def encode(self, word):
        if not isinstance(word, str) or len(word) != self.length or set(word) - set(LETTERS):
            raise ValueError(f"a word has {self.length} of the letters {LETTERS}: got {word!r}")
        return [LETTERS.index(letter) / 3 for letter in word]

    def decode(self, row):
        return "".join(LETTERS[round(3 * u)] for u in row)


@dataclass(frozen=True)
class OtherLetters(sf.gp.CustomKernel):
    """Positions with another letter."""

    lengthscale: float = 1.0

    def distance(self, A, B):
        return (np.abs(A[:, None] - B) > 0.1).sum(axis=2)


class TestTours(OwnSpaceContract):
    @pytest.fixture
    def space(self):
        return TOURS


class TestWords(OwnSpaceContract):
    @pytest.fixture
    def space(self):
        return Words(6)


class TestOtherLegs(OwnKernelContract):
    @pytest.fixture
    def kernel(self):
        return OtherLegs()

    @pytest.fixture
    def space(self):
        return TOURS


class TestOtherLetters(OwnKernelContract):
    @pytest.fixture
    def kernel(self):
        return OtherLetters()

    @pytest.fixture
    def space(self):
        return Words(6)


def test_tours_beat_random_ones():
    for seed in range(3):
        length, tours = tour_length(np.random.default_rng(seed).random((10, 2))), Tours(10)
        rng = np.random.default_rng(seed)
        at_random = min(length(tours.draw(rng)) for _ in range(20))
        found = sf.minimize(length, tours, n_trials=20, seed=seed, model=sf.GP(kernel=OtherLegs()), solver=QUICK)
        assert found.fun < at_random
        assert len({trial.point for trial in found.trials}) == 20


def test_a_space_of_ones_own_is_a_space_that_a_study_takes():
    assert isinstance(TOURS, SearchSpace)
    optimizer = sf.Optimizer(TOURS, seed=0, x0=[(3, 2, 1, 0, 7, 6, 5, 4)])
    first = optimizer.ask()
    assert first.point == (0, 1, 2, 3, 4, 5, 6, 7)  # the same tour
    optimizer.tell((7, 6, 5, 4, 3, 2, 1, 0), 1.0)  # and again
    assert [trial.state for trial in optimizer.trials] == ["done"]
    with pytest.raises(ValueError, match="each of the cities 0 to 7 once"):
        optimizer.tell((0, 1, 2), 1.0)
    with pytest.raises(TypeError, match="made of parameters"):
        optimizer.ask(fixed={"x": 1})


@pytest.mark.parametrize("name", ACQUISITIONS)
@pytest.mark.parametrize("kernel", [sf.gp.Matern(), OtherLegs()], ids=["library", "own"])
def test_every_acquisition_works_or_says_that_it_does_not(name, kernel):
    words = {
        "acquisition": ACQUISITIONS[name](),
        "model": sf.GP(kernel=kernel),
        "solver": QUICK,
        "diagnostics": sf.solvers.Diagnostics(proof_seconds=0.01),
    }
    if name == "thompson" and not kernel.euclidean:
        with pytest.raises(TypeError, match=r"no spectrum.*exact=True"):
            sf.minimize(LENGTH, TOURS, n_trials=6, seed=0, **words)
        return
    result = sf.minimize(LENGTH, TOURS, n_trials=6, seed=0, **words)
    assert len(result.trials) == 6
    for step in sf.audit(result, every=4, solver=sf.solvers.Grid(size=sf.solvers.Fixed(50))).steps:
        assert step.reason is None


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_walks(name):
    if name == "heavy":
        pytest.skip("what an audit takes: twenty thousand draws")
    optimizer = sf.Optimizer(TOURS, seed=0, solver=SOLVERS[name](), model=sf.GP(kernel=OtherLegs()))
    for _ in range(5):
        trial = optimizer.ask()
        optimizer.tell(trial, LENGTH(trial.point))
    assert sorted(optimizer.trials[-1].point) == list(range(8))


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_set_proposes_points(name):
    design = TOURS.sample(6, np.random.default_rng(1))
    X = CANDIDATES[name](20, TOURS, design=design, rng=np.random.default_rng(0))
    assert X.shape == (20, 8)
    assert TOURS.contains(X).all()


def test_a_small_space_is_exhausted_with_a_word_about_it():
    optimizer = sf.Optimizer(Words(1), seed=0, solver=QUICK)
    for _ in range(4):
        trial = optimizer.ask()
        optimizer.tell(trial, float(LETTERS.index(trial.point)))
    with pytest.raises(sf.errors.SpaceExhausted, match="all were proposed before"):
        optimizer.ask()


def test_a_study_in_a_file_goes_on_when_the_space_and_the_kernel_are_given_again(tmp_path):
    words = {"solver": QUICK, "model": sf.GP(kernel=OtherLegs())}
    with sf.Optimizer(TOURS, seed=3, storage=tmp_path / "tours.db", **words) as optimizer:
        for _ in range(6):
            trial = optimizer.ask()
            optimizer.tell(trial, LENGTH(trial.point))
        points = [trial.point for trial in optimizer.trials]
    loaded = sf.load(tmp_path / "tours.db")
    assert [trial.point.tolist() for trial in loaded.trials] == [list(point) for point in points]
    described = sf.Optimizer.resume(tmp_path / "tours.db", model=words["model"])
    with described, pytest.raises(SpaceAbsent, match=r"Tours\(n=8\)"):
        described.ask()
    whole = sf.Optimizer(TOURS, seed=3, **words)
    for _ in range(7):
        trial = whole.ask()
        whole.tell(trial, LENGTH(trial.point))
    with sf.Optimizer(TOURS, storage=tmp_path / "tours.db", **words) as again:
        assert [trial.point for trial in again.trials] == points
        assert again.ask().point == whole.trials[-1].point
    with pytest.raises(sf.errors.SufficeError, match=r"Tours\(n=8\).*Tours\(n=9\)"):
        sf.Optimizer(Tours(9), storage=tmp_path / "tours.db")


def test_the_evidence_of_an_own_distance_has_the_slope_that_differences_have():
    X = TOURS.sample(15, np.random.default_rng(2))
    y = np.array([LENGTH(TOURS.from_unit(x)) for x in X])
    noise, groups = np.full(15, np.nan), np.zeros(8, dtype=np.intp)
    evidence = Evidence(OtherLegs(), X, y, standardised(y), noise, groups, sf.gp.Prior())
    for ell in (0.4, 1.5):
        slope = evidence(Hyper((ell,)))[1]["lengthscale"][0]
        high, low = (evidence(Hyper((ell * np.exp(step),)))[0] for step in (1e-5, -1e-5))
        assert slope == pytest.approx((high - low) / 2e-5, rel=1e-4)


def test_an_own_distance_is_refused_where_it_would_have_to_be_climbed():
    with pytest.raises(TypeError, match="custom distance without gradients"):
        sf.minimize(lambda x: float(x[0]), [(0, 1)], n_trials=5, seed=0, model=sf.GP(kernel=OtherLegs()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encode": lambda self, word: [2.0] * len(word)}, r"must return numbers in \[0, 1\]"),
        ({"encode": lambda self, word: [float("nan")] * len(word)}, r"must return numbers in \[0, 1\]"),
        ({"decode": lambda self, row: "a" * len(row)}, "decode does not undo encode"),
        ({"parts": lambda self: {"letters": 3}}, "a point has 4 numbers, but parts"),
    ],
)
def test_a_space_whose_methods_disagree_is_refused_before_anything_is_evaluated(change, message):
    with pytest.raises(ValueError, match=message):
        sf.minimize(pytest.fail, type("Odd", (Words,), change)(4), n_trials=5, seed=0)


def test_a_distance_of_the_wrong_shape_is_refused():
    class Odd(OtherLetters):
        def distance(self, A, B):
            return np.zeros(3)

    with pytest.raises(ValueError, match="one number for each pair of rows"):
        Odd()(np.zeros((2, 3)), np.zeros((4, 3)))
