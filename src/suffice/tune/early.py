"""The rule of early stopping as a TOML file or a command line names it."""

from collections.abc import Mapping
from typing import Any

from suffice.checks import short
from suffice.study.early.halving import Halving
from suffice.study.early.median import Median
from suffice.study.early.race import Race
from suffice.study.early.rule import EarlyStop
from suffice.tune.command import near

RULES: dict[str, type] = {"median": Median, "halving": Halving, "race": Race}


def as_early_stop(given: Any) -> EarlyStop | None:
    """A rule by its name, "median", or with settings of its own: {rule = "median", risk = 0.05}."""
    if given is None:
        return None
    words = {"rule": given} if isinstance(given, str) else given
    if not isinstance(words, Mapping) or not isinstance(words.get("rule"), str):
        raise TypeError(
            f'early_stop: wanted "median", "halving" or "race", or {{ rule = "median" }}: got {short(given)}'
        )
    name, own = words["rule"], {word: value for word, value in words.items() if word != "rule"}
    if name not in RULES:
        raise ValueError(f"early_stop: there is no rule {short(name)}; {near(name, RULES)}")
    try:
        rule: EarlyStop = RULES[name](**own)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        known = [word for word in RULES[name].__dataclass_fields__ if word != "level"]  # type: ignore[attr-defined]
        raise TypeError(f"early_stop: {name} has the settings {', '.join(known)}: got {', '.join(own)}") from None
    return rule
