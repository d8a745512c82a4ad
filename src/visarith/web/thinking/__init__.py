"""Watch a network think: what columns hand on, which hidden units fire, which gates are on."""

from collections.abc import Callable
from typing import Any

from visarith.errors import VisarithError
from visarith.web.answering import draw
from visarith.web.encoding import Json, encoded
from visarith.web.networks import Network, Networks
from visarith.web.question import Question
from visarith.web.showing import Shown, shown
from visarith.web.thinking.columns import walked
from visarith.web.thinking.gates import gated
from visarith.web.thinking.long import worked_out
from visarith.web.thinking.tally import counted
from visarith.web.thinking.units import fired

UNITS = "units"
THINKERS: dict[str, Callable[[Any, Network, Shown], Json]] = {  # by what a learner says that it thinks in
    "columns": walked,
    "long multiplication": worked_out,
    "tally": counted,
    "gates": gated,
}


def think(question: Question, networks: Networks) -> Json:
    """What happens in the network on the way from the pictures to the answer."""
    network = networks.find(question.op, question.learner)
    learner = network.module
    if question.unit is not None and learner.thinks != UNITS:
        raise VisarithError(f"{network.name} has no hidden units to look at; ask a perceptron, or leave unit out")
    given = shown(question, network)
    said: Json = {
        "op": question.op,
        "learner": network.learner,
        "network": network.name,
        "answer": encoded(draw(network, given)),
    }
    if learner.thinks == UNITS:
        return said | fired(learner, network, given, question.unit)  # type: ignore[arg-type]
    if not learner.thinks:
        raise VisarithError(f"there is nothing to watch in {network.name}")
    return said | THINKERS[learner.thinks](learner, network, given)
