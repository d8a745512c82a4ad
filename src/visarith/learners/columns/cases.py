"""A quantised column learner as a finite-state machine: what it draws and carries for every column in every state."""

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.learners.certificate import DECIDED, NoCertificateError
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import finite, found, nearest, within

ROUNDING = DECIDED / 2  # of intensities and margins, by which single and double precision may differ
EXACTLY = 0.999  # the margin of a picture that is a glyph
AT_A_TIME = 2_000  # pictures


@dataclass(frozen=True, eq=False)
class Cases:
    """What is drawn, read and carried; columns are in the order of `PairNetwork.table`."""

    starts: list[int]  # the states before the first column; two, if the margin between them decides nothing
    answers: np.ndarray  # (states, columns, answers) symbols; -1: unreadable, or not the same in all places
    margins: np.ndarray  # (states, columns) of the readings
    following: list[list[list[int]]]  # by state and column: the states that may follow
    input_margin: float  # with which every symbol of the inputs is recognised


@torch.no_grad()
def cases(learner: Columns, task: Task) -> Cases:
    """Compute all cases from the pixels of every symbol; refuse what is not finite or depends on rounding."""
    check_finite(learner, learner.states, learner.glyphs)
    symbols = symbol_cells(learner, task)
    usual, precise = _tables(learner, symbols), _tables(copy.deepcopy(learner).double(), symbols.double())
    compare(usual.decisive(), precise.decisive())
    shape = len(usual.states), usual.drawn.shape[1]
    read, sure = read_cells(learner, task, usual.drawn.flatten(0, 1))
    after = within(DECIDED, usual.carried, usual.states)
    following = [after[state * shape[1] : (state + 1) * shape[1]] for state in range(shape[0])]
    (starts,) = within(DECIDED, learner.starts[:1], usual.states)
    return Cases(starts, read.view(*shape, -1).numpy(), sure.view(shape).numpy(), following, float(usual.alike.min()))


def check_finite(learner: Columns, *buffers: Tensor) -> None:
    """Refuse weights, and rows of these buffers that are in use, with values that are infinite or NaN."""
    finite("weights", *learner.trained_weights(), learner.ground, learner.mean)
    for rows in buffers:
        finite("states or glyphs", found(rows))
        if bool((rows.isnan().any(1) & ~rows.isnan().all(1)).any()):
            raise NoCertificateError("some states or glyphs are partly not a number")


@dataclass(frozen=True, eq=False)
class _Tables:
    states: Tensor
    drawn: Tensor  # (states, columns, outputs x pixels) logits
    carried: Tensor  # (states, columns, SUM), before it is replaced by the nearest state
    alike: Tensor  # (symbols,) how clearly each is recognised

    def decisive(self) -> list[Tensor]:
        """What must not depend on rounding."""
        return [torch.sigmoid(self.drawn), nearest(self.carried, self.states)[1], self.alike]


def _tables(learner: Columns, symbols: Tensor) -> _Tables:
    states = found(learner.states)
    cells, alike = recognised(learner, symbols)
    columns = learner.meeting.table("aligned", cells)
    seen = learner.seen(columns + states[:, None])
    made = _Tables(states, learner.painter(seen), learner.hands[0](seen), alike)
    finite("columns, drawings or carried states", columns, seen, made.drawn, made.carried, alike)
    return made


def recognised(learner: Columns, symbols: Tensor) -> tuple[Tensor, Tensor]:
    """The glyph that each symbol (symbols, pixels) is replaced by, or itself if there are none; and its margin."""
    if not len(glyphs := found(learner.glyphs)):
        return symbols, torch.ones(len(symbols), device=symbols.device)
    which, alike = nearest(symbols, glyphs)
    return glyphs[which], alike


def compare(usual: list[Tensor], precise: list[Tensor]) -> None:
    """Refuse weights with which rounding, and so the order of additions in a batch, could decide."""
    finite("distances between states", *usual)
    if not all(float((one - other).abs().max()) < ROUNDING for one, other in zip(usual, precise, strict=True)):
        raise NoCertificateError("rounding decides what is drawn or carried: single and double precision differ")


def symbol_cells(learner: Columns, task: Task) -> Tensor:
    """The picture of each symbol, which is the same in all cells: (symbols, pixels)."""
    if bool(learner.mean.any()):
        raise NoCertificateError("a mean picture is subtracted, so that a symbol differs from place to place")
    symbols = np.repeat(np.arange(len(task.notation.alphabet))[:, None], task.notation.cells, 1)
    cells = intensities(task.layout.typeset(symbols)).to(learner.device).flatten(1)[:, learner.places]
    if not bool((cells == cells[:, :1]).all()):
        raise NoCertificateError("the pictures of a symbol differ from place to place")
    return cells[:, 0]


def read_cells(learner: Columns, task: Task, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Read each painted cell in every place of a picture: (rows, answers) symbols, and the margin of each row."""
    reader, parts = task.legend.reader("templates"), []
    for start in range(0, len(logits), AT_A_TIME):
        some = logits[start : start + AT_A_TIME]
        pictures = torch.sigmoid(learner.assembled(some[:, None].expand(-1, learner.cells, -1)))
        plain = task.plain_answers(pictures.view(len(some), -1, *task.answer_shape).cpu().numpy())
        readings = [reader.read(plain[:, answer]) for answer in range(task.operation.answers)]
        alike = [np.where((r.symbols == r.symbols[:, :1]).all(1), r.symbols[:, 0], -1) for r in readings]
        parts.append((np.stack(alike, 1), np.stack([r.confidence.min(1) for r in readings], 1).min(1)))
    symbols, sure = (np.concatenate(part) for part in zip(*parts, strict=True))
    return torch.from_numpy(symbols).long(), torch.from_numpy(sure)
