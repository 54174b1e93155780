"""A deprecated name warns the one who uses it, and lives no longer than was said."""

import re
import warnings

import pytest

import suffice as sf
from suffice.deprecation import DEPRECATED, Deprecation, SufficeDeprecationWarning, warn


def version(text):
    """The numbers of a version: 0.1.0.dev0 comes before 0.1.0, which its own end has reached."""
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)\.(\d+)", text).groups())


def overdue(deprecated, now):
    return [name for name, entry in deprecated.items() if version(entry.until) <= version(now)]


def test_no_deprecated_name_outlives_its_end():
    late = overdue(DEPRECATED, sf.__version__)
    assert not late, f"these were to be gone in {sf.__version__}: remove them, with a line in CHANGELOG.md: {late}"


def test_a_deprecated_name_lives_for_two_minor_versions_at_least():
    for name, entry in DEPRECATED.items():
        (major, minor, _), (last, end, _) = version(entry.since), version(entry.until)
        assert last > major or end >= minor + 2, f"{name}: from {entry.since} to {entry.until} is too short"


def test_a_name_is_overdue_in_the_version_of_its_end_and_not_before():
    entry = {"sf.old": Deprecation("0.2.0", "0.4.0", "use sf.new")}
    assert overdue(entry, "0.3.9") == []
    assert overdue(entry, "0.4.0.dev0") == overdue(entry, "0.4.0") == overdue(entry, "1.0.0") == ["sf.old"]


def test_the_warning_says_since_when_until_when_and_what_to_use_and_points_to_the_user(monkeypatch):
    monkeypatch.setitem(DEPRECATED, "sf.old()", Deprecation("0.2.0", "0.4.0", "use sf.new()"))

    def old():
        warn("sf.old()")

    said = r"^sf\.old\(\) is deprecated since suffice 0\.2\.0 and will be gone in 0\.4\.0: use sf\.new\(\)$"
    with pytest.warns(SufficeDeprecationWarning, match=said) as caught:
        old()
    assert caught[0].filename == __file__


def test_the_warning_is_shown_to_everybody_unless_it_is_silenced(monkeypatch):
    monkeypatch.setitem(DEPRECATED, "sf.old()", Deprecation("0.2.0", "0.4.0", "use sf.new()"))
    assert issubclass(SufficeDeprecationWarning, FutureWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SufficeDeprecationWarning)
        warn("sf.old()")


def test_what_is_not_in_the_list_cannot_warn():
    with pytest.raises(KeyError):
        warn("sf.minimize")
