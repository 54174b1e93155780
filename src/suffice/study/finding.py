"""One thing that was found out about a run, in words: what an audit found about its steps is in audited.py."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from suffice.accuracy.verdict import paragraph
from suffice.markup import safe, visible

LONGEST = 2000  # letters of a finding in print

Severity: TypeAlias = Literal["warning", "note"]


@dataclass(frozen=True)
class Finding:
    """What is true about a run, and what to do about it.

    Attributes
    ----------
    name : str
        Of the kind, by which a program tells findings apart.
    sentence : str
        What is true.
    remedy : str
        What to do about it.
    severity : {'warning', 'note'}
        A warning: the answer may be wrong, or could be better. A note: worth knowing.
    """

    name: str
    sentence: str
    remedy: str
    severity: Severity = "note"

    def __str__(self) -> str:
        """In lines, in which nothing steers a terminal, whatever a parameter or an option is called."""
        return paragraph(visible(f"- {self.sentence} {self.remedy}", LONGEST), indent="  ")


class Findings(tuple[Finding, ...]):
    """A tuple of findings that prints itself as sentences, the warnings first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing was found that calls for a remedy."

    __str__ = __repr__

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{safe(repr(self), 200)}</p>"
        rows = (f"<li><b>{safe(finding.sentence, 1000)}</b> {safe(finding.remedy, 1000)}</li>" for finding in self[:20])
        return f"<ul>{''.join(rows)}</ul>"
