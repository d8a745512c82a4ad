"""The training of a column learner: trials that choose path and scan, an exact shortcut, and quantising afterwards."""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.view import View, intensities
from visarith.errors import VisarithError
from visarith.learners.columns.kinds import kinds
from visarith.learners.columns.scan import MOST_STATES
from visarith.learners.vectors import far_apart, nearest
from visarith.pictures.codebook import Codebook
from visarith.randomness import generator
from visarith.training.computation import Computation, loss_of
from visarith.training.loop import Training
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

Device = torch.device | str
STEPS = 400  # of each trial
LEARNED = 0.05  # the share of the answers' variance below which a task counts as learned
MOST_ROWS = 200_000  # combinations of distinct cells, up to which all are computed in each step
EXAMPLES = 2_000  # of training, that decide whether quantising costs accuracy
CLEAR = 0.3  # the smallest margin (`nearest`) of a cell that counts as right


def examples(recipe: Recipe) -> int:
    """How many examples a trial is trained on."""
    return STEPS // 4 * recipe.batch


def decide(
    columns: "Columns", data: View, recipe: Recipe, *, seed: int, device: Device = "cpu", tell: Callable[[str], None]
) -> dict[str, float]:
    """Choose the path and the scan; returns the loss of each trial as a share of the answers' variance.

    Trials run from the simplest choice on. The first one that learns the task is chosen. If none does, as with noise,
    whose variance stays in the loss, the one with the smallest loss is chosen.
    """
    trial = replace(recipe, epochs=math.ceil(STEPS / math.ceil(len(data) / recipe.batch)))
    _, targets = data.batch(np.arange(min(2_000, len(data))), generator(seed, "trial"))
    answers = targets.flatten(1)
    variance = recipe.loss_scale * max(float(answers.var(0, correction=min(1, len(answers) - 1)).sum()), 1e-9)
    shares: dict[str, float] = {}
    choices = {f"{path}, {scan}": (path, scan) for path, scan in columns.choices()}
    for number, (name, choice) in enumerate(choices.items(), 1):
        tell(f"trying path and scan {name} ({number} of at most {len(choices)})")
        copied = copy.deepcopy(columns)
        copied.choose(*choice)
        copied.grid = None  # `data` is already in the cells of the grid
        *_, last = Training(copied, data, trial, seed=seed, device=device).epochs()
        shares[name] = last.loss / variance
        learned = shares[name] < LEARNED
        left = "learned" if learned else f"{len(choices) - number} left"
        tell(f"loss {100 * shares[name]:.1f} % of the variance: {left}")
        if learned:
            break
    columns.choose(*choices[min(shares, key=shares.__getitem__)])
    return shares


def fits(learner: "Columns", book: Codebook) -> bool:
    """Whether the combinations of distinct cells are few enough to compute all of them in each step."""
    return bool(len(book.inputs.layout.patterns) ** len(learner.meeting.operands) <= MOST_ROWS)


class Tabled(Computation):
    """Trains a column learner through a table of all combinations of distinct cells; pictures are not centred.

    Clean pictures repeat their cells, so each combination is computed once and looked up. The gradients are those of
    `Dense` on all pixels, up to rounding.
    """

    def __init__(self, learner: "Columns", book: Codebook, recipe: Recipe) -> None:
        super().__init__()
        self.learner, self.recipe = learner, recipe
        self.device = device = learner.device
        self.patterns = torch.from_numpy(book.inputs.layout.patterns).to(device)
        self.painted = torch.from_numpy(book.answers.layout.patterns).to(device)
        self.codes = torch.from_numpy(book.inputs.codes).to(device).long()
        self.answers = torch.from_numpy(book.answers.codes).to(device).long()

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Set the gradients of these examples and return the loss of their cells; clean pictures have no noise."""
        index = torch.from_numpy(rows).to(self.device)
        columns = self.learner.meeting.looked_up(self.patterns, self.codes[index], self.learner.paths)
        logits = self.learner.painted(columns)
        loss = loss_of(logits, self.painted[self.answers[index].transpose(1, 2)].flatten(2), self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def trained(self) -> list[nn.Parameter]:
        return self.learner.trained_weights()


@torch.no_grad()
def quantise(learner: "Columns", data: View, *, glyphs: bool) -> None:
    """Quantise a column learner, unless it then draws more cells of its training examples wrong.

    A quantised learner can be certified (`visarith certify`), and no error adds up over a thousand columns. Aligned
    columns carry one of a few states. Diagonals are computed row by row, and carry glyphs. With `glyphs`, each input
    cell is replaced by the nearest cell of the training pictures.
    """
    book = data.codebook
    if book is None or bool(learner.mean.any()):
        return
    patterns = torch.from_numpy(book.inputs.layout.patterns).to(learner.device)
    most, quantised = _wrong_cells(learner, book), False
    if learner.path == "aligned" and len(learner.ways) == 1:
        quantised = _few_states(learner, book, most)
    if glyphs and len(patterns) <= learner.most_glyphs:
        learner.glyphs[: len(patterns)] = patterns
        if (learner.path, learner.scan) == ("diagonal", "right") and learner.outputs == 1 and learner.sign is None:
            quantised = _multiplies(learner, book, most)
    if not quantised:
        learner.states.fill_(torch.nan)
        learner.glyphs.fill_(torch.nan)
    learner.kinds = kinds(learner)


def _multiplies(learner: "Columns", book: Codebook, most: int) -> bool:
    """Whether long multiplication draws at most this many cells wrong."""
    try:
        return _wrong_cells(learner, book) <= most
    except VisarithError:  # no glyph behaves like one or like zero
        return False


def _few_states(learner: "Columns", book: Codebook, most: int) -> bool:
    """Find the fewest states that cost nothing, among states that occur and are far apart; False if there are none."""
    codes = torch.from_numpy(book.inputs.codes).to(learner.device).long()
    patterns = torch.from_numpy(book.inputs.layout.patterns).to(learner.device)
    columns = learner.meeting.looked_up(patterns, codes, learner.paths)
    seen = torch.stack(list(learner.walk(columns, 0, learner.scan)), 1)
    carried = torch.cat([learner.starts[:1], learner.hands[0](seen.flatten(0, 1))])
    states = carried[far_apart(carried, MOST_STATES)]
    for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
        learner.states[:count] = states[:count]
        if _wrong_cells(learner, book, columns) <= most:
            return True
    return False


def _wrong_cells(learner: "Columns", book: Codebook, columns: Tensor | None = None) -> int:
    """How many cells are not clearly nearest to the right pattern."""
    layout, device = book.answers.layout, learner.device
    if columns is None:
        pictures = intensities(book.inputs.layout.typeset(book.inputs.codes)).to(device)
        cells = learner(pictures).flatten(2)[:, :, torch.from_numpy(layout.places).to(device)]
    else:
        painted = torch.sigmoid(learner.painted(columns))
        cells = painted.view(*painted.shape[:2], learner.outputs, -1).transpose(1, 2)
    seen, margin = nearest(cells.flatten(0, 2), torch.from_numpy(layout.patterns).to(device))
    right = seen == torch.from_numpy(book.answers.codes).to(device).long().flatten()
    return int((~right | (margin < CLEAR)).sum())
