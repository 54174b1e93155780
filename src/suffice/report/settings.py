"""What the study was made with: the parts and the options that differ from the defaults."""

from suffice.page.html import facts
from suffice.report.values import name, number, sentence
from suffice.space import AbsentSpace
from suffice.space.absent import ADDRESS
from suffice.space.predicates import text
from suffice.study.overview import brief
from suffice.study.settings import Settings

OPTIONS = {
    "resolution": "Differences that do not matter",
    "audit": "Share of the steps that were audited",
    "certify": "Seconds for each proof",
    "certify_share": "Time for proofs, as a share of an evaluation",
}


def settings(given: Settings) -> str:
    """Sense, seed, design, the three parts, and the options that are set, as a list."""
    return facts(_pairs(given))


def listed(given: Settings) -> dict[str, str]:
    """The same by label; constraints, of which there may be several, stand together."""
    found: dict[str, str] = {}
    for label, words in _pairs(given):
        found[label] = f"{found[label]}; {words}" if label in found else words
    return found


def _pairs(given: Settings) -> list[tuple[str, str]]:
    senses = ", ".join(
        sense if word == "value" else f"{sense} {name(word)}" for word, sense in given.objectives.items()
    )
    pairs = [("Sense", senses)]
    pairs += [("Limit", f"{name(output)} {limit}") for output, limit in given.constraints.items()]
    if given.reference is not None:
        said = ", ".join(f"{name(output)} {number(worst)}" for output, worst in given.reference.items())
        pairs.append(("Reference point", said))
    pairs += [("Seed", str(given.seed)), ("Points of the initial design", str(given.n_initial))]
    pairs += [(word.capitalize(), _part(getattr(given, word))) for word in ("model", "acquisition", "solver")]
    pairs += [("Points given to begin with", str(len(given.x0)))] if given.x0 else []
    pairs += [("A point may be evaluated twice", "yes")] if given.repeat else []
    pairs += [(words, number(getattr(given, word))) for word, words in OPTIONS.items() if getattr(given, word)]
    pairs += [("Constraint", sentence(text(predicate))) for predicate in getattr(given.space, "where", ())]
    return pairs


def described(space: object) -> str:
    """A space that is not made of parameters, in words."""
    known = f"{space.text}, known by its description only" if isinstance(space, AbsentSpace) else repr(space)
    return sentence(ADDRESS.sub("", known))


def _part(part: object) -> str:
    return sentence(ADDRESS.sub("", brief(part)))
