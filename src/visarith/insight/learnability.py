"""What an operation asks of a learner: on which digits its answer depends, how many gates would compute it, a verdict.

The count of gates is an upper bound from one family of constructions (`staircases`), not a lower bound, and no verdict
says what training will find: it says whether a network of the paper's size has room for a construction that we know,
and whether single digits tell it anything to begin with.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from visarith.data.task import Task
from visarith.errors import VisarithError, option
from visarith.insight.costs import LAYERS, Construction, constructions
from visarith.insight.growth import Growth, growth
from visarith.insight.influence import Influence, influence
from visarith.insight.question import Question, few, worths

# The rule's two bounds lie between the paper's operations of seven digits that are learned and multiplication, which is
# not: Roman addition takes 490 gates in a layer, products about 1,000; a digit of a sum or difference takes 2.8 digits'
# worth of input, a middle digit of a product 7.1.
MOST_GATES = 512  # in one layer: twice the paper's 256 units
MOST_TAKEN = 5.0  # the sum of the influences on one digit of the answer: half way
MOST_LENGTHS = 4  # that are counted
LEARNABLE, ONE_MORE = "learnable", "learnable, one more layer"
VERDICTS = {
    LEARNABLE: "a shallow network has room for it, as for addition",
    ONE_MORE: "a network that is one layer deeper than for addition has room for it",
    "too many digits at once": "a digit of the answer changes with almost any digit of the input, so that no digit "
    "tells anything by itself",
    "too many gates": "thresholds do it, but more than a layer of the paper's network holds",
    "products of digits": "digits must be multiplied first, with more gates than a layer of the paper's network holds",
    "a table": "nothing in the family does it but a table of all that the digits may be",
}


@dataclass(frozen=True)
class Digit:
    """One digit of the answer; the place counts from the right (for Roman numerals: I, V, X and so on)."""

    place: int
    depends_on: int
    taken: float
    reach: int | None
    nodes: int | None  # gates of its own; None above the places that were counted


@dataclass(frozen=True)
class Learnability:
    """Everything that the analysis says of an operation at one length."""

    verdict: str
    way: str
    of: str  # the sums that it uses
    layers: int  # hidden ones, as Sec. 6 counts them: the inputs' glyphs first, the answer's glyphs last
    templates: int  # nodes that find the inputs' glyphs
    gates: int
    widest: int  # gates in the widest layer
    answers: int  # nodes for the answer's glyphs
    growth: Growth
    counted: dict[int, int]  # gates by length
    digits: tuple[Digit, ...]
    exhaustive: bool  # whether the influences are of all operands
    within: float  # half the 95 % interval of an influence, if not

    @property
    def nodes(self) -> int:
        return self.templates + self.gates + self.answers


def decide(way: str, layers: int, widest: int, taken: float) -> str:
    """The verdict: by the gates in the widest layer, by how many digits one digit takes, and by the way.

    >>> decide("staircase", 3, 122, 2.8), decide("products", 4, 1296, 5.2)
    ('learnable', 'products of digits')
    """
    if widest > MOST_GATES:
        return {"products": "products of digits", "table": "a table"}.get(way, "too many gates")
    if taken > MOST_TAKEN:
        return "too many digits at once"
    return LEARNABLE if layers <= LAYERS["staircase"] else ONE_MORE


def learnable(question: Question, *, seed: int = 0, step: Callable[[str], None] = lambda _: None) -> Learnability:
    """Analyse an operation; nothing is trained."""
    task, shorter = question.task(), _countable(question)
    step("the influence of each digit")
    found = influence(task, seed=seed)
    counted: dict[int, dict[str, Construction]] = {}
    for digits, each in shorter.items():
        step(f"gates for numbers of {digits} digit{'s' if digits > 1 else ''}")
        counted[digits] = constructions(each, _tables(each, seed))
    return _summed(question, task, found, counted)


def _countable(question: Question) -> dict[int, Task]:
    """The task at the longest lengths at which all operands can be tried: this one, or two others to go by."""
    found = {digits: task for digits in range(1, question.digits + 1) if (task := _at(question, digits)) and few(task)}
    if question.digits not in found and len(found) < 2:
        where = f"only up to {max(found)} digits" if found else "at no length"
        raise VisarithError(
            f"the gates of {question.text} in base {question.base} can be counted {where}; "
            f"use fewer {option('digits')} or a smaller {option('base')}"
        )
    return dict(list(found.items())[-MOST_LENGTHS:])


def _at(question: Question, digits: int) -> Task | None:
    """The task at another length; None where the expression has no answers there."""
    try:
        return question.task(digits)
    except VisarithError:
        return None


def _tables(task: Task, seed: int) -> list[int]:
    found = influence(task, seed=seed)
    kinds = len(task.notation.alphabet)
    return [kinds ** found.depends_on(place) for place in range(len(worths(task)) - 1)]


def _summed(
    question: Question, task: Task, found: Influence, counted: dict[int, dict[str, Construction]]
) -> Learnability:
    longest = max(counted)
    ways = [way for way in LAYERS if all(way in made for made in counted.values())]
    grown = {way: growth({n: made[way].gates for n, made in counted.items()}, question.digits) for way in ways}
    way = min(ways, key=lambda each: (grown[each].count, LAYERS[each]))
    gates = grown[way].count
    widest = growth({n: made[way].widest for n, made in counted.items()}, question.digits).count
    best, layers = counted[longest][way], LAYERS[way]
    cells, kinds = task.notation.cells, len(task.notation.alphabet)
    if found.additive:  # how often each numeral is written is not yet where: a gate for each cell and numeral
        layers, gates, widest = layers + 1, gates + cells * (kinds - 1), max(widest, cells * (kinds - 1))
    places = range(len(worths(task)) - 1)
    own = dict(enumerate(stairs.gates for stairs in best.places))
    if longest < question.digits and not found.additive:
        own.pop(max(own))  # the first digit is special at every length
    taken = [found.total(place) for place in places]
    digits = tuple(
        Digit(place, found.depends_on(place), round(taken[place], 3), found.reach(place), own.get(place))
        for place in places
    )
    return Learnability(
        verdict=decide(way, layers, math.ceil(widest), 0.0 if found.additive else max(taken)),
        way=way,
        of="; ".join(dict.fromkeys(stairs.what for stairs in best.places if stairs.gates)),
        layers=layers,
        templates=task.operation.operands * cells * kinds,
        gates=math.ceil(gates),
        widest=math.ceil(widest),
        answers=cells * kinds,
        growth=grown[way],
        counted={n: made[way].gates for n, made in counted.items()},
        digits=digits,
        exhaustive=found.exhaustive,
        within=round(found.within, 3),
    )
