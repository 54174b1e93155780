"""What a parameter may be. It does not know its name; `Space` puts the name in front of every message of its."""

from typing import TypeAlias

from suffice.space.choice import Choice
from suffice.space.float import Float
from suffice.space.int import Int
from suffice.space.ordinal import Ordinal

Parameter: TypeAlias = Float | Int | Choice | Ordinal
Listed: TypeAlias = Choice | Ordinal  # a parameter that takes one of the options that were given

__all__ = ["Choice", "Float", "Int", "Listed", "Ordinal", "Parameter"]
