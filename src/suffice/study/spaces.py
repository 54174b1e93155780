"""Spaces as plain data and back: made of parameters, a small pool, or else a description.

A file holds what can be read without running anything. So of a large pool, and of a space of the user's own, it has the
description alone (AbsentSpace): the trials are there without it, and to go on the space is given again.
"""

from collections.abc import Mapping

from suffice.space import AbsentSpace, Pool, SearchSpace
from suffice.study.spec import Plain, from_spec, to_spec


def space_to_spec(space: SearchSpace) -> dict[str, Plain]:
    """The spec of a space, or of its description; TypeError if a parameter holds what no file can."""
    if space.params:
        return to_spec(space)
    if isinstance(space, Pool) and space.to_words() is not None:
        try:
            return to_spec(space)
        except TypeError:  # the rows have values that no file can hold
            pass
    return to_spec(AbsentSpace.of(space))


def space_from_spec(spec: Mapping[str, Plain]) -> SearchSpace:
    """The space that a spec describes; ValueError if it describes none."""
    space = from_spec(spec)
    if not isinstance(space, SearchSpace):
        raise ValueError(f"space is {space!r}")
    return space


def storage_notes(space: SearchSpace) -> tuple[str, ...]:
    """What the user should know at the start: a space with options that no file can hold cannot be saved later."""
    try:
        space_to_spec(space)
    except TypeError as error:
        return (f"this study cannot be saved: {error}; use strings or numbers as options",)
    return ()
