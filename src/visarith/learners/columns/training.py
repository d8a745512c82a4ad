"""The training of a column learner: trials that choose path and scan, an exact shortcut, and quantising afterwards."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.view import View
from visarith.learners.checked import TRIAL
from visarith.learners.columns import rows
from visarith.learners.columns.kinds import kinds
from visarith.learners.columns.scan import MOST_STATES
from visarith.learners.vectors import far_apart, found, means, nearest
from visarith.pictures.codebook import Codebook
from visarith.randomness import generator
from visarith.training.computation import Computation, loss_of
from visarith.training.loop import Training
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

Device = torch.device | str
STEPS = 400  # of each trial
MOST_HELD = 2_000  # examples that no trial is trained on
LONGER, CLOSE = 3, 0.1  # times, and the difference in loss below which the two best are tried again
LEARNED = 0.05  # the share of the answers' variance below which a task counts as learned
MOST_ROWS = 200_000  # combinations of distinct cells, up to which all are computed in each step
EXAMPLES = 5_000  # of training, that decide whether quantising costs accuracy
CLEAR = 0.3  # the smallest margin (`nearest`) of a cell that counts as right
KEPT = 0.95  # of that margin, at least, that quantising leaves
CLEAR_CASE = 0.2  # the same for what rows draw and read again, which no answer shows
AT_A_TIME = 5_000  # examples


def examples(recipe: Recipe) -> int:
    """How many examples a trial is trained on."""
    return STEPS // 4 * recipe.batch


def decide(
    columns: "Columns", data: View, recipe: Recipe, *, seed: int, device: Device = "cpu", tell: Callable[[str], None]
) -> dict[str, float]:
    """Choose the path and the scan; returns the loss of each trial as a share of the answers' variance.

    The loss is that of training examples that the trial was not trained on, since few examples can be memorised. Trials
    run from the simplest choice on. The first one that learns the task is chosen. If none does, the two best are tried
    for longer if they are close. If still none does, as with noise, whose variance stays in the loss, the one with the
    smallest loss is chosen.
    """
    shares: dict[str, float] = {}
    choices = {f"{path}, {scan}": (path, scan) for path, scan in columns.choices()}

    def learned(name: str, steps: int, what: str) -> bool:
        tell(f"trying path and scan {name} ({what})")
        shares[name] = trial(columns, *choices[name], data, recipe, seed=seed, device=device, steps=steps)
        tell(f"loss {100 * shares[name]:.1f} % of the variance{': learned' if shares[name] < LEARNED else ''}")
        return shares[name] < LEARNED

    if not any(learned(name, STEPS, f"{number} of at most {len(choices)}") for number, name in enumerate(choices, 1)):
        first, *others = sorted(shares, key=shares.__getitem__)[:2]
        if others and shares[others[0]] - shares[first] < CLOSE:
            any(learned(name, LONGER * STEPS, f"again, {LONGER} times as long") for name in (first, *others))
    best = min(shares, key=shares.__getitem__)
    columns.choose(*choices[best])
    columns.record[TRIAL] = shares[best]
    if shares[best] >= LEARNED:
        tried = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
        tell(f"no trial learned the task ({tried} of the variance left); the best is chosen")
    return shares


def trial(
    columns: "Columns",
    path: str,
    scan: str,
    data: View,
    recipe: Recipe,
    *,
    seed: int,
    device: Device,
    steps: int,
) -> float:
    """Train a copy for a few steps; returns the loss of the last tenth, not trained on, as a share of its variance.

    Trials have no jitter, with which they would take longer to tell one path from another.
    """
    recipe = replace(recipe, jitter=0.0)
    count = min(MOST_HELD, len(data) // 10)
    held = np.arange(len(data))[len(data) - count if count else 0 :]
    answers = data.batch(held, generator(seed, "trial"))[1].flatten(1)
    variance = recipe.loss_scale * max(float(answers.var(0, correction=min(1, len(answers) - 1)).sum()), 1e-9)
    copied = copy.deepcopy(columns)
    copied.choose(path.replace("rows", "diagonal"), scan)  # rows start from diagonals
    copied.grid = None  # `data` is already in the cells of the grid
    rounds = [Round(4 * steps // STEPS, STEPS // 4, recipe.rate)]
    list(Training(copied, data.head(len(data) - count), recipe, seed=seed, device=device, rounds=rounds).epochs())
    return _loss(copied, data, held, recipe, generator(seed, "trial")) / variance


@torch.no_grad()
def _loss(columns: "Columns", data: View, rows: np.ndarray, recipe: Recipe, noise: torch.Generator) -> float:
    """The mean loss of these examples."""
    total = 0.0
    for some in np.split(rows, range(recipe.batch, len(rows), recipe.batch)):
        inputs, targets = (pictures.to(columns.device) for pictures in data.batch(some, noise))
        total += float(columns.loss(inputs, targets, recipe)) * len(some)
    return total / len(rows)


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
        logits = self.learner.looked_up(self.patterns, self.codes[index])
        loss = loss_of(logits, self.painted[self.answers[index].transpose(1, 2)].flatten(2), self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def trained(self) -> list[nn.Parameter]:
        return self.learner.trained_weights()


@torch.no_grad()
def quantise(learner: "Columns", data: View) -> None:
    """Quantise a column learner, unless it then draws more cells of its training examples wrong.

    A quantised learner can be certified (`visarith certify`), and no error adds up over a thousand columns. Aligned
    columns carry one of a few states. Rows write and carry glyphs. If cells repeat, each input cell is replaced by the
    nearest cell of the training pictures.
    """
    unquantise(learner)
    book = data.codebook
    if book is None or bool(learner.mean.any()) or not {"aligned", "rows"}.issuperset(learner.own_paths):
        return
    patterns = learner.operand_patterns(book)
    few = book.take(np.arange(min(EXAMPLES, len(data))))
    done = "aligned" not in learner.own_paths or _few_states(learner, few.take(learner.on_path(few, "aligned")))
    if learner.rounds_to_glyphs and len(patterns) <= learner.most_glyphs:
        learner.glyphs[: len(patterns)] = patterns
    elif learner.in_rows:
        done = False
    if not done:
        unquantise(learner)
    learner.kinds = kinds(learner)


def unquantise(learner: "Columns") -> None:
    """Carry vectors again, and take cells as they are."""
    for each in (learner.states, learner.states_back, learner.glyphs):
        each.fill_(torch.nan)


def _few_states(learner: "Columns", book: Codebook) -> bool:
    """Find the fewest states of each pass that cost nothing, among states that occur and are far apart.

    What is drawn must stay nearly as clear: states that only just do for these examples may fail in others. With two
    passes, each state is the mean of those that it stands for. Where an answer does not depend on what the second pass
    carries, that may be anything, and states at the edge would divide it in the wrong place.
    """
    clear = max(CLEAR, KEPT * clearness(learner, book))
    most = len(failing(learner, book, clear))
    codes = torch.from_numpy(book.inputs.codes).to(learner.device).long()
    patterns = torch.from_numpy(book.inputs.layout.patterns).to(learner.device)
    columns = learner.meeting.looked_up(patterns, codes, ["aligned"])
    for number, (way, states) in enumerate(zip(learner.ways, (learner.states, learner.states_back), strict=False)):
        seen = torch.stack(list(learner.walk(columns, number, way)), 1)
        carried = torch.cat([learner.starts[number : number + 1], learner.hands[number](seen.flatten(0, 1))])
        choices = carried[far_apart(carried, MOST_STATES)]
        for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
            states[:count] = choices[:count] if len(learner.ways) == 1 else means(carried, choices[:count])
            if len(failing(learner, book, clear)) <= most:
                break
        else:
            return False
        columns = columns + learner.turn(seen.flip(1) if way == "right" else seen)
    return True


@torch.no_grad()
def clearness(learner: "Columns", book: Codebook) -> float:
    """The smallest margin of a cell that is drawn right; 0 if there is none."""
    least = 1.0
    for _, right, sure in _drawn(learner, book):
        least = min(least, float(sure[right].min()) if bool(right.any()) else 0.0)
    return least


def _drawn(learner: "Columns", book: Codebook) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Draw all examples, some at a time: the number of the first one, which cells are right, and their margins."""
    patterns, answers = (
        torch.from_numpy(each.layout.patterns).to(learner.device) for each in (book.inputs, book.answers)
    )
    for start in range(0, len(book.inputs.codes), AT_A_TIME):
        codes, truth = (
            torch.from_numpy(each.codes[start : start + AT_A_TIME]).to(learner.device).long()
            for each in (book.inputs, book.answers)
        )
        painted = torch.sigmoid(learner.looked_up(patterns, codes))
        seen, sure = nearest(painted.view(*painted.shape[:2], learner.outputs, -1).transpose(1, 2), answers)
        yield start, seen == truth, sure


@torch.no_grad()
def failing(learner: "Columns", book: Codebook, clear: float = CLEAR) -> np.ndarray:
    """The examples, by number, of which the learner draws a cell that is not clearly nearest to the right pattern."""
    if learner.path == "signs":
        parts = [at[failing(learner.for_sign(sign), own)] for sign, at, own in learner.books(book)]
        return np.sort(np.concatenate(parts))
    if learner.path == "rows" and len(found(learner.glyphs)):
        return _failing_rows(learner, book)
    parts = [start + np.flatnonzero(_bad(right, sure, clear)) for start, right, sure in _drawn(learner, book)]
    return np.concatenate(parts)


def _bad(right: Tensor, sure: Tensor, clear: float) -> np.ndarray:
    """Which examples have a cell that is wrong or not clear."""
    bad: np.ndarray = (~right | (sure < clear)).flatten(1).any(1).cpu().numpy()
    return bad


def _failing_rows(learner: "Columns", book: Codebook) -> np.ndarray:
    """The same for rows that read glyphs: each example is looked up in the cases of the cell."""
    patterns, answers = (
        torch.from_numpy(each.layout.patterns).to(learner.device) for each in (book.inputs, book.answers)
    )
    known = rows.cases(learner, patterns)
    same = nearest(patterns, answers)[0]  # the answer's pattern that each input's looks like
    wrong = []
    for start in range(0, len(book.inputs.codes), AT_A_TIME):
        codes, truth = (
            torch.from_numpy(each.codes[start : start + AT_A_TIME]).to(learner.device).long()
            for each in (book.inputs, book.answers)
        )
        read, _, margin = rows.calculated(known, codes)
        bad = (same[read] != truth[:, 0]).any(1) | (margin < CLEAR_CASE)
        wrong.append(start + bad.nonzero().flatten().cpu().numpy())
    return np.concatenate(wrong)
