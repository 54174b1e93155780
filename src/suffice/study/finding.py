"""One thing that was found out about a run, in words: what an audit found about its steps is in audited.py."""

from dataclasses import dataclass

from suffice.accuracy.verdict import paragraph


@dataclass(frozen=True)
class Finding:
    """What is true about a run, and what to do about it."""

    name: str  # of the kind, by which a program tells findings apart
    sentence: str
    remedy: str

    def __str__(self) -> str:
        return paragraph(f"- {self.sentence} {self.remedy}", indent="  ")
