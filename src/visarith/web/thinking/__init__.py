"""How a network reaches its answer: the steps of a column learner, hidden units of a perceptron, gates of a circuit."""

from collections.abc import Callable
from typing import Any

from visarith.errors import VisarithError
from visarith.web.answering import Inputs, draw, inputs_of
from visarith.web.networks import Network, Networks
from visarith.web.pictures import Json, encoded
from visarith.web.question import Question
from visarith.web.thinking.columns import columns_steps, long_multiplication_steps, tally_steps
from visarith.web.thinking.layers import gates, hidden_units

UNITS = "units"
STEPS: dict[str, Callable[[Any, Network, Inputs], Json]] = {  # by `Learner.thinks`
    "columns": columns_steps,
    "long multiplication": long_multiplication_steps,
    "tally": tally_steps,
    "gates": gates,
}


def think(question: Question, networks: Networks) -> Json:
    """Return the intermediate steps of a network, and its answer."""
    network = networks.find(question.op, question.learner)
    learner = network.module
    if question.unit is not None and learner.thinks != UNITS:
        raise VisarithError(f"{network.name} has no hidden units; use a perceptron, or leave unit out")
    inputs = inputs_of(question, network)
    response: Json = {
        "op": question.op,
        "learner": network.learner,
        "network": network.name,
        "answer": encoded(draw(network, inputs)),
    }
    if learner.thinks == UNITS:
        return response | hidden_units(learner, network, inputs, question.unit)  # type: ignore[arg-type]
    if not learner.thinks:
        raise VisarithError(f"{network.name} has no steps to show; use another learner")
    return response | STEPS[learner.thinks](learner, network, inputs)
