"""What tiny runs of every learner and every computation came to in version 0.1: weights and scores, kept in pins.npz.

`python tests/pins.py FILE` makes the file again with the code that is imported, and prints a SHA-256 for each run. It
was made with version 0.1.0 (torch 2.13, one thread, f32). Runs are made by the command line, as a user would.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import safetensors.numpy

import visarith as va
from visarith.cli import main
from visarith.runs.train import Watcher

MOST = 100  # numbers that are kept of a tensor, evenly spaced
SIZE = ["--examples", "400", "--test-pairs", "100", "--threads", "1", "--set", "precision=f32"]
SIZE += ["--set", "least_steps=0", "--set", "attempts=1", "--set", "jitter=0"]  # version 0.1 had none of them
SHORT = ["--epochs", "3", "--set", "batch=16"]  # 75 steps: long enough to move every weight, too short to part company
LONG = ["--epochs", "60", "--set", "batch=16", "--width", "32"]  # it learns; its weights depend on the last bits
LAYERS = ["--width", "8", "--hidden-layers", "2"]
COLUMNS = ["--learner", "columns", "--width", "8"]
ROMAN = ["--notation", "roman", "--digits", "2"]
RUNS = {  # what `visarith train` is told beside SIZE
    "dense": ["add", "--digits", "3", *LAYERS, "--set", "shortcuts=false"],
    "shortcut": ["add", "--digits", "3", *LAYERS],
    "shortcut-bit": ["subtract", "--digits", "3", "--ink", "bit", *LAYERS],
    "shortcut-adam": ["add", "--digits", "3", *LAYERS, "--recipe", "adam"],
    "shortcut-sigmoid": ["add", "--digits", "3", *LAYERS, "--activation", "sigmoid"],
    "noisy": ["add", "--digits", "3", "--noise", "0.3", *LAYERS],
    "noisy-fixed": ["add", "--digits", "3", "--noise", "0.3", *LAYERS, "--set", "noise=fixed"],
    "displaced": ["add", "--digits", "3", "--displacement", "1", *LAYERS],
    "permuted": ["add", "--digits", "3", "--permutation", *LAYERS],
    "permuted-dense": ["add", "--digits", "3", "--permutation", *LAYERS, "--set", "shortcuts=false"],
    "permuted-noisy": ["add", "--digits", "3", "--permutation", "--noise", "0.3", *LAYERS],
    "roman": ["add", *ROMAN, *LAYERS],
    "roman-dense": ["add", *ROMAN, *LAYERS, "--set", "shortcuts=false"],
    "one-hot": ["add", "--digits", "3", "--medium", "one-hot", *LAYERS],
    "one-hot-entropy": ["add", *ROMAN, "--medium", "one-hot", *LAYERS, "--recipe", "entropy"],
    "perceive": ["copy", "--digits", "3", "--answer-medium", "one-hot", "--recipe", "entropy", "--width", "8"],
    "two-answers": ["add-subtract", "--digits", "3", *LAYERS],
    "three-operands": ["add-three", "--digits", "3", *LAYERS],
    "unpadded-base-16": ["multiply", "--digits", "4", "--base", "16", "--unpadded", *LAYERS],
    "any": ["any", "--digits", "4", *LAYERS],
    "convolutional": ["add", "--digits", "3", "--learner", "convolutional", "--width", "8", "--hidden-layers", "1"],
    "recurrent": ["add", "--digits", "3", "--learner", "recurrent", "--width", "8"],
    "symbols": ["add", *ROMAN, "--learner", "symbols", "--width", "8"],
    "tally": ["add", *ROMAN, "--learner", "tally", "--width", "8", "--scan", "right", "--path", "aligned"],
    "columns": ["add", "--digits", "3", *COLUMNS, "--path", "aligned", "--scan", "right"],
    "columns-tried": ["add", "--digits", "2", *COLUMNS, "--scan", "right"],
    "columns-dense": [
        "add",
        "--digits",
        "3",
        *COLUMNS,
        "--path",
        "aligned",
        "--scan",
        "right",
        "--set",
        "shortcuts=no",
    ],
    "columns-centred": [
        "add",
        "--digits",
        "3",
        *COLUMNS,
        "--path",
        "aligned",
        "--scan",
        "left",
        "--set",
        "centring=yes",
    ],
    "columns-noisy": ["add", "--digits", "3", "--noise", "0.3", *COLUMNS, "--path", "aligned", "--scan", "right-left"],
    "columns-multiply": ["multiply", "--digits", "4", *COLUMNS, "--path", "diagonal", "--scan", "right"],
    "columns-any": ["any", "--digits", "4", *COLUMNS, "--path", "both", "--scan", "right"],
    "columns-found": [
        *("add", "--digits", "3", "--unpadded", "--ink", "bit"),
        *(*COLUMNS, "--cells", "found", "--path", "aligned", "--scan", "right"),
    ],
}
LEARNED = {  # of these only the scores are compared
    "learned-add": ["add", "--digits", "2", "--learner", "columns", "--scan", "right", *LONG],
    "learned-multiply": ["multiply", "--digits", "5", "--base", "4", "--learner", "columns", *LONG],
    "learned-tally": ["add", *ROMAN, "--learner", "tally", *LONG],
}
CONSTRUCTED = {  # what `visarith construct` is told
    "constructed": ["add", "--digits", "3"],
    "constructed-sigmoid-roman": ["add", *ROMAN, "--gates", "sigmoid", "--form", "fewest"],
    "constructed-carries": ["multiply", "--digits", "4", "--form", "carries"],
}
JOINED = "roman-joined"


class StopAfterAnEpoch(Watcher):
    """A watcher that kills a run as Ctrl-C would, after its first epoch."""

    def epoch(self, *_: object) -> None:
        raise KeyboardInterrupt


def runs(folder: Path, names: list[str]) -> Iterator[tuple[str, Path]]:
    """Make these runs, and say where they are."""
    for name in names:
        out = folder / name
        if name in CONSTRUCTED:
            visarith("construct", *CONSTRUCTED[name], "--out", out)
        elif name == "resumed":
            resumed(out)
        elif name == JOINED:
            where = ["--runs", folder / "runs", "--results", folder / "results", "--out", folder / "report"]
            visarith("reproduce", "--quick", "--only", JOINED, "--workers", "1", *where)
            out = next((folder / "runs").glob(f"{JOINED}-seed0-*"))
        else:
            train(name, out)
        yield name, out


def train(name: str, out: Path, *more: str) -> None:
    told = [word.replace("=no", "=false").replace("=yes", "=true") for word in (RUNS | LEARNED)[name]]
    visarith("train", *SIZE, *SHORT, *told, *more, "--out", out)


def with_other_rates(path: Path) -> Iterator[dict[str, np.ndarray]]:
    """What a run comes to if its rate is larger, or smaller, by a millionth."""
    rate = json.loads((path / "experiment.json").read_text())["recipe"]["rate"]
    for number, other in enumerate((rate * (1 + 1e-6), rate * (1 - 1e-6))):
        out = path.with_name(f"{path.name}-{number}")
        train(path.name, out, "--set", f"rate={other}")
        yield arrays(out)


def resumed(out: Path) -> None:
    """Stopped after an epoch, then continued."""
    task, recipe = va.Task("add", digits=3), va.Recipe(loss_scale=0.2, precision="f32", epochs=3, batch=16)
    settings = {"examples": 400, "test_pairs": 100, "threads": 1, "out": out}
    try:
        va.learn(task, recipe=recipe, watcher=StopAfterAnEpoch(), **settings)
    except KeyboardInterrupt:
        va.learn(task, recipe=recipe, resume=True, **settings)
    else:
        raise AssertionError("it was not stopped")


def visarith(*arguments: object) -> None:
    """Run a verb, quietly."""
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = main([str(argument) for argument in arguments])
    assert code == 0, (arguments, said.getvalue())


def arrays(path: Path) -> dict[str, np.ndarray]:
    """What is kept of a run: each tensor (or some of its numbers), and the scores."""
    kept = {}
    for name, values in safetensors.numpy.load_file(path / "weights.safetensors").items():
        if name.endswith("glyphs"):  # in which order they stand says nothing, and has changed since
            values = values[np.lexsort(values.T[::-1])]
        flat = values.ravel()
        kept[name] = np.asarray(flat[:: max(1, -(-flat.size // MOST))], np.float32)
    score = json.loads((path / "score.json").read_text())
    shares = score["score"]
    kept["score"] = np.array(
        [shares["digit_error"], shares["number_error"], shares["edit_error"], score["train_digit_error"]], np.float32
    )
    return kept


ALL = [*RUNS, *LEARNED, *CONSTRUCTED, "resumed", JOINED]


def record(file: Path) -> None:
    """Make every run and keep what it came to."""
    kept = {}
    folder = Path(tempfile.mkdtemp())
    for name, path in runs(folder, ALL):
        digest = hashlib.sha256((path / "weights.safetensors").read_bytes())
        own = arrays(path)
        digest.update(own["score"].tobytes())
        print(digest.hexdigest()[:16], name, *own["score"].round(4).tolist(), flush=True)
        kept |= {f"{name}/{key}": values for key, values in own.items()}
    np.savez_compressed(file, **kept)
    shutil.rmtree(folder)


if __name__ == "__main__":
    record(Path(sys.argv[1]))
