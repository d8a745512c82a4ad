"""The column learner: cells that are read alike meet in columns, and each column hands something on to the next."""

from collections.abc import Iterator
from contextlib import AbstractContextManager

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError, whole
from visarith.learners import long
from visarith.learners.learner import Learner, as_logits, draw_weights
from visarith.learners.meeting import SUM, Meeting, layers
from visarith.learners.nearest import nearest
from visarith.pictures.grid import Grid

PATHS = ("aligned", "diagonal", "both")
SCANS = ("right", "left", "right-left")
MOST_STATES = 256  # that may be handed on, once a learner has settled
MOST_GLYPHS = 64  # for one of which a cell may be taken then
TURN = 3.0  # a column's vector z is seen as z, sin 3z and cos 3z: what comes round, as digits do, is then easy to learn


class Columns(Learner):
    """Given beforehand: where the cells stand (or that is found), that they meet in columns, those at the same place
    (aligned) or each with each, summed where their places add up (diagonal), and that columns hand something on, from
    the right, from the left or there and back; which of these is found by trial or said. After training, the procedure
    of long multiplication, but not its tables. For several operations, which picture shows the sign. Not given: the
    symbols, what they mean, the base, the operation, what is carried.

    After training it may *settle* (`training/settle.py`): each cell is then taken for the one of the training pictures'
    cells that it looks most like, what is handed on for one of a few states, and diagonals are worked out row by row as
    in long multiplication on paper (`learners/long.py`).
    """

    places: Tensor
    choice: Tensor
    ground: Tensor
    states: Tensor
    glyphs: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        *,
        places: np.ndarray,
        path: str = "",
        scan: str = "",
        width: int = 64,
        sign: int | None = None,
        grid: Grid | None = None,
    ) -> None:
        super().__init__(inputs, outputs, shape, shape)
        whole("width", width, 1)
        self.grid = grid  # if cells were found by looking: these are where `places` says
        self.cells, pixels = places.shape
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        self.register_buffer("choice", torch.full((2,), -1))  # the path and the scan, by number; -1 is undecided
        self.register_buffer("ground", torch.zeros(()))  # the logit around the cells
        self.register_buffer("states", torch.full((MOST_STATES, SUM), torch.nan))  # none before settling
        self.register_buffer("glyphs", torch.full((MOST_GLYPHS, pixels), torch.nan))  # none before settling
        self.meeting = Meeting(inputs, self.cells, pixels, width=width, sign=sign)
        self.hands = nn.ModuleList(layers(3 * SUM, width, SUM) for _ in range(2))  # one for each way
        self.starts = nn.Parameter(torch.zeros(2, SUM))  # what the first column is handed
        self.turn = layers(3 * SUM, width, SUM)  # what the way there leaves in a column for the way back
        self.painter = layers(3 * SUM, width, width, outputs * pixels)
        self.asked = path, scan
        if path and scan:
            self.choose(path, scan)

    def choose(self, path: str, scan: str) -> None:
        """Decide which cells meet and which way columns hand on."""
        possible = PATHS if self.meeting.has_diagonals else PATHS[:1]
        if path not in possible:
            count = len(self.meeting.operands)
            raise VisarithError(f"path {path!r} is not for {count} operands; use {' or '.join(possible)}")
        if scan not in SCANS:
            raise VisarithError(f"scan {scan!r} is unknown; use {', '.join(SCANS)}")
        self.choice.copy_(torch.tensor([PATHS.index(path), SCANS.index(scan)]))

    def choices(self) -> list[tuple[str, str]]:
        """Every path and scan that is tried, from the simplest on; under a sign both paths are on."""
        path, scan = self.asked
        path = path or ("both" if self.meeting.sign is not None else "")
        more = [("diagonal", "right")] if self.meeting.has_diagonals else []
        usual = [("aligned", "right"), ("aligned", "left"), *more, ("aligned", "right-left")]
        if path and scan:
            return [(path, scan)]
        if path:
            return [(path, each) for each in SCANS]
        return [(each, scan) for each in dict.fromkeys(path for path, _ in usual)] if scan else usual

    @property
    def decided(self) -> bool:
        return bool((self.choice >= 0).all())

    @property
    def settled(self) -> bool:
        return bool(len(found(self.states)) or len(found(self.glyphs)))

    @property
    def path(self) -> str:
        return PATHS[int(self.choice[0])]

    @property
    def scan(self) -> str:
        return SCANS[int(self.choice[1])]

    @property
    def paths(self) -> list[str]:
        """Those that are on."""
        return ["aligned", "diagonal"] if self.path == "both" else [self.path]

    @property
    def ways(self) -> list[str]:
        return self.scan.split("-")

    def described(self) -> str:
        """Which cells meet, which way columns hand on, and what they hand on, in words."""
        path = {"aligned": "cell by cell", "diagonal": "each cell with each", "both": "cell by cell and each with each"}
        scan = {"right": "from the right", "left": "from the left", "right-left": "from the right and back"}[self.scan]
        handed = "vectors are handed on"
        if len(found(self.glyphs)) and self.path == "diagonal":
            handed = "settled: glyphs are handed on, as in long multiplication"
        elif count := len(found(self.states)):
            handed = f"settled: one of {count} states is handed on"
        return f"{path[self.path]}, {scan}; {handed}"

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that the chosen path and scan use."""
        modules = [self.painter, *self.hands[: len(self.ways)], *([self.turn] if len(self.ways) > 1 else [])]
        own = [weight for module in modules for weight in module.parameters()]
        return [self.starts, *own, *self.meeting.trained_weights(self.paths)]

    def answer_to(self, centred: Tensor) -> Tensor:
        cells = centred.flatten(2)[:, :, self.places]  # (batch, inputs, cells, pixels)
        if len(glyphs := found(self.glyphs)):
            seen = nearest(cells, glyphs)[0]
            if self.path == "diagonal":
                return self.page(long.multiply(self, glyphs, seen))
            cells = glyphs[seen]
        return self.page(self.work(self.meeting(cells, self.paths)))

    def looked_up(self, patterns: Tensor, codes: Tensor) -> Tensor:
        """Columns from which distinct cell picture stands where: (batch, inputs, cells)."""
        return self.meeting.looked_up(patterns, codes, self.paths)

    def practising(self, generator: torch.Generator) -> AbstractContextManager[None]:
        return self.meeting.leaving_out(generator)

    def work(self, columns: Tensor) -> Tensor:
        """Hand on from column to column, there and perhaps back, and paint: (batch, cells, outputs x pixels) logits."""
        for number, way in enumerate(self.ways):
            seen = torch.stack(list(self.walk(columns, number, way)), 1)
            if way == "right":
                seen = seen.flip(1)
            if number + 1 < len(self.ways):
                columns = columns + self.turn(seen)
        painted: Tensor = self.painter(seen)
        return painted

    def handed_on(self, handed: Tensor) -> Tensor:
        """As it is or, once settled, the nearest state."""
        states = found(self.states)
        return states[nearest(handed, states)[0]] if len(states) else handed

    def walk(self, columns: Tensor, number: int, way: str) -> Iterator[Tensor]:
        """What each column sees of itself and of what it is handed, in the order of the walk."""
        handed = self.handed_on(self.starts[number].expand(len(columns), -1))
        for column in columns.unbind(1) if way == "left" else reversed(columns.unbind(1)):
            seen = self.seen(column + handed)
            yield seen
            handed = self.handed_on(self.hands[number](seen))

    @staticmethod
    def seen(column: Tensor) -> Tensor:
        """A column as hands and painter see it: what comes round becomes easy to see."""
        return torch.cat([column, torch.sin(TURN * column), torch.cos(TURN * column)], -1)

    def page(self, cells: Tensor) -> Tensor:
        """Put painted cells where they stand: (batch, cells, outputs x pixels) -> (batch, outputs, height x width)."""
        count, pixels = len(cells), self.places.shape[1]
        drawn = self.ground.expand(count, self.outputs, self.shape[0] * self.shape[1]).clone()
        drawn[:, :, self.places] = cells.view(count, self.cells, self.outputs, pixels).transpose(1, 2).to(drawn.dtype)
        return drawn

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """All as `hidden` says, but nothing is handed on at first, and the painter's last layer is as `output` says."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                draw_weights(module, hidden, generator)
        for network in self.hands:
            draw_weights(_last(network), "zero", generator)
        draw_weights(_last(self.painter), output, generator)

    @torch.no_grad()
    def frame(self, picture: Tensor) -> None:
        outside = torch.ones(picture[0].numel(), dtype=torch.bool)
        outside[self.places.flatten()] = False
        if outside.any():
            self.ground.copy_(as_logits(picture.flatten(1)[:, outside].mean()))

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        cells = as_logits(picture).flatten(1)[:, self.places].mean(1)
        _last(self.painter).bias.copy_(cells.flatten())


def _last(network: nn.Module) -> nn.Linear:
    """The last layer of a small network."""
    layer = list(network.children())[-1]
    assert isinstance(layer, nn.Linear)
    return layer


def found(rows: Tensor) -> Tensor:
    """The rows of a buffer that have been found."""
    return rows[~rows.isnan().any(1)]
