"""The forward pass of the column learner: columns are scanned in order, and a state is carried from one to the next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.errors import VisarithError, whole
from visarith.learners.checked import Checked
from visarith.learners.columns import PATHS, SCANS, rows
from visarith.learners.columns.kinds import kinds
from visarith.learners.columns.pairs import SUM, PairNetwork, layers
from visarith.learners.export import layers as exported
from visarith.learners.export import mean, tensor
from visarith.learners.learner import as_logits, draw_weights
from visarith.learners.perception import Perceived, perceive
from visarith.learners.vectors import found, nearest

MOST_STATES = 256  # of a quantised learner
MOST_GLYPHS = 64  # of a quantised learner, unless more symbols are drawn
PLACES_IN_ROWS = (1, 2, 3, 0)  # in training, at random; 0: all. The others are computed by diagonals
READ_AGAIN, ALL_WEIGHTS = 1, 2  # the stages in which rows learn to read what they drew, and in which all is trained
# networks see a column z as z, sin 3z and cos 3z, which makes periodic functions such as digits easy to learn
TURN = 3.0


class ColumnScan(Checked):
    """Pair network, carry networks and painter, for the path and the scan that are chosen.

    A column is the sum of its pair vectors and the carried state. From it the carry network computes the next state,
    and the painter the cell of the answer. The scan right-left makes two passes; `turn` adds the result of the first to
    each column. `meeting` and `hands` are the names of the pair and carry networks in stored weights.
    """

    places: Tensor  # (cells, pixels): where each pixel of each cell is in the picture
    choice: Tensor  # the path and the scan, by index; -1: not chosen yet
    ground: Tensor  # the logit around the cells
    states: Tensor  # (MOST_STATES, SUM) of a quantised learner; unused rows are NaN
    states_back: Tensor  # the same for the second pass
    glyphs: Tensor  # (MOST_GLYPHS, pixels) of a quantised learner; unused rows are NaN

    def __init__(self, spec: PictureSpec, *, path: str, scan: str, width: int) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.shape)
        self.inputs, self.sign, self.width = spec.inputs, spec.sign, whole("width", width, 1)
        self.clean = spec.clean
        self.most_glyphs = max(MOST_GLYPHS, spec.symbols or 0)
        self.asked = path, scan
        self.cells = 0  # until `build`

    def build(self, places: np.ndarray) -> None:
        """Make the networks for these cells (cells, pixels)."""
        self.cells, pixels = places.shape
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        self.register_buffer("choice", torch.full((2,), -1, device="cpu"))
        self.register_buffer("ground", torch.zeros((), device="cpu"))
        self.register_buffer("states", torch.full((MOST_STATES, SUM), torch.nan, device="cpu"))
        self.register_buffer("states_back", torch.full((MOST_STATES, SUM), torch.nan, device="cpu"))
        self.register_buffer("glyphs", torch.full((self.most_glyphs, pixels), torch.nan, device="cpu"))
        self.meeting = PairNetwork(self.inputs, self.cells, pixels, width=self.width, sign=self.sign)
        self.hands = nn.ModuleList(layers(3 * SUM, self.width, SUM) for _ in range(2))  # one for each pass
        self.starts = nn.Parameter(torch.zeros(2, SUM, device="cpu"))  # the first state of each pass
        self.turn = layers(3 * SUM, self.width, SUM)
        self.painter = layers(3 * SUM, self.width, self.width, self.outputs * pixels)
        if self.meeting.has_rows(self.outputs):
            self.again = rows.Again(pixels)
        self.stage = 0  # of training
        self.places_in_rows = 0  # of a step of training; 0: all
        self.jitter = 0.0  # the recipe's
        self.dice: torch.Generator | None = None  # during a step of training: draws the jitter
        self.training_glyphs: Tensor | None = None  # the cells of the training pictures, while rows are trained
        self.kinds: Tensor | None = None  # of the rows of `glyphs`, once they are known
        self._choice = [-1, -1]  # a copy of `choice` in Python: reading a tensor waits for the device
        self.register_load_state_dict_post_hook(_read_choice)  # type: ignore[no-untyped-call]
        if all(self.asked):
            self.choose(*self.asked)

    # Path and scan

    def choose(self, path: str, scan: str) -> None:
        """Set which cells are combined and in which order columns are scanned."""
        pairs, sign = self.meeting.has_diagonals, self.sign is not None
        can = {"rows": self.meeting.has_rows(self.outputs) and not sign, "signs": sign, "aligned": True}
        possible = [each for each in PATHS if can.get(each, pairs)]
        if path not in possible:
            count = len(self.meeting.operands)
            what = f"{_many(count, 'operand')}, {_many(self.outputs, 'answer')}{' and a sign' if sign else ''}"
            raise VisarithError(f"path {path!r} is not for {what}; use {' or '.join(possible)}")
        if scan not in SCANS:
            raise VisarithError(f"scan {scan!r} is unknown; use {', '.join(SCANS)}")
        self._choice = [PATHS.index(path), SCANS.index(scan)]
        self.choice[0], self.choice[1] = self._choice

    @property
    def decided(self) -> bool:
        return min(self._choice) >= 0

    @property
    def path(self) -> str:
        """The simplest one until it is decided."""
        return PATHS[max(0, self._choice[0])]

    @property
    def scan(self) -> str:
        return SCANS[max(0, self._choice[1])]

    @property
    def paths(self) -> list[str]:
        """The paths of the pair network that are used."""
        return _of_pairs(self.path)

    @property
    def in_rows(self) -> bool:
        """Whether some pairs are computed row by row."""
        return self.path == "rows"

    @property
    def ways(self) -> list[str]:
        """The side from which each pass starts."""
        return self.scan.split("-")

    # From pictures to pictures

    def answer_to(self, centred: Tensor) -> Tensor:
        if not self.training and (perceived := self.perceived(centred)):
            return self.assembled(self.from_glyphs(perceived.which))
        cells = centred.flatten(2)[:, :, self.places]  # (batch, inputs, cells, pixels)
        return self.assembled(self.from_cells(cells, self.path))

    def from_cells(self, cells: Tensor, path: str) -> Tensor:
        """The logits of the answers' cells from the pixels of the inputs' cells."""
        if path == "rows":
            return self.row_by_row(self.meeting.all_pairs(cells))
        return self.painted(self.meeting(cells, _of_pairs(path)))

    def from_glyphs(self, seen: Tensor) -> Tensor:
        """The same from the numbers of glyphs, for a learner that is quantised to them."""
        glyphs = found(self.glyphs)
        return rows.multiplied(self, glyphs, seen) if self.path == "rows" else self.from_cells(glyphs[seen], self.path)

    def from_codes(self, patterns: Tensor, codes: Tensor, path: str) -> Tensor:
        """The same from a codebook."""
        if path == "rows":
            return self.row_by_row(self.meeting.looked_up_pairs(patterns, codes))
        return self.painted(self.meeting.looked_up(patterns, codes, _of_pairs(path)))

    def perceived(self, pictures: Tensor) -> Perceived | None:
        """Which glyph each cell shows, if it was quantised to glyphs; then no mean picture is subtracted."""
        glyphs = found(self.glyphs)
        if not len(glyphs):
            return None
        kinds = None if self.kinds is None else self.kinds.to(glyphs.device)[~self.glyphs.isnan().any(1)]
        return perceive(pictures, self.places, glyphs, kinds=kinds)

    def looked_up(self, patterns: Tensor, codes: Tensor) -> Tensor:
        """The logits of the answers' cells from a codebook, without pictures; nothing is rounded to glyphs."""
        return self.from_codes(patterns, codes, self.path)

    def row_by_row(self, pairs: Tensor) -> Tensor:
        """The logits of the answers' cells from the vectors of all pairs; in training, the first places are in rows."""
        places = min(self.places_in_rows or self.cells, self.cells) if self.training else self.cells
        return rows.hybrid(self, pairs.flip(1, 2), places).flip(1)

    def passed_on(self, pictures: Tensor) -> Tensor:
        """What a cell of rows draws, as other cells read it: in training the nearest glyph, without a gradient."""
        glyphs = self.training_glyphs if self.training else None
        return pictures if glyphs is None else glyphs[nearest(pictures.detach(), glyphs)[0]]

    def painted(self, columns: Tensor) -> Tensor:
        """Scan the columns (batch, cells, SUM) and paint each cell: (batch, cells, outputs x pixels) logits."""
        for number, way in enumerate(self.ways):
            seen = torch.stack(list(self.walk(columns, number, way)), 1)
            if way == "right":
                seen = seen.flip(1)
            if number + 1 < len(self.ways):
                columns = columns + self.turn(seen)
        painted: Tensor = self.painter(seen)
        return painted

    def walk(self, columns: Tensor, number: int, way: str) -> Iterator[Tensor]:
        """One pass: yields `seen` of each column plus the state that is carried into it, in the order of the pass."""
        state = self.carried(self.starts[number].expand(len(columns), -1), number)
        for column in columns.unbind(1) if way == "left" else reversed(columns.unbind(1)):
            seen = self.seen(column + state)
            yield seen
            state = self.carried(self.hands[number](seen), number)

    def carried(self, state: Tensor, number: int) -> Tensor:
        """The state that this pass carries: the nearest one of a quantised learner, otherwise the vector itself."""
        if self.training:
            return state
        states = found(self.states if number == 0 else self.states_back)
        return states[nearest(state, states)[0]] if len(states) else state

    def seen(self, column: Tensor) -> Tensor:
        """A column as the carry networks and the painter see it, with jitter in training: (..., SUM) -> (..., 3 x SUM).

        With jitter, columns that mean different things must lie apart, so that few examples are not memorised.
        """
        if self.dice is not None and self.jitter:
            noise = torch.randn(column.shape, generator=self.dice, device="cpu").to(column)
            column = column + self.jitter * noise
        return self.features(column)

    @staticmethod
    def features(column: Tensor) -> Tensor:
        """A column with its sines and cosines."""
        return torch.cat([column, torch.sin(TURN * column), torch.cos(TURN * column)], -1)

    def assembled(self, cells: Tensor) -> Tensor:
        """Put painted cells into pictures: (batch, cells, outputs x pixels) -> (batch, outputs, height x width)."""
        drawn = self.ground.expand(len(cells), self.outputs, self.shape[0] * self.shape[1]).clone()
        drawn[:, :, self.places] = cells.view(*cells.shape[:2], self.outputs, -1).transpose(1, 2).to(drawn.dtype)
        return drawn

    # Weights

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that the chosen path and scan use; at first rows only learn to read what they drew."""
        again = list(self.again.parameters()) if self.in_rows else []
        if again and self.stage == READ_AGAIN:
            return again
        modules = [self.painter, *self.hands[: len(self.ways)], *([self.turn] if len(self.ways) > 1 else [])]
        own = [weight for module in modules for weight in module.parameters()]
        return [self.starts, *own, *self.meeting.trained_weights(self.paths), *again]

    @contextmanager
    def dropping_out(self, generator: torch.Generator) -> Iterator[None]:
        if self.in_rows:
            which = torch.randint(len(PLACES_IN_ROWS), (), generator=generator, device="cpu")
            self.places_in_rows = PLACES_IN_ROWS[int(which)]
        self.dice = generator
        try:
            with self.meeting.dropping_out(generator):
                yield
        finally:
            self.dice = None

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw all weights by `hidden`, the painter's last layer by `output`."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                draw_weights(module, hidden, generator)
        self.start_carrying(generator)
        draw_weights(_last(self.painter), output, generator)

    def start_carrying(self, generator: torch.Generator) -> None:
        """The carry networks return 0 at first."""
        for network in self.hands:
            draw_weights(_last(network), "zero", generator)

    @torch.no_grad()
    def frame(self, picture: Tensor) -> None:
        outside = torch.ones(picture[0].numel(), dtype=torch.bool, device=picture.device)
        outside[self.places.flatten()] = False
        if outside.any():
            self.ground.copy_(as_logits(picture.flatten(1)[:, outside].mean()))

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        cells = as_logits(picture).flatten(1)[:, self.places].mean(1)
        _last(self.painter).bias.copy_(cells.flatten())

    def export(self) -> dict[str, Any]:
        """The weights that the chosen path and scan use, and the buffers."""
        passes = len(self.ways)
        again, glyphs = None, found(self.glyphs)
        states, back = (tensor(each) if len(each) else None for each in (found(self.states), found(self.states_back)))
        if self.path == "rows":
            readers = {name: exported([getattr(self.again, name)]) for name in ("written", "carried")}
            again = {**readers, "empty": tensor(self.again.empty)}
        return {
            "kind": "columns",
            "outputs": self.outputs,
            "paths": self.paths,
            "ways": self.ways,
            "sign": self.meeting.sign,
            "mean": mean(self.mean),
            "ground": tensor(self.ground[None]),
            "states": states,
            "states_back": back,
            "glyphs": tensor(glyphs) if len(glyphs) else None,
            "reader": exported(self.meeting.reader.children()),
            "meet": {path: exported(self.meeting.meet[path].children()) for path in self.paths},
            "hands": [exported(network.children()) for network in self.hands[:passes]],
            "starts": tensor(self.starts[:passes]),
            "turn": exported(self.turn.children()) if passes > 1 else None,
            "painter": exported(self.painter.children()),
            "again": again,
        }


def _of_pairs(path: str) -> list[str]:
    """The paths of the pair network that a path uses."""
    return {"both": ["aligned", "diagonal"], "rows": ["diagonal"]}.get(path, [path])


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _read_choice(learner: nn.Module, *_: object) -> None:
    """Copy the buffer `choice` to Python, after weights were loaded, and find the kinds of the glyphs."""
    learner._choice = learner.choice.tolist()  # type: ignore[assignment, operator]
    learner.kinds = kinds(learner)  # type: ignore[arg-type, assignment]


def _last(network: nn.Module) -> nn.Linear:
    """The last layer of a small network."""
    layer = list(network.children())[-1]
    assert isinstance(layer, nn.Linear)
    return layer
