"""Notations write numbers as symbols in cells: Arabic numerals in any base, additive Roman numerals, your own."""

from visarith.notation.arabic import Arabic
from visarith.notation.notation import Notation as Notation
from visarith.notation.notation import as_notation as as_notation
from visarith.notation.notation import blank as blank
from visarith.notation.notation import writes_nothing as writes_nothing
from visarith.notation.roman import Roman

NOTATIONS: dict[str, type[Notation]] = {"arabic": Arabic, "roman": Roman}
