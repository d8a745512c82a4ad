"""Results of the catalogue: one small file a run, kept as soon as the run ends, believed only if it is of this code."""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from visarith.errors import VisarithError, option
from visarith.evaluation import Score
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.entry import Entry
from visarith.pictures.corruption import Corruption
from visarith.runs.experiment import Experiment, from_json
from visarith.training.recipe import Recipe

METHOD = 1  # raised when the same experiment would no longer give the same result: training, reading or scoring changed


@dataclass(frozen=True)
class Result:
    """What is kept of a run; `failed` says why there is nothing else."""

    entry: str
    seed: int
    experiment: dict[str, Any]
    parts: list[dict[str, Any]] = field(default_factory=list)  # what the experiments were that it was joined from
    failed: str | None = None
    run: str = ""
    parameters: int = 0
    seconds: float = 0.0
    core_seconds: float = 0.0
    score: Score | None = None
    tesseract: Score | None = None
    train_digit_error: float | None = None
    distance: float | None = None  # root mean square between the answers that are read right and clean pictures
    seen: dict[str, float] | None = None  # the share of test operands and answers that are numbers of training too
    curve: tuple[tuple[float, float], ...] = ()  # loss and digit error after each epoch
    proof: dict[str, Any] | None = None  # of column learners, what experiments/proof.py asks of them


class Results:
    """The folder of results: NAME.seedN.json each."""

    def __init__(self, folder: str | Path, *, quick: bool = False) -> None:
        self.folder, self.quick = Path(folder), quick

    def file(self, entry: Entry, seed: int) -> Path:
        return self.folder / f"{entry.name}.seed{seed}.json"

    def load(self, entry: Entry, seed: int) -> Result | None:
        """The stored result, or None; a file that cannot be believed is an error that names it and says why."""
        file = self.file(entry, seed)
        if not file.exists():
            return None
        try:
            data = json.loads(file.read_text())
            method = data.pop("method")
            scores = {name: Score.from_json(data[name]) if data[name] else None for name in ("score", "tesseract")}
            curve = tuple((float(loss), float(error)) for loss, error in data["curve"])
            result = Result(**(data | scores | {"curve": curve}))
            stored = from_json(dict(result.experiment), str(file))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, VisarithError) as error:
            raise VisarithError(f"{file} is damaged ({type(error).__name__}: {error})") from None
        if method != METHOD:
            raise VisarithError(f"{file} is of other code (method {method}, not {METHOD})")
        asked = entry.experiment(seed, quick=self.quick)
        theirs, ours = identity(stored), identity(asked)
        differs = next((key for key in ours if theirs[key] != ours[key]), None)
        if not differs and result.parts != parts(entry, seed, quick=self.quick):
            differs = "parts"
        if differs or (result.entry, result.seed) != (entry.name, seed):
            raise VisarithError(f"{file} is of another experiment (its {differs or 'name'} differs)")
        wrong = None if result.failed else _implausible(result, entry, asked, entry.tesseract(quick=self.quick))
        if wrong:
            raise VisarithError(f"{file} is damaged ({wrong})")
        return result

    def prepare(self) -> None:
        """Make sure that results can be kept, before anything is trained."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise VisarithError(
                f"{self.folder} cannot be written ({error.strerror}); choose another {option('results')}"
            ) from None

    def keep(self, entry: Entry, result: Result) -> None:
        """Write a result beside its place and move it there in one step."""
        self.prepare()
        file = self.file(entry, result.seed)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_text(json.dumps({"method": METHOD, **asdict(result)}, indent=1, allow_nan=False) + "\n")
        draft.replace(file)

    def seeds(self, entry: Entry) -> list[Result]:
        """Every result of an entry that can be believed, by seed."""
        return [result for result in self._all(entry) if not isinstance(result, str)]

    def complaints(self, entry: Entry) -> list[str]:
        """What is wrong with those that cannot."""
        return [complaint for complaint in self._all(entry) if isinstance(complaint, str)]

    def _all(self, entry: Entry) -> Iterator[Result | str]:
        numbers = []
        for file in self.folder.glob(f"{entry.name}.seed*.json"):
            number = file.name.removeprefix(f"{entry.name}.seed").removesuffix(".json")
            if number.isascii() and number.isdecimal():
                numbers.append(int(number))
        for seed in sorted(numbers):
            try:
                result = self.load(entry, seed)
            except VisarithError as error:
                yield str(error)
            else:
                if result is not None:
                    yield result


def _implausible(result: Result, entry: Entry, asked: Experiment, tesseract: int) -> str | None:
    """What no run of this experiment could have left."""
    pairs = {"templates": asked.test_pairs, "tesseract": min(tesseract, asked.test_pairs)}
    for reader, score in (("templates", result.score), ("tesseract", result.tesseract)):
        if (score.pairs if score else 0) != pairs[reader]:
            return f"{reader} has read {score.pairs if score else 0} answers, not {pairs[reader]}"
        if score and not all(0 <= share <= 1 for share in (score.digit_error, score.number_error, *score.per_position)):
            return f"{reader} has an error that is no share"
    if len(result.curve) != (0 if entry.parts else asked.recipe.epochs):
        return f"it has a curve of {len(result.curve)} epochs"
    numbers = (result.seconds, result.core_seconds, result.parameters)
    return None if all(isinstance(number, int | float) for number in numbers) else "a time is no number"


def parts(entry: Entry, seed: int, *, quick: bool) -> list[dict[str, Any]]:
    """What the experiments are that an entry is joined from."""
    return [identity(ENTRIES[name].experiment(seed, quick=quick)) for name in entry.parts]


def identity(experiment: Experiment) -> dict[str, Any]:
    """What an experiment is, without where it ran (versions, threads, precision) and without what is as by default.

    So a field that is added later, with a default that changes nothing, leaves earlier experiments what they were; a
    default that is changed needs another METHOD.
    """
    data: dict[str, Any] = json.loads(json.dumps(experiment.to_json()))
    earlier = Recipe(loss_scale=0.05)  # version 0.1's default, by which results and run folders are named
    for name, usual in (("recipe", asdict(earlier)), ("corruption", asdict(Corruption()))):
        data[name] = {key: value for key, value in data[name].items() if key in usual and value != usual[key]}
    data["learner"] = experiment.learner.identity()
    data["recipe"].pop("precision", None)
    del data["versions"], data["threads"], data["device"]
    return data
