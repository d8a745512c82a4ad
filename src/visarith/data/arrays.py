"""Pictures in arrays, and the checks of arrays, texts and splits that a user gives."""

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import AT_A_TIME, Pixels
from visarith.errors import VisarithError
from visarith.pictures.codebook import LOOKED_AT, Cells, Codebook, Coded, Grid, find_grid

GREYS = 1e-4  # floats this close to greys of 8 bits are stored as uint8


class Arrays(Pixels):
    """The inputs and the answers of a picture set as arrays."""

    def __init__(self, inputs: np.ndarray, answers: np.ndarray) -> None:
        self.arrays = inputs, answers
        (_, shown, *shape), (_, drawn, *answer_shape) = inputs.shape, answers.shape
        self.spec = PictureSpec(shown, drawn, (shape[0], shape[1]), (answer_shape[0], answer_shape[1]))

    def __len__(self) -> int:
        return len(self.arrays[0])

    def shown(self, rows: np.ndarray) -> np.ndarray:
        return self.arrays[0].take(rows, axis=0)

    def drawn(self, rows: np.ndarray) -> np.ndarray:
        return self.arrays[1].take(rows, axis=0)

    def take(self, rows: np.ndarray) -> "Arrays":
        return Arrays(self.shown(rows), self.drawn(rows))

    def means(self) -> tuple[Tensor, Tensor]:
        means = []
        for pictures in self.arrays:
            total = np.zeros(pictures.shape[1:], np.float64)
            for start in range(0, len(pictures), AT_A_TIME):
                total += pictures[start : start + AT_A_TIME].sum(0, dtype=np.float64)
            full = 255 if pictures.dtype == np.uint8 else 1
            means.append(torch.from_numpy((total / len(pictures) / full).astype(np.float32)))
        return means[0], means[1]

    def codebook(self) -> Codebook | None:
        """Find the distinct cells by comparing pixels; None unless typesetting them gives every picture exactly."""
        inputs, answers = self.arrays
        grid = None
        try:
            if inputs.shape[2:] == answers.shape[2:]:  # one grid for both
                grid = _found(np.concatenate([inputs[:LOOKED_AT], answers[:LOOKED_AT]], axis=1))
            return Codebook(_coded(inputs, grid), _coded(answers, grid))
        except VisarithError:  # no grid, or cells that do not repeat
            return None

    def coded_answers(self) -> Coded | None:
        """Return the cells of the answers alone, or None if their cells do not repeat."""
        try:
            return _coded(self.arrays[1])
        except VisarithError:
            return None

    def digests(self) -> list[bytes]:
        """Return a short hash of the inputs of each example."""
        return [hashlib.blake2b(np.ascontiguousarray(each).data, digest_size=16).digest() for each in self.arrays[0]]

    @cached_property
    def groups(self) -> np.ndarray:
        """A number for each example from 0; those with the same inputs have the same number."""
        numbers: dict[bytes, int] = {}
        return np.array([numbers.setdefault(digest, len(numbers)) for digest in self.digests()])


def _found(pictures: np.ndarray) -> Grid:
    return find_grid(pictures[:LOOKED_AT].reshape(-1, *pictures.shape[2:]))


def _coded(pictures: np.ndarray, grid: Grid | None = None) -> Coded:
    """Encode pictures as indices of distinct cells; raise an error if that loses a pixel."""
    cells = Cells(grid or _found(pictures))
    starts = range(0, len(pictures), AT_A_TIME)
    codes = cells.encode(pictures[start : start + AT_A_TIME] for start in starts)
    layout = cells.layout
    for start in starts:
        some = slice(start, start + AT_A_TIME)
        if not np.array_equal(layout.typeset(codes[some]), pictures[some]):
            raise VisarithError("the pixels around the cells are not the same in all pictures")
    return Coded(layout, codes)


def _array(pictures: Any) -> np.ndarray:
    """Return tensors and lists as an array; raise an error if pictures differ in size."""
    tensor = pictures.detach().cpu() if isinstance(pictures, Tensor) else pictures
    try:
        return np.asarray(tensor)
    except (ValueError, TypeError) as error:
        raise VisarithError(f"these are not pictures of one size ({error}); give arrays") from None


def check_pictures(what: str, pictures: Any) -> np.ndarray:
    """Return pictures as uint8 if their greys allow it, otherwise as float32 in [0, 1]."""
    array = _array(pictures)
    if array.ndim != 4 or 0 in array.shape[1:]:
        raise VisarithError(f"{what} of shape {array.shape} are not pictures; give (count, pictures, height, width)")
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind != "f":
        raise VisarithError(f"{what} of type {array.dtype} are not pictures; give uint8, or floats in [0, 1]")
    if array.size and not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1):
        raise VisarithError(f"{what} from {array.min():g} to {array.max():g} are out of range; give floats in [0, 1]")
    greys = np.rint(array * 255)
    if np.abs(greys - array * 255).max(initial=0) <= GREYS:
        kept: np.ndarray = greys.astype(np.uint8)
        return kept
    return array.astype(np.float32)


def add_axis(pictures: Any) -> np.ndarray:
    """Return one picture (height, width) as (1, height, width); leave several as they are."""
    array = _array(pictures)
    return array[None] if array.ndim == 2 else array


def check_text(text: Any, count: int, answers: int) -> list[tuple[str, ...]] | None:
    """Return the text of each answer of each example."""
    if text is None:
        return None
    try:
        lines = [(line,) if isinstance(line, str) else tuple(map(str, line)) for line in text]
    except TypeError:
        raise VisarithError(f"text {text!r:.60} is not a list of strings; give {answers} for each example") from None
    if len(lines) != count or any(len(each) != answers for each in lines):
        raise VisarithError(f"text does not fit {count} examples of {answers} answers; give {answers} strings for each")
    return lines


def check_split(split: Any, count: int) -> np.ndarray | None:
    """Return which examples are for testing, (count,) of bool."""
    if split is None:
        return None
    try:
        names = [str(name) for name in split]
    except TypeError:
        raise VisarithError(f"split {split!r} is not a list; give train or test for each example") from None
    if len(names) != count:
        raise VisarithError(f"split has {len(names)} entries for {count} examples; give one for each")
    for number, name in enumerate(names):
        if name not in ("train", "test"):
            raise VisarithError(f"split {name!r} of example {number + 1} is unknown; use train or test")
    test = np.array([name == "test" for name in names])
    if test.all() or not test.any():
        raise VisarithError(f"split has no {'train' if test.all() else 'test'} example; mark some, or leave split out")
    return test
