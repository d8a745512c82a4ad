"""Picture sets: pictures of inputs and answers, and the text of the answers for scoring."""

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from torch import Tensor
from torch.utils.data import Dataset

from visarith.data.arrays import Arrays, add_axis, check_pictures, check_split, check_text
from visarith.data.spec import PictureSpec
from visarith.data.view import View, intensities
from visarith.errors import VisarithError, whole
from visarith.pictures.png import as_html
from visarith.randomness import rng
from visarith.reading.legend import Legend, read_off

HELD_OUT = 10  # one example in 10 is held out if no split is given


class PictureSet(View, Dataset[tuple[Tensor, Tensor]]):
    """Inputs (count, k, height, width) and answers (count, m, height', width'): uint8, or floats in [0, 1].

    `text` is what the answers show, a string or m strings an example. It is used for scoring only; learners do not see
    it. `split` is "train" or "test" for each example; without it a random tenth is held out, chosen by the seed.

    >>> dots = np.zeros((4, 1, 5, 5), np.uint8)
    >>> PictureSet(dots, dots)
    PictureSet(4 examples: 1 of 5 x 5 -> 1 of 5 x 5)
    """

    generates = False  # no fresh examples can be drawn
    _pixels: Any  # Arrays, or the Typesetter of a task

    def __init__(
        self,
        inputs: np.ndarray,
        answers: np.ndarray,
        *,
        text: Sequence[str] | Sequence[Sequence[str]] | None = None,
        split: Sequence[str] | None = None,
        name: str = "pictures",
        path: str | Path | None = None,
    ) -> None:
        inputs, answers = check_pictures("inputs", inputs), check_pictures("answers", answers)
        count = len(inputs)
        if len(answers) != count:
            raise VisarithError(f"{count} inputs have {len(answers)} answers; give one answer an example")
        if count < 2:
            raise VisarithError(f"{count} examples are too few to learn from; give 2 or more")
        self.name, self.path = name or "pictures", Path(path) if path else None
        self._text = check_text(text, count, answers.shape[1])
        self._test = check_split(split, count)
        super().__init__(Arrays(inputs, answers))

    @classmethod
    def from_arrays(cls, inputs: np.ndarray, answers: np.ndarray, **known: Any) -> Self:
        """Same as the constructor."""
        return cls(inputs, answers, **known)

    @classmethod
    def from_folder(cls, folder: str | Path) -> "PictureSet":
        """Read a folder with a manifest.csv, or an .npz file of arrays (docs/pictures.md)."""
        from visarith.data.folder import load

        return load(Path(folder))

    @classmethod
    def from_dataset(cls, dataset: Any, **known: Any) -> Self:
        """Read a PyTorch dataset of (inputs, answers), each (pictures, height, width) or (height, width)."""
        try:
            shown, drawn = zip(*(dataset[i] for i in range(len(dataset))), strict=True)
            inputs, answers = (np.stack([add_axis(each) for each in part]) for part in (shown, drawn))
        except (ValueError, TypeError) as error:
            raise VisarithError(
                f"the dataset's items are not pairs of pictures of one size ({error}); give (inputs, answers)"
            ) from None
        return cls(inputs, answers, **known)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        shown, drawn = self.fixed(np.array([range(len(self))[index]]), seed=0)
        return shown[0], drawn[0]

    def view(self) -> View:
        """Return the pictures without their text, for a learner."""
        return View(self._pixels)

    @cached_property
    def spec(self) -> PictureSpec:
        spec: PictureSpec = self._pixels.spec
        return spec

    @property
    def task(self) -> NoReturn:
        """An error: the operation behind the pictures is not known."""
        raise VisarithError(f"the operation behind the pictures {self.name} is not known; use a task")

    @property
    def readable(self) -> bool:
        """Whether the text of the answers is known."""
        return self.text is not None

    @property
    def text(self) -> list[tuple[str, ...]] | None:  # type: ignore[override]
        """The text of the answers, m strings an example, or None if it is not known."""
        return self._text

    @cached_property
    def legend(self) -> Legend | None:  # type: ignore[override]
        """How the answers are read, found from their pictures and text; None without text."""
        if self._text is None:
            return None
        lines = list(chain.from_iterable(self._text))
        coded = self.codebook.answers if self.codebook else self._pixels.coded_answers()
        layout, codes = (coded.layout, coded.codes.reshape(len(lines), -1)) if coded else (None, None)
        dark = float(self.mean_targets.mean()) > 0.5  # ink never covers half of a picture
        return read_off(layout, codes, lines, dark=dark, height=self.spec.answer_shape[0])

    def truth_in(self, legend: Legend) -> np.ndarray | None:
        """Return the symbols of the answers (count, answers, cells), or None without text."""
        if self._text is None:
            return None
        lines = list(chain.from_iterable(self._text))
        return legend.notation.write(lines).reshape(len(self), -1, legend.notation.cells)  # type: ignore[arg-type]

    def clean_answers(self, rows: slice) -> np.ndarray:
        """Return the answers of these rows, not permuted: (rows, answers, height, width) in [0, 1]."""
        return self.plain_answers(intensities(self._pixels.drawn(np.arange(len(self))[rows])).numpy())

    def plain_answers(self, pictures: np.ndarray) -> np.ndarray:
        """Return the pictures; a `TaskSet` undoes the permutation of its pixels here."""
        return pictures

    plain_inputs = shown_inputs = plain_answers

    def take(self, rows: np.ndarray | slice) -> "PictureSet":
        """Return some of the examples."""
        rows = np.arange(len(self))[rows]
        some = object.__new__(PictureSet)
        some.name, some.path, some._test = self.name, self.path, None
        some._text = None if self._text is None else [self._text[row] for row in rows]
        View.__init__(some, self._pixels.take(rows))
        return some

    def sizes(self, examples: int | None = None, test_pairs: int | None = None, *, seed: int) -> tuple[int, int]:
        """Return the numbers of training examples and test pairs; None stands for all there are."""
        train, test = self._rows(seed=seed)
        for name, rows, asked in (("examples", train, examples), ("test pairs", test, test_pairs)):
            if asked is not None and whole(name, asked, 1) > len(rows):
                raise VisarithError(f"{asked} {name} were asked for, but {self.name} has {len(rows)}; ask for fewer")
        return examples or len(train), test_pairs or len(test)

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> "tuple[PictureSet, PictureSet]":
        """Return training and test examples: by the given split, or with a random tenth held out."""
        train, test = self._rows(seed=seed)
        return self.take(train[:examples]), self.take(test[:test_pairs])

    def _rows(self, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of training and of test examples; examples with the same inputs stay together."""
        if self._test is not None:
            return np.flatnonzero(~self._test), np.flatnonzero(self._test)
        groups = self._pixels.groups
        count = int(groups.max()) + 1
        if count < 2:
            raise VisarithError(f"all inputs of {self.name} are the same, so none can be held out; give other inputs")
        held = rng(seed, "held out").permutation(count)[: max(1, count // HELD_OUT)]
        test = np.isin(groups, held)
        return np.flatnonzero(~test), np.flatnonzero(test)

    def seen_in(self, other: "PictureSet") -> int:
        """Return how many of these examples have the same inputs as an example of another set."""
        theirs = set(other._pixels.digests())
        return sum(digest in theirs for digest in self._pixels.digests())

    def as_pictures(self) -> "PictureSet":
        """Return the set itself; a `TaskSet` becomes a plain picture set."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Return what a run stores of its pictures: path, hash and sizes."""
        spec = self.spec
        stored = {
            "name": self.name,
            "path": str(self.path) if self.path else None,
            "sha256": self.fingerprint,
            "count": len(self),
            "inputs": spec.inputs,
            "outputs": spec.outputs,
            "shape": list(spec.shape),
            "answer_shape": list(spec.answer_shape),
        }
        return {"pictures": stored}

    @property
    def label(self) -> str:
        """A name for folders."""
        return re.sub(r"[^\w.-]+", "-", self.name).strip("-.") or "pictures"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the pictures, the text and the split."""
        digest = hashlib.sha256(repr((self._pixels.spec.shape, self._text)).encode())
        digest.update(b"" if self._test is None else self._test.tobytes())
        for array in self._pixels.arrays:
            digest.update(repr((array.shape, str(array.dtype))).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        shown = intensities(self._pixels.shown(np.arange(len(self))[:3])).numpy()
        return as_html(self.plain_inputs(shown), self.clean_answers(slice(0, 3)))
