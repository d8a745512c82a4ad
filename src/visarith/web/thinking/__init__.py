"""Watch a network think: what columns hand on, which hidden units fire, which gates are on."""

from visarith.errors import VisarithError
from visarith.learners import columns_of
from visarith.learners.constructed import Constructed
from visarith.learners.perceptron import Perceptron
from visarith.learners.tally import Tally
from visarith.web.answering import draw
from visarith.web.encoding import Json, encoded
from visarith.web.networks import Networks
from visarith.web.question import Question
from visarith.web.showing import shown
from visarith.web.thinking.columns import walked
from visarith.web.thinking.gates import gated
from visarith.web.thinking.long import worked_out
from visarith.web.thinking.tally import counted
from visarith.web.thinking.units import fired


def think(question: Question, networks: Networks) -> Json:
    """What happens in the network on the way from the pictures to the answer."""
    network = networks.find(question.op, question.learner)
    module = network.module
    if question.unit is not None and not isinstance(module, Perceptron):
        raise VisarithError(f"{network.name} has no hidden units to look at; ask a perceptron, or leave unit out")
    given = shown(question, network)
    said: Json = {
        "op": question.op,
        "learner": network.learner,
        "network": network.name,
        "answer": encoded(draw(network, given)),
    }
    columns = columns_of(module)
    if isinstance(module, Perceptron):
        return said | fired(module, network, given, question.unit)
    if isinstance(module, Constructed):
        return said | gated(module, network, given)
    if isinstance(module, Tally):
        return said | counted(module, network, given)
    if columns is None:
        raise VisarithError(f"there is nothing to watch in {network.name}")
    return said | (worked_out if columns.settled and columns.path == "diagonal" else walked)(columns, network, given)
