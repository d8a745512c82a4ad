"""A picture set: pictures of inputs and answers, and what only a scorer may know of them."""

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from torch import Tensor
from torch.utils.data import Dataset

from visarith.data.arrays import Arrays, as_lines, checked, held_out, several
from visarith.data.spec import PictureSpec
from visarith.data.view import View, intensities
from visarith.errors import VisarithError, whole
from visarith.pictures.sheet import as_html
from visarith.randomness import rng
from visarith.reading.legend import Legend, read_off

HELD_OUT = 10  # one example in so many, where no split is given


class PictureSet(View, Dataset[tuple[Tensor, Tensor]]):
    """Inputs (count, k, height, width) and answers (count, m, height', width'): uint8, or floats in [0, 1].

    `text` says what the answers show, a string or m strings an example; it is for scoring, and no learner is shown it.
    `split` says of each example whether it is for "train" or "test"; without it a seeded tenth is held out.

    >>> dots = np.zeros((4, 1, 5, 5), np.uint8)
    >>> PictureSet(dots, dots)
    PictureSet(4 examples: 1 of 5 x 5 -> 1 of 5 x 5)
    """

    generates = False  # there are no examples but these
    _pixels: Any  # Arrays, or for examples of a task what typesets them

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
        inputs, answers = checked("inputs", inputs), checked("answers", answers)
        count = len(inputs)
        if len(answers) != count:
            raise VisarithError(f"{count} inputs have {len(answers)} answers; give one answer an example")
        if count < 2:
            raise VisarithError(f"{count} examples are too few to learn from; give 2 or more")
        self.name, self.path = name or "pictures", Path(path) if path else None  # where it was read from
        self._text = as_lines(text, count, answers.shape[1])
        self._test = held_out(split, count)
        super().__init__(Arrays(inputs, answers))

    @classmethod
    def from_arrays(cls, inputs: np.ndarray, answers: np.ndarray, **known: Any) -> Self:
        """The same as the constructor, for symmetry with the other ways."""
        return cls(inputs, answers, **known)

    @classmethod
    def from_folder(cls, folder: str | Path) -> "PictureSet":
        """Pictures in a folder with a manifest.csv, or an .npz file of arrays (docs/pictures.md)."""
        from visarith.data.folder import load

        return load(Path(folder))

    @classmethod
    def from_dataset(cls, dataset: Any, **known: Any) -> Self:
        """Any dataset of PyTorch whose items are (inputs, answers); a picture may be (height, width) alone."""
        try:
            shown, drawn = zip(*(dataset[i] for i in range(len(dataset))), strict=True)
            inputs, answers = (np.stack([several(each) for each in part]) for part in (shown, drawn))
        except (ValueError, TypeError) as error:
            raise VisarithError(
                f"the dataset's items are no pairs of equally large pictures ({error}); give (inputs, answers)"
            ) from None
        return cls(inputs, answers, **known)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        index = range(len(self))[index]
        shown, drawn = self.fixed(np.array([index]), seed=0)
        return shown[0], drawn[0]

    def view(self) -> View:
        """What a learner is handed: the same without the truth."""
        return View(self._pixels)

    @cached_property
    def spec(self) -> PictureSpec:
        spec: PictureSpec = self._pixels.spec
        return spec

    @property
    def task(self) -> NoReturn:
        """Refused: of pictures that were brought, no operation is known."""
        raise VisarithError(f"{self.name} are pictures, of which no operation is known; this needs a task")

    @property
    def readable(self) -> bool:
        """Whether it is known what the answers say."""
        return self.text is not None

    @property
    def text(self) -> list[tuple[str, ...]] | None:  # type: ignore[override]
        """What the answers show, where that is known: m strings an example."""
        return self._text

    @cached_property
    def legend(self) -> Legend | None:  # type: ignore[override]
        """How these answers are read, made from their own pictures and text; None without text."""
        if self._text is None:
            return None
        lines = [line for lines in self._text for line in lines]
        coded = self.codebook.answers if self.codebook else self._pixels.coded_answers()
        layout, codes = (coded.layout, coded.codes.reshape(len(lines), -1)) if coded else (None, None)
        dark = float(self.mean_targets.mean()) > 0.5  # ink never covers half of a picture
        return read_off(layout, codes, lines, dark=dark, height=self.spec.answer_shape[0])

    def truth_in(self, legend: Legend) -> np.ndarray | None:
        """The symbols of the answers (count, answers, cells), or None where no text is known."""
        if self._text is None:
            return None
        lines = [line for lines in self._text for line in lines]
        return legend.notation.write(lines).reshape(len(self), -1, legend.notation.cells)  # type: ignore[arg-type]

    def clean_answers(self, rows: slice) -> np.ndarray:
        """The answers of these rows as a person sees them: (rows, answers, height, width) in [0, 1]."""
        return self.plain_answers(intensities(self._pixels.raw(np.arange(len(self))[rows])[1]).numpy())

    # A person's order of pixels and a learner's differ where a task permutes them.

    def plain_answers(self, pictures: np.ndarray) -> np.ndarray:
        """Answers in a learner's order of pixels, as a person sees them."""
        return pictures

    def plain_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Inputs in a learner's order of pixels, as a person sees them."""
        return pictures

    def shown_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Inputs as a person sees them, in a learner's order of pixels."""
        return pictures

    def take(self, rows: np.ndarray | slice) -> "PictureSet":
        """Some of the examples."""
        rows = np.arange(len(self))[rows]
        some = object.__new__(PictureSet)
        some.name, some.path, some._test = self.name, self.path, None
        some._text = None if self._text is None else [self._text[row] for row in rows]
        View.__init__(some, self._pixels.take(rows))
        return some

    def sizes(self, examples: int | None = None, test_pairs: int | None = None, *, seed: int) -> tuple[int, int]:
        """How many examples there are to train and to test on; what is not asked for is as many as there are."""
        train, test = self._rows(seed=seed)
        for name, rows, asked in (("examples", train, examples), ("test pairs", test, test_pairs)):
            if asked is not None and whole(name, asked, 1) > len(rows):
                raise VisarithError(f"{asked} {name} were asked for, but {self.name} has {len(rows)}; ask for fewer")
        return examples or len(train), test_pairs or len(test)

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> "tuple[PictureSet, PictureSet]":
        """Training and test examples: as the set says, or with a seeded tenth held out; at most so many of each."""
        train, test = self._rows(seed=seed)
        return self.take(train[:examples]), self.take(test[:test_pairs])

    def _rows(self, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Which examples are trained and tested on; those with the same inputs are never held out apart."""
        if self._test is not None:
            return np.flatnonzero(~self._test), np.flatnonzero(self._test)
        groups = self._alike
        count = int(groups.max()) + 1
        if count < 2:
            raise VisarithError(f"all inputs of {self.name} are the same, so that none can be held out; give others")
        order = rng(seed, "held out").permutation(count)
        held = np.zeros(count, bool)
        held[order[: max(1, count // HELD_OUT)]] = True
        test = held[groups]
        return np.flatnonzero(~test), np.flatnonzero(test)

    @cached_property
    def _alike(self) -> np.ndarray:
        """The same number for examples with the same inputs."""
        alike: np.ndarray = self._pixels.alike()
        return alike

    def seen_in(self, other: "PictureSet") -> int:
        """How many of these examples have inputs that are among another set's."""
        theirs = set(other._pixels.digests())
        return sum(digest in theirs for digest in self._pixels.digests())

    # For the run that learns from it

    def as_pictures(self) -> "PictureSet":
        """Itself; examples of a task become pictures like any others."""
        return self

    def to_json(self) -> dict[str, Any]:
        """All that is stored of a picture set with a run (data/stored.py)."""
        from visarith.data.stored import pictures_to_json

        return pictures_to_json(self)

    @property
    def label(self) -> str:
        """A name for folders."""
        return re.sub(r"[^\w.-]+", "-", self.name).strip("-.") or "pictures"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that is in the set."""
        digest = hashlib.sha256(repr((self._pixels.spec.shape, self._text)).encode())
        digest.update(b"" if self._test is None else self._test.tobytes())
        for array in self._pixels.arrays():
            digest.update(repr((array.shape, str(array.dtype))).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        shown = self._pixels.raw(np.arange(len(self))[:3])[0]
        return as_html(self.plain_inputs(intensities(shown).numpy()), self.clean_answers(slice(0, 3)))
