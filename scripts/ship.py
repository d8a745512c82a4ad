"""Put finished runs among the pretrained ones: src/visarith/shipped/NAME, from which `visarith calculate` takes them.

    python scripts/ship.py                           # all, from runs/reproduce and runs, about 2 minutes
    python scripts/ship.py columns-add               # some
    python scripts/ship.py --runs FOLDER FOLDER ...  # from runs elsewhere

A run is looked for by what it is, in the folder that `visarith reproduce` or the command in COMMANDS gives it.
Perceptrons are kept in half precision. That is refused unless it changes nothing but what chance would: of 30,000 fresh
answers read with both kinds of weights, some cells are right with one and wrong with the other; if half precision were
as good, each of these would fall to either side as a coin does, so the two sides may differ by at most twice the square
root of their sum. What is quantised, columns and the tally, is exact in single precision and stays so. The score that
is kept is that of the weights that are kept. A line for each says its size, and its errors in both precisions.
"""

import argparse
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

import visarith as va
from visarith.evaluation import percent
from visarith.randomness import generator
from visarith.runs.folder import EXPERIMENT, SCORE, WEIGHTS
from visarith.runs.judge import judge, reader_for
from visarith.runs.pretrained import COMMAND, FOLDER
from visarith.runs.store import Store
from visarith.runs.train import TRAIN_SAMPLE
from visarith.studies.catalogue import ENTRIES
from visarith.studies.experiments import identity, run_folder

ROOT = Path(__file__).parent.parent
FRESH, AT_A_TIME = 30_000, 2_000
SEED = 2026  # of the fresh pairs
# Each name with the catalogue's entry that it is and the command that makes it again.
COMMANDS = {
    "perceptron-add": ("add", "visarith train add"),
    "perceptron-subtract": ("subtract", "visarith train subtract"),
    "perceptron-multiply": ("multiply", "visarith train multiply"),
    "perceptron-noise": ("noise-better", "visarith train add --noise 0.3 --ink bit --recipe slow"),
    "columns-add": ("columns-add", "visarith train add --learner columns"),
    "columns-subtract": ("columns-subtract", "visarith train subtract --learner columns"),
    "columns-multiply": ("columns-multiply", "visarith train multiply --learner columns"),
    "tally-roman": ("columns-roman", "visarith train add --notation roman --learner tally"),
}


@dataclass(frozen=True)
class Compared:
    """How the same answers are read with full and with half precision."""

    numbers: int
    wrong_numbers: tuple[int, int]
    digit_errors: tuple[float, float]
    spoilt: int  # cells that only half precision gets wrong
    mended: int  # cells that only half precision gets right

    @property
    def by_chance(self) -> bool:
        return bool(abs(self.spoilt - self.mended) <= 2 * (self.spoilt + self.mended) ** 0.5)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    parser.add_argument("--runs", nargs="+", type=Path, default=[ROOT / "runs" / "reproduce", ROOT / "runs"])
    options = parser.parse_args()
    try:
        for name in options.names or COMMANDS:
            if name not in COMMANDS:
                raise va.VisarithError(f"{name!r} does not ship; use one of {', '.join(COMMANDS)}")
            print(ship(name, options.runs), flush=True)
    except va.VisarithError as error:
        print(f"ship: {error}", file=sys.stderr)
        return 2
    return 0


def ship(name: str, folders: list[Path]) -> str:
    """Let one run ship, and say in a line what came of it."""
    entry, command = COMMANDS[name]
    run = _found(entry, command, folders)
    half = va.load(run.path)
    half.learner.load_state_dict(_halved(half.learner))
    compared = _compare(run, half)
    exact = run.learner.quantised
    if not exact and not compared.by_chance:
        raise va.VisarithError(
            f"{name} in half precision spoils {compared.spoilt} cells of {run.path} and mends {compared.mended}, "
            f"which is more than chance; keep it in single precision"
        )
    target, stored = Store(FOLDER / name), Store(run.path)
    target.path.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run.path / EXPERIMENT, target.path / EXPERIMENT)
    (target.path / COMMAND).write_text(command + "\n")
    target.write_weights(stored.weights() if exact else _halved(run.learner))
    target.write_score(stored.score() if exact else _judged(half, stored))
    size = sum((target.path / file).stat().st_size for file in (EXPERIMENT, COMMAND, WEIGHTS, SCORE))
    single, halved = compared.digit_errors
    wrong = " and ".join(f"{count:,}" for count in compared.wrong_numbers)
    return (
        f"{name:20} {size:9,} bytes, {'single' if exact else 'half'} precision; of {compared.numbers:,} fresh answers "
        f"{percent(single)} and {percent(halved)} of digits, {wrong} numbers wrong in single and half "
        f"({compared.spoilt} cells spoilt, {compared.mended} mended)"
    )


def _found(entry: str, command: str, folders: list[Path]) -> va.Run:
    """The finished run of an entry, as `visarith reproduce` keeps it or as `visarith train` does."""
    wanted = ENTRIES[entry].experiment(0)
    for folder in folders:
        for path in (run_folder(folder, ENTRIES[entry], 0, quick=False), folder / wanted.name):
            if Store(path).finished:
                run = va.load(path)
                if identity(run.experiment) == identity(wanted):
                    return run
    where = ", ".join(map(str, folders))
    raise va.VisarithError(f"no finished run of {entry} is in {where}; make it with {command}")


def _halved(network: nn.Module) -> dict[str, Tensor]:
    """Its weights in half precision; what counts something stays as it is."""
    weights = network.state_dict()
    return {name: each.half() if each.is_floating_point() else each for name, each in weights.items()}


def _judged(half: va.Run, stored: Store) -> dict[str, object]:
    """The score of a run again, now that its weights have changed; Tesseract has not read what these draw."""
    experiment = half.experiment
    train, test = half.task.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    tested, trained = (
        judge(half.learner, some, half.legend, mean=train.mean_targets, seed=experiment.seed)
        for some in (test, train.take(slice(0, TRAIN_SAMPLE)))
    )
    assert tested.score  # a task can be read
    assert trained.score
    return stored.score() | {
        "score": asdict(tested.score),
        "tesseract": None,
        "picture_error": asdict(tested.picture),
        "train_digit_error": trained.score.digit_error,
    }


@torch.no_grad()
def _compare(single: va.Run, half: va.Run) -> Compared:
    """Have both draw the answers to the same fresh pictures."""
    task, experiment = single.task, single.experiment
    trained, _ = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    fresh = task.picture_set(task.fresh(FRESH, seed=SEED, exclude=trained.operands))
    noise, reader = generator(SEED, "test noise"), reader_for(task.legend, "templates")
    wrong: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for start in range(0, FRESH, AT_A_TIME):
        rows = np.arange(start, min(start + AT_A_TIME, FRESH))
        pictures = fresh.inputs(rows, noise)
        for kept, run in zip(wrong, (single, half), strict=True):
            symbols = reader.read(task.plain_answers(run.learner.drawn(pictures))[:, 0]).symbols
            kept.append(symbols != fresh.examples.answers[rows, 0])
    a, b = (np.concatenate(each) for each in wrong)
    return Compared(
        numbers=FRESH,
        wrong_numbers=(int(a.any(1).sum()), int(b.any(1).sum())),
        digit_errors=(float(a.mean()), float(b.mean())),
        spoilt=int((b & ~a).sum()),
        mended=int((a & ~b).sum()),
    )


if __name__ == "__main__":
    sys.exit(main())
