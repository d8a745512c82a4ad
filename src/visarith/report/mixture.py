"""An illegible digit (Fig. 5): half a 5 and half an 8, and what the network makes of it."""

from dataclasses import dataclass

import numpy as np

from visarith.report.columns import Column, draw_columns
from visarith.report.drawing import BLUE
from visarith.runs.run import Run

FIRST = (2310512, 2310812)  # what input 1 may be: its third digit from the right is 5 or 8
SECOND = 1241325  # 3 stands there, and nothing is carried to it: 5 + 3 = 8, 8 + 3 = 11
THIRD = -3  # that digit's cell


@dataclass(frozen=True, eq=False)
class Mixture:
    """Input and answer pictures of three pairs: pure 5, half and half, pure 8."""

    inputs: np.ndarray  # (3, 2, height, width)
    answers: np.ndarray  # (3, height, width)
    readings: list[str]  # what the templates read in the answers, '?' for an unreadable digit


def mix(run: Run) -> Mixture:
    """Show the network the pure pictures and their mean, which differs from them in the third digit alone."""
    pure = _typeset(run, np.array([[first, SECOND] for first in FIRST]))
    inputs = np.stack([pure[0], pure.mean(0), pure[1]])
    answers = run.predict(inputs)[:, 0]
    return Mixture(inputs, answers, run.read(answers).texts)


def draw_mixture(run: Run, mixture: Mixture) -> bytes:
    """A PNG with one column for each reading of the digit and, between them, one for the mixture."""
    layout, frames = run.task.plain_layout, {0: [THIRD], 2: [THIRD]}
    titles = ("a 5", "half 5, half 8", "an 8")
    columns = [
        Column(title, [*inputs, answer], layout, frames, f"read as {text}", frame_colour=BLUE)
        for title, inputs, answer, text in zip(titles, mixture.inputs, mixture.answers, mixture.readings, strict=True)
    ]
    return draw_columns(["input 1", "input 2", "network's answer"], columns)


def _typeset(run: Run, numbers: np.ndarray) -> np.ndarray:
    """Numbers (count, operands) to clean pictures (count, operands, height, width) in [0, 1]."""
    symbols = run.task.notation.write(numbers.ravel()).reshape(*numbers.shape, -1)
    return (run.task.plain_layout.typeset(symbols) / 255).astype(np.float32)
