"""When a parameter is there at all: the values of other parameters that it needs."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from suffice.checks import short
from suffice.space.sameness import is_hashable, key

EXAMPLE = 'when={"kernel": ("rbf", "poly")}'


@dataclass(frozen=True, eq=False, repr=False)
class When(Mapping[str, tuple[Hashable, ...]]):
    """Name of a parent → the values of it with which the parameter is active; of several parents all have to agree."""

    needs: tuple[tuple[str, tuple[Hashable, ...]], ...]

    def __getitem__(self, name: str) -> tuple[Hashable, ...]:
        return dict(self.needs)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.needs)

    def __len__(self) -> int:
        return len(self.needs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, When) and self._told_apart() == other._told_apart()

    def __hash__(self) -> int:
        return hash(self._told_apart())

    def __repr__(self) -> str:
        return repr({name: values[0] if len(values) == 1 else values for name, values in self.needs})

    def _told_apart(self) -> frozenset[tuple[str, frozenset[Hashable]]]:
        """Whatever the order of parents and values; True is not 1."""
        return frozenset((name, frozenset(map(key, values))) for name, values in self.needs)


def as_when(given: object) -> When | None:
    """What a user passes as when=: a dict of names and of one value or a tuple of values for each."""
    if given is None or isinstance(given, When):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(
            f"when must be a dict of other parameters and the values needed, as in {EXAMPLE}: got {given!r}"
        )
    needs = tuple((_as_parent(name), _as_values(name, values)) for name, values in given.items())
    return When(needs) if needs else None


def _as_parent(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"when has the names of other parameters, as in {EXAMPLE}: got {short(name)}")
    return str(name)


def _as_values(name: object, given: object) -> tuple[Hashable, ...]:
    """A tuple or a list is always several values, also where an option is a tuple itself."""
    values = tuple(given) if isinstance(given, tuple | list | set | frozenset) else (given,)
    if not values:
        raise ValueError(f"when needs at least one value of {name!r}: got none")
    for value in values:
        if not is_hashable(value):
            raise TypeError(f"when: {short(value)} can be no value of {name!r}; write {EXAMPLE}")
    return values
