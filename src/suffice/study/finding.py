"""One thing that was found out about a run, in words: what an audit found about its steps is in audited.py."""

import textwrap
from dataclasses import dataclass

from suffice.accuracy.verdict import WIDTH


@dataclass(frozen=True)
class Finding:
    """What is true about a run, and what to do about it."""

    name: str  # of the kind, by which a program tells findings apart
    sentence: str
    remedy: str

    def __str__(self) -> str:
        text = f"- {self.sentence} {self.remedy}"
        return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
