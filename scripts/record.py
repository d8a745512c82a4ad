"""Record what the paper's perceptron draws while it learns, for the page: src/visarith/web/static/recorded.js.

    python scripts/record.py    # about 5 minutes on one core

The training is that of `visarith train add`, with its defaults: it is what the page calls the recording. Kept are the
answers to a few pairs that are not trained on, as pictures, and how many of the first 1,000 test pairs are wrong.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

import visarith as va
from visarith.runs.experiment import Experiment
from visarith.runs.judge import Judged, judge
from visarith.runs.train import Watcher
from visarith.training.loop import Epoch, Training

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "src" / "visarith" / "web" / "static" / "recorded.js"
COMMAND = "visarith train add"
PAIRS = ((1234567, 2345678), (4999999, 1), (3141592, 2718281), (4567890, 567890))
TESTED = 1_000
EARLY = (0, 50, 100, 200, 350)  # steps
EPOCHS = (1, 2, 3, 5, 8, 12, 20, 30, 50)


class Recorder(Watcher):
    """Draws the answers to `PAIRS` at some steps and epochs of a training."""

    def __init__(self) -> None:
        self.checkpoints: list[dict[str, object]] = []
        self.steps = 0

    def begin(self, experiment: Experiment, path: Path, training: Training) -> None:  # noqa: ARG002
        self.training, task = training, experiment.task
        self.examples, self.seed = experiment.examples, experiment.seed
        train, test = task.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
        shown = {tuple(sorted(pair)) for pair in train.operands.tolist()}
        if known := [pair for pair in PAIRS if tuple(sorted(pair)) in shown]:
            raise va.VisarithError(f"{known} are trained on; record other pairs")
        self.legend, self.test, self.batch = task.legend, test.take(slice(0, TESTED)), experiment.recipe.batch
        self.pictures = torch.from_numpy(task.plain_layout.typeset(task.write(np.array(PAIRS)).inputs) / 255).float()
        self.record()

    def step(self) -> None:
        self.steps += 1
        if self.steps in EARLY:
            self.training.computation.sync()
            self.record()

    def epoch(self, epoch: Epoch, watched: Judged) -> None:  # noqa: ARG002
        if epoch.number in EPOCHS:
            self.record(epoch.number)

    def record(self, epoch: int | None = None) -> None:
        network = self.training.network
        judged = judge(network, self.test, self.legend, seed=self.seed)
        assert judged.score
        drawn = np.clip(255 * network.drawn(self.pictures)[:, 0] + 0.5, 0, 255).astype(np.uint8)
        shown = self.steps * self.batch if epoch is None else epoch * self.examples
        self.checkpoints.append(
            {
                "examples": shown,
                "epoch": epoch,
                "wrong": round(judged.score.number_error * TESTED),
                "pictures": base64.b64encode(drawn.tobytes()).decode(),
            }
        )
        print(f"{shown:,} examples: {self.checkpoints[-1]['wrong']} of {TESTED} wrong", flush=True)


def main() -> int:
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder:
        run = va.learn("add", out=Path(folder) / "add", threads=1, watcher=recorder)
    recorded = {
        "command": COMMAND,
        "seed": run.experiment.seed,
        "pairs": PAIRS,
        "tested": TESTED,
        "height": run.task.shape[0],
        "width": run.task.shape[1],
        "checkpoints": recorder.checkpoints,
    }
    RECORDED.write_text(f"globalThis.visarithRecorded = {json.dumps(recorded, separators=(',', ':'))};\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
