"""The column learner: cells that are read alike meet in columns, and each column hands something on to the next."""

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError, whole
from visarith.learners.columns import PATHS, SCANS, long
from visarith.learners.columns.meeting import SUM, Meeting, layers
from visarith.learners.columns.shortcut import Tabled, fits
from visarith.learners.export import layers as exported
from visarith.learners.export import mean, tensor
from visarith.learners.learner import Network, as_logits, draw_weights
from visarith.learners.nearest import nearest
from visarith.pictures.grid import LOOKED_AT, Grid, find_grid
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.certificate import Certificate

MOST_SQUARED = 20  # digits of numbers whose cells all meet at once
MOST_STATES = 256  # that may be handed on, once a learner is quantised
MOST_GLYPHS = 64  # for one of which a cell may be taken then
TURN = 3.0  # a column's vector z is seen as z, sin 3z and cos 3z: what comes round, as digits do, is then easy to learn


class Columns(Network):
    """Cells meet in columns, and columns hand something on.

    Without `places` the cells are looked for in the pictures (`prepare`), and its networks are made then. After
    training it may be *quantised* (`quantise.py`): each cell is then taken for the one of the training pictures' cells
    that it looks most like, what is handed on for one of a few states, and diagonals are worked out row by row as in
    long multiplication on paper (`long.py`).
    """

    places: Tensor
    choice: Tensor
    found_cells: Tensor  # left edge, pitch and number of the cells, if they were found
    ground: Tensor
    states: Tensor
    glyphs: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        *,
        places: np.ndarray | None,
        path: str = "",
        scan: str = "",
        width: int = 64,
        sign: int | None = None,
    ) -> None:
        super().__init__(inputs, outputs, shape, shape)
        self.width, self.inputs, self.sign = whole("width", width, 1), inputs, sign
        self.asked = path, scan
        self.grid: Grid | None = None  # if the cells were found
        self.cells = 0  # until they are known
        self._coded: tuple[View, View] | None = None
        if places is not None:
            self._build(places)

    def _build(self, places: np.ndarray) -> None:
        """Make the networks for cells of this size."""
        self.cells, pixels = places.shape
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        self.register_buffer(
            "choice", torch.full((2,), -1, device="cpu")
        )  # the path and the scan, by number; -1 is undecided
        self.register_buffer("ground", torch.zeros((), device="cpu"))  # the logit around the cells
        self.register_buffer(
            "states", torch.full((MOST_STATES, SUM), torch.nan, device="cpu")
        )  # none before it is quantised
        self.register_buffer(
            "glyphs", torch.full((MOST_GLYPHS, pixels), torch.nan, device="cpu")
        )  # none before it is quantised
        self.meeting = Meeting(self.inputs, self.cells, pixels, width=self.width, sign=self.sign)
        self.hands = nn.ModuleList(layers(3 * SUM, self.width, SUM) for _ in range(2))  # one for each way
        self.starts = nn.Parameter(torch.zeros(2, SUM, device="cpu"))  # what the first column is handed
        self.turn = layers(3 * SUM, self.width, SUM)  # what the way there leaves in a column for the way back
        self.painter = layers(3 * SUM, self.width, self.width, self.outputs * pixels)
        self._choice = [-1, -1]  # the same as `choice`, at hand without asking the device
        self.register_load_state_dict_post_hook(_note_choice)  # type: ignore[no-untyped-call]
        if all(self.asked):
            self.choose(*self.asked)

    def _build_on(self, grid: Grid) -> None:
        self.grid = grid
        self.register_buffer("found_cells", torch.tensor([grid.left, grid.pitch, grid.cells], device="cpu"))
        self._build(grid.places)

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Find the cells, then the path and the scan, unless they are given."""
        if not self.cells:
            self.look_for_cells(data)
        if not self.decided:
            from visarith.learners.columns.trial import decide, few

            tell("trying which cells meet and which way columns hand on")
            decide(self, self.inner(data.head(few(recipe)))[1], recipe, seed=seed, device=device)

    def look_for_cells(self, data: View) -> None:
        """In inputs and answers alike, without which of them belong together."""
        both = [np.concatenate(pair, axis=1) for pair in data.batches(LOOKED_AT)]
        self._build_on(find_grid(np.concatenate(both).reshape(-1, *self.shape)))

    def found(self) -> dict[str, Tensor]:
        grid = {"found_cells": self.found_cells} if self.grid else {}
        return {"choice": self.choice, **grid}

    def recall(self, found: dict[str, Tensor]) -> None:
        if not self.cells and "found_cells" in found:
            left, pitch, cells = found["found_cells"].tolist()
            self._build_on(Grid(left, pitch, cells, self.shape))
        if self.cells and "choice" in found:
            self.choice.copy_(found["choice"])
            _note_choice(self)

    def restore(self, weights: dict[str, Tensor], data: Callable[[], View]) -> None:
        self.recall(weights)
        if not self.cells:  # version 0.1 did not keep where they are
            self.look_for_cells(data())
            weights = weights | {"found_cells": self.found_cells}
        self.load_state_dict(weights)

    def inner(self, data: View) -> tuple[Network, View]:
        if self.grid is None:
            return self, data
        if self._coded is None or self._coded[0] is not data:
            self._coded = data, data.coded(self.grid)
        return self, self._coded[1]

    def start(self, data: View, recipe: Recipe, generator: torch.Generator) -> None:
        super().start(data, recipe, generator)
        if data.codebook is not None:
            codes = data.codebook.inputs.codes
            same = (codes == codes[:1]).all(0)
            self.meeting.silent = torch.from_numpy(same[self.meeting.operands])

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        if recipe.shortcuts and not recipe.centring and data.codebook is not None and fits(self, data.codebook):
            return Tabled(self, data.codebook, recipe)
        return super().computation(data, recipe, seed=seed, bf16=bf16)

    def finish(self, data: View) -> None:
        from visarith.learners.columns.quantise import LOOKED_AT, quantise

        quantise(self, self.inner(data.head(LOOKED_AT))[1], glyphs=True)
        self._coded = None

    @property
    def lengthens(self) -> bool:
        """Not where a mean picture of one length is subtracted."""
        return not bool(self.mean.any())

    def lengthened(self, spec: PictureSpec) -> "Columns":
        """Cells of the same size, as many as there is room for between the same margins."""
        other = Columns(
            self.inputs,
            self.outputs,
            spec.shape,
            places=None if self.grid else spec.places,
            width=self.width,
            sign=self.sign,
        )
        if self.grid:
            other._build_on(self.grid.lengthened(spec.shape))
        kept = {name: weight for name, weight in self.state_dict().items() if name not in ("mean", "found_cells")}
        try:
            other.load_state_dict(kept, strict=False)
        except RuntimeError:
            raise VisarithError("cells of pictures of this length look otherwise than those of training") from None
        return other.to(self.device)

    def unquantised(self) -> "Columns":
        other = copy.deepcopy(self)
        other.states.fill_(torch.nan)
        other.glyphs.fill_(torch.nan)
        return other

    @property
    def longest(self) -> int | None:
        """Each cell with each takes memory that grows with the square of the length."""
        return None if self.quantised or self.path == "aligned" else MOST_SQUARED

    def choose(self, path: str, scan: str) -> None:
        """Decide which cells meet and which way columns hand on."""
        possible = PATHS if self.meeting.has_diagonals else PATHS[:1]
        if path not in possible:
            count = len(self.meeting.operands)
            raise VisarithError(f"path {path!r} is not for {count} operands; use {' or '.join(possible)}")
        if scan not in SCANS:
            raise VisarithError(f"scan {scan!r} is unknown; use {', '.join(SCANS)}")
        self._choice = [PATHS.index(path), SCANS.index(scan)]
        self.choice[0], self.choice[1] = self._choice

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
        return min(self._choice) >= 0

    @property
    def quantised(self) -> bool:
        return bool(len(found(self.states)) or len(found(self.glyphs)))

    @property
    def path(self) -> str:
        return PATHS[self._choice[0]]

    @property
    def scan(self) -> str:
        return SCANS[self._choice[1]]

    @property
    def paths(self) -> list[str]:
        """Those that are on."""
        return ["aligned", "diagonal"] if self.path == "both" else [self.path]

    @property
    def ways(self) -> list[str]:
        return self.scan.split("-")

    @property
    def thinks(self) -> str:  # type: ignore[override]
        return "long multiplication" if self.quantised and self.path == "diagonal" else "columns"

    def facts(self) -> dict[str, Any]:
        cells = "given" if self.grid is None else "found"
        return {"cells": cells, "path": self.path, "scan": self.scan, "settled": self.quantised}

    def described(self) -> str:
        """Which cells meet, which way columns hand on, and what they hand on, in words."""
        path = {"aligned": "cell by cell", "diagonal": "each cell with each", "both": "cell by cell and each with each"}
        scan = {"right": "from the right", "left": "from the left", "right-left": "from the right and back"}[self.scan]
        handed = "vectors are handed on"
        if len(found(self.glyphs)) and self.path == "diagonal":
            handed = "quantised: glyphs are handed on, as in long multiplication"
        elif count := len(found(self.states)):
            handed = f"quantised: one of {count} states is handed on"
        return f"{path[self.path]}, {scan}; {handed}"

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that the chosen path and scan use."""
        modules = [self.painter, *self.hands[: len(self.ways)], *([self.turn] if len(self.ways) > 1 else [])]
        own = [weight for module in modules for weight in module.parameters()]
        return [self.starts, *own, *self.meeting.trained_weights(self.paths)]

    def answer_to(self, centred: Tensor) -> Tensor:
        cells = centred.flatten(2)[:, :, self.places]  # (batch, inputs, cells, pixels)
        if not self.training and len(glyphs := found(self.glyphs)):
            seen = nearest(cells, glyphs)[0]
            if self.path == "diagonal":
                return self.layout(long.multiply(self, glyphs, seen))
            cells = glyphs[seen]
        return self.layout(self.work(self.meeting(cells, self.paths)))

    def looked_up(self, patterns: Tensor, codes: Tensor) -> Tensor:
        """Columns from which distinct cell picture stands where: (batch, inputs, cells)."""
        return self.meeting.looked_up(patterns, codes, self.paths)

    def dropping_out(self, generator: torch.Generator) -> AbstractContextManager[None]:
        return self.meeting.dropping_out(generator)

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
        """As it is or, once quantised, the nearest state."""
        if self.training:
            return handed
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

    def layout(self, cells: Tensor) -> Tensor:
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
        outside = torch.ones(picture[0].numel(), dtype=torch.bool, device=picture.device)
        outside[self.places.flatten()] = False
        if outside.any():
            self.ground.copy_(as_logits(picture.flatten(1)[:, outside].mean()))

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        cells = as_logits(picture).flatten(1)[:, self.places].mean(1)
        _last(self.painter).bias.copy_(cells.flatten())

    def certify(self, task: "Task") -> "Certificate":
        from visarith.learners.columns.certificate import certify

        return certify(self, task)

    def export(self) -> dict[str, Any]:
        """Only what the chosen path and scan use."""
        ways = len(self.ways)
        states, glyphs = found(self.states), found(self.glyphs)
        grid = self.grid
        return {
            "kind": "columns",
            "outputs": self.outputs,
            "paths": self.paths,
            "ways": self.ways,
            "sign": self.meeting.sign,
            "grid": grid
            and {
                "left": grid.left,
                "pitch": grid.pitch,
                "cells": grid.cells,
                "height": grid.shape[0],
                "width": grid.shape[1],
            },
            "mean": mean(self.mean),
            "ground": tensor(self.ground[None]),
            "states": tensor(states) if len(states) else None,
            "glyphs": tensor(glyphs) if len(glyphs) else None,
            "reader": exported(self.meeting.reader.children()),
            "meet": {path: exported(self.meeting.meet[path].children()) for path in self.paths},
            "hands": [exported(hand.children()) for hand in self.hands[:ways]],
            "starts": tensor(self.starts[:ways]),
            "turn": exported(self.turn.children()) if ways > 1 else None,
            "painter": exported(self.painter.children()),
        }


def _note_choice(learner: nn.Module, *_: object) -> None:
    learner._choice = learner.choice.tolist()  # type: ignore[assignment, operator]


def _last(network: nn.Module) -> nn.Linear:
    """The last layer of a small network."""
    layer = list(network.children())[-1]
    assert isinstance(layer, nn.Linear)
    return layer


def found(rows: Tensor) -> Tensor:
    """The rows of a buffer that have been found."""
    return rows[~rows.isnan().any(1)]
