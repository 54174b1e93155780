"""A slice is a domain of its own in the columns of the whole space."""

import numpy as np
import pytest

from suffice.space import Choice, Float, Int, Ordinal, PointSet, Slice, Space, as_space, sliced
from suffice.testing import DomainContract

MIXED = Space(
    lr=Float(1e-5, 1, log=True),
    depth=Int(1, 12),
    loss=Choice("a", "b", "c"),
    size=Ordinal("s", "m", "l"),
    rate=Float(0, 1, step=0.05),
    k=3,
)
SLICES = {
    "a float": Slice(MIXED, {"lr": 0.01}),
    "a choice and an int": Slice(MIXED, {"depth": 3, "loss": "b"}),
    "all but one": Slice(MIXED, {"lr": 0.01, "depth": 3, "loss": "b", "size": "l"}),
    "a finite one": Slice(MIXED, {"lr": 0.01, "rate": 0.15}),
    "everything": Slice(Space(x=(0.0, 1.0), n=(1, 5)), {"x": 0.3, "n": 2}),
    "of a box": Slice(as_space([(0.0, 1.0)] * 3), {"x[1]": 0.25}),
    "of a list": Slice(as_space([(0.0, 1.0), Int(1, 9), Choice("a", "b")]), {"x[2]": "b"}),
}


class TestSlices(DomainContract):
    @pytest.fixture(params=SLICES)
    def domain(self, request):
        return SLICES[request.param]


@pytest.mark.parametrize("name", SLICES)
def test_members_are_the_members_of_the_space_that_have_the_values_to_the_last_digit(name):
    part, rng = SLICES[name], np.random.default_rng(0)
    assert part.space.contains(part.sample(20, rng)).all()
    for x in part.sample(20, rng):
        point = part.from_unit(x)
        values = point if part.named else dict(zip(part.names, point, strict=True))
        assert {name: values[name] for name in part.fixed} == part.fixed
        assert type(point) is type(part.space.from_unit(x))
        assert np.array_equal(part.space.to_unit(point)[part.x > 0], x[part.x > 0])


def test_a_slice_of_a_finite_space_lists_what_the_space_lists_of_it():
    space = Space(i=Int(0, 4), c=Choice("x", "y", "z"), s=Ordinal(1, 2))
    for fixed in ({"c": "y"}, {"i": 3}, {"s": 2, "c": "z"}):
        part, whole = Slice(space, fixed), space.enumerate()
        assert np.array_equal(part.enumerate(), whole[part.contains(whole)])


def test_nothing_fixed_is_the_space_itself_and_a_set_without_parameters_has_no_slices():
    assert sliced(MIXED, None) is MIXED
    assert sliced(MIXED, {}) is MIXED
    with pytest.raises(TypeError, match="fixed= needs a space made of parameters: got PointSet"):
        sliced(PointSet(np.zeros((2, 2))), {"x": 1})
