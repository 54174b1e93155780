"""What a list of options may hold, and which of them a user's value is: for `Choice` and `Ordinal` alike."""

from collections.abc import Hashable, Mapping, Sequence

from suffice.checks import short
from suffice.space.sameness import equal, is_hashable, key

SHOWN = 8  # options that a message lists


def keys_of(options: Sequence[object], word: str) -> tuple[Hashable, ...]:
    """What tells the options apart; refuses, for the class of this name, what cannot be an option."""
    if not options:
        raise ValueError(f"{word} needs at least one option: got none; write {word}('a', 'b')")
    for option in options:
        if hasattr(option, "from_unit"):  # a space, or a parameter
            raise TypeError(
                f"options are values: got {short(option)}; what depends on an option is a parameter beside the choice "
                "with when=, as in Space(kernel=Choice('rbf', 'linear'), width=Float(0, 1, when={'kernel': 'rbf'}))"
            )
        if not is_hashable(option):
            raise TypeError(
                f"options must be hashable: got {short(option)} of type {type(option).__name__}; "
                f"write {word}('a', 'b') or {word}(*options)"
            )
    keys = tuple(map(key, options))
    if len(set(keys)) < len(keys):
        twice = next(option for j, option in enumerate(options) if keys[j] in keys[:j])
        raise ValueError(f"options must differ: got {short(twice)} more than once; drop the repetition")
    return keys


def find(value: object, options: Sequence[object], places: Mapping[Hashable, int]) -> int:
    """The place of a user's value: the same type and value, else the only option that equals it."""
    if is_hashable(value) and (exact := places.get(key(value))) is not None:
        return exact
    matching = [j for j, option in enumerate(options) if equal(option, value)]
    if len(matching) == 1:
        return matching[0]
    fault = "equals several of" if matching else "is none of"
    shown = ", ".join(short(option) for option in options[:SHOWN])
    more = f", … ({len(options)} options)" if len(options) > SHOWN else ""
    raise ValueError(f"{short(value)} of type {type(value).__name__} {fault} the options {shown}{more}")
