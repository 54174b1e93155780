"""A part is a value: nobody changes it, and its copy in another process is the same part."""

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest


def assert_travels(part: object) -> None:
    """The pickled copy of a part is equal to it, with the same hash, and prints the same."""
    copy = pickle.loads(pickle.dumps(part))
    assert copy == part
    assert hash(copy) == hash(part)
    assert repr(copy) == repr(part)


def assert_frozen(part: object) -> None:
    """A part is a dataclass that no one can assign to."""
    assert is_dataclass(part)
    for name in [field.name for field in fields(part)] or ["anything"]:
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, None)
