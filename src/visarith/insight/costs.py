"""What each way to construct an operation costs, all digits of the answer together."""

from dataclasses import dataclass

from visarith.data.task import Task
from visarith.insight.question import all_operands
from visarith.insight.staircases import CHOSEN, Searched, Stairs

SHORT = 4  # times the base: a staircase so short needs no rival
LAYERS = {"staircase": 3, "choice": 4, "products": 4, "table": 3}  # as the paper counts: glyphs, gates, answer's glyphs


@dataclass(frozen=True)
class Construction:
    """What a way costs at one length: gates in all and in the widest layer, and each digit's own (units first)."""

    way: str
    gates: int
    widest: int
    places: tuple[Stairs, ...]


def constructions(task: Task, tables: list[int]) -> dict[str, Construction]:
    """For each way that makes all digits of the answer, its cost; all operands are tried.

    Each way uses staircases where it can. `tables` is what each digit costs as a table of what it depends on.
    """
    operands = all_operands(task)
    searched = Searched(task, operands)
    single = [searched.staircase(place) for place in range(searched.places)]
    long = [place for place, stairs in enumerate(single) if not stairs or stairs.gates > SHORT * searched.base]
    rivals: dict[str, list[Stairs | None]] = {"staircase": single}
    for way, search in (("choice", searched.choice), ("products", searched.products)):
        rivals[way] = [_cheaper(s, search(place) if place in long else None) for place, s in enumerate(single)]
    table = [Stairs(min(gates, len(operands)), "a table of the digits that matter") for gates in tables]
    rivals["table"] = [_cheaper(*both) for both in zip(single, table, strict=True)]
    found = {}
    for way, stairs in rivals.items():
        every = tuple(each for each in stairs if each)
        if len(every) == len(stairs):
            found[way] = _construction(way, every, searched)
    return found


def _construction(way: str, places: tuple[Stairs, ...], searched: Searched) -> Construction:
    gates = sum(stairs.gates for stairs in places)
    widest = gates
    chosen = sum(stairs.gates for stairs in places if stairs.what.startswith(CHOSEN))
    if chosen:
        widest, gates = gates - chosen // 2 + 2, gates + 2  # half of them join; two more tell the cases
    if way == "products":
        pairs = searched.pair_gates({pair for stairs in places for pair in stairs.pairs})
        widest, gates = max(gates, pairs), gates + pairs
    return Construction(way, gates, widest, places)


def _cheaper(one: Stairs | None, other: Stairs | None) -> Stairs | None:
    return min((stairs for stairs in (one, other) if stairs), key=lambda stairs: stairs.gates, default=None)
