"""Study `learnability`: whether an operation is learnable, by analysis and by a short training (claim 32).

The analysis says on which digits of the input each digit of the answer depends, and counts the gates of one family of
constructions (`staircases`) at the lengths at which all operands can be tried. The counts are upper bounds, they are
not extrapolated to other lengths, and no verdict says what training will find: it says whether a network of the
paper's size has room for a construction that we know, and whether single digits say anything about the answer.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from visarith.data.task import Task
from visarith.errors import VisarithError, option
from visarith.studies.learnability.question import Influence, Question, few, influence, worths
from visarith.studies.learnability.staircases import LAYERS, Construction, constructions
from visarith.studies.learnability.training import MEDIA, STEPS, Trained, quick_training
from visarith.studies.study import Context, Found, Job, Study

# The two bounds lie between the paper's operations that are learned and multiplication, which is not: Roman addition of
# seven digits takes 490 gates in a layer, products of six digits 729; a digit of a sum or difference takes 2.8 digits'
# worth of input, a middle digit of a product 7.1.
MOST_GATES = 512  # in one layer: twice the paper's 256 units
MOST_TAKEN = 5.0  # the sum of the influences on one digit of the answer: half way
MOST_LENGTHS = 4  # that are counted
LEARNABLE, ONE_MORE = "learnable", "learnable, one more layer"
VERDICTS = {
    LEARNABLE: "a shallow network has room for it, as for addition",
    ONE_MORE: "a network that is one layer deeper than for addition has room for it",
    "too many digits at once": "a digit of the answer changes with almost any digit of the input, so a single digit "
    "says nothing about the answer",
    "too many gates": "thresholds compute it, but they are more than a layer of the paper's network holds",
    "products of digits": "digits must be multiplied first, with more gates than a layer of the paper's network holds",
    "a table": "only a table of all values of the digits computes it, of the constructions that are tried",
}


@dataclass(frozen=True)
class Digit:
    """One digit of the answer; the place counts from the right (for Roman numerals: I, V, X and so on)."""

    place: int
    depends_on: int
    taken: float
    reach: int | None
    gates: int | None  # of its own; None where this length was not counted


@dataclass(frozen=True)
class Learnability:
    """Everything that the analysis says of an operation at one length."""

    verdict: str
    way: str
    of: str  # the sums that it uses
    layers: int  # hidden ones, as Sec. 6 counts them: the inputs' glyphs first, the answer's glyphs last
    templates: int  # nodes that find the inputs' glyphs
    gates: int  # at the longest length that was counted
    widest: int  # gates in the widest layer there
    answers: int  # nodes for the answer's glyphs
    counted: dict[int, int]  # gates by length
    digits: tuple[Digit, ...]
    exhaustive: bool  # whether the influences are of all operands
    within: float  # half the 95 % interval of an influence, if not

    @property
    def counted_digits(self) -> int:
        """The longest length at which all operands were tried."""
        return max(self.counted)


def decide(way: str, layers: int, widest: int, taken: float) -> str:
    """The verdict, from the gates in the widest layer, the influences on one digit, and the kind of construction.

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
        depends, kinds = influence(each, seed=seed), len(each.notation.alphabet)
        tables = [kinds ** depends.depends_on(place) for place in range(len(worths(each)) - 1)]
        counted[digits] = constructions(each, tables)
    return _summed(question, task, found, counted)


def _countable(question: Question) -> dict[int, Task]:
    """The task at the longest lengths at which all operands can be tried, the asked one if possible."""
    found: dict[int, Task] = {}
    for digits in range(1, question.digits + 1):
        with suppress(VisarithError):  # an expression may have no answers at this length
            task = question.task(digits)
            found |= {digits: task} if few(task) else {}
    if not found:
        raise VisarithError(
            f"the gates of {question.text} in base {question.base} can be counted at no length; "
            f"use fewer {option('digits')} or a smaller {option('base')}"
        )
    return dict(list(found.items())[-MOST_LENGTHS:])


def _summed(
    question: Question, task: Task, found: Influence, counted: dict[int, dict[str, Construction]]
) -> Learnability:
    longest = max(counted)
    ways = [way for way in LAYERS if all(way in made for made in counted.values())]
    way = min(ways, key=lambda each: (counted[longest][each].gates, LAYERS[each]))
    best, layers = counted[longest][way], LAYERS[way]
    gates, widest = best.gates, best.widest
    cells, kinds = task.notation.cells, len(task.notation.alphabet)
    if found.additive:  # one more layer places the numerals: a gate for each cell and numeral
        shorter = question.task(longest).notation
        layers, gates = layers + 1, gates + shorter.cells * (len(shorter.alphabet) - 1)
        widest = max(widest, cells * (kinds - 1))
    places = range(len(worths(task)) - 1)
    own = dict(enumerate(stairs.gates for stairs in best.places)) if longest == question.digits else {}
    taken = [found.total(place) for place in places]
    return Learnability(
        verdict=decide(way, layers, widest, 0.0 if found.additive else max(taken)),
        way=way,
        of="; ".join(dict.fromkeys(stairs.what for stairs in best.places if stairs.gates)),
        layers=layers,
        templates=task.operation.operands * cells * kinds,
        gates=gates,
        widest=widest,
        answers=cells * kinds,
        counted={n: made[way].gates for n, made in counted.items()},
        digits=tuple(
            Digit(place, found.depends_on(place), round(taken[place], 3), found.reach(place), own.get(place))
            for place in places
        ),
        exhaustive=found.exhaustive,
        within=round(found.within, 3),
    )


def as_json(question: Question, found: Learnability, trained: Sequence[Trained]) -> dict[str, Any]:
    """The analysis and the short trainings as one JSON object, for programs and for the results."""
    said = asdict(found)
    per_digit = said.pop("digits")
    return {
        "operation": question.name or "expression",
        "expression": None if question.name else question.text,
        "notation": question.notation,
        "base": question.base,
        "digits": question.digits,
        **said,
        "counted_digits": found.counted_digits,
        "per_digit": list(per_digit),
        "trained": [asdict(each) for each in trained] or None,
    }


# Lengths at which half a minute of training is informative; products have the paper's seven digits.
QUESTIONS = {
    "add": Question("add", digits=4),
    "subtract": Question("subtract", digits=4),
    "multiply": Question("multiply", digits=7),
    "halve": Question("halve", digits=5),
    "add-roman": Question("add", "roman", digits=3),
    "maximum": Question("max(a, b)", digits=4),
    "distance": Question("abs(a - b)", digits=4),
    "modulo-7": Question("a % 7", digits=5),
    "third": Question("a // 3", digits=5),
    "triple": Question("a * 3", digits=5),
    "reverse": Question("reverse(a)", digits=5),
    "exclusive-or": Question("a ^ b", base=2, digits=10),
    "greater": Question("a > b", digits=4),
    "digit-sum": Question("digit_sum(a)", digits=5),
    "quotient": Question("a // (b + 1)", digits=4),
    "add-modulo": Question("(a + b) % base**digits", digits=4),
    "square": Question("a * a", digits=7),
    "remainder": Question("a % (b + 1)", digits=4),
}
QUICK_STEPS, QUICK_DIGITS = 20, 2
COST = 26.0
KEYS = ("operation", "expression", "notation", "base", "digits", "verdict", "way", "layers", "gates", "widest")
MORE_KEYS = ("counted_digits", "per_digit", "trained")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    """One job a question; the training is short and always of seed 0."""
    jobs, steps = [], QUICK_STEPS if quick else STEPS
    for name, question in QUESTIONS.items():
        asked = replace(question, digits=min(question.digits, QUICK_DIGITS)) if quick else question
        work = partial(_measure, asked, steps)
        jobs.append(Job(STUDY.name, name, {**asdict(asked), "steps": steps}, work, COST, keys=KEYS + MORE_KEYS))
    return jobs


def _measure(question: Question, steps: int, context: Context) -> Found:
    trained = []
    context.progress(0.0, "counting gates")
    found = learnable(question)
    for number, medium in enumerate(MEDIA, 1):
        context.progress(0.3 * number, f"training, {medium}")
        trained.append(quick_training(question, medium, steps=steps))
    return as_json(question, found, trained)


STUDY = Study("learnability", "Which operations are learnable: an analysis beside a short training", _jobs)
