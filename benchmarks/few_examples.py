"""Error against the number of distinct training pairs, from 30 to 150,000: perceptron and columns, sums and products.

    python benchmarks/few_examples.py                     # all, about 100 minutes on one core; stored ones are skipped
    python benchmarks/few_examples.py columns multiply    # those of one learner and operation

Every run takes about as many steps as there are in the longest, however few its examples. Each result is kept in
results/few_examples.json as soon as it is there; the report draws them.
"""

import fcntl
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

import visarith as va
from visarith.runs.judge import judge
from visarith.training.loop import Training
from visarith.training.recipe import ADAM, COLUMNS

RESULTS = Path(__file__).parent.parent / "results" / "few_examples.json"
COUNTS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, 150_000)
SEEDS = (0, 1, 2)
TEST_PAIRS = 30_000
OPERATIONS = ("add", "multiply")
TOLD = {  # to columns, as found by trial on many examples
    ("columns", "add"): {"path": "aligned", "scan": "right"},
    ("columns", "multiply"): {"path": "diagonal", "scan": "right"},
}
RECIPES = {"perceptron": replace(ADAM, epochs=10), "columns": COLUMNS}  # epochs of 150,000


def measure(learner: str, operation: str, count: int, seed: int) -> dict[str, object]:
    """Train on so many pairs and count what is wrong of the others."""
    torch.set_num_threads(1)
    started = time.process_time()
    task, usual = va.Task(operation), RECIPES[learner]
    train, test = task.split(count, TEST_PAIRS, seed=seed)
    batch = min(usual.batch, count)
    steps = usual.epochs * -(-150_000 // usual.batch)
    recipe = replace(usual, batch=batch, epochs=max(1, round(steps / -(-count // batch))))
    network, shown = va.learner_config(learner, **TOLD.get((learner, operation), {})).build(task), train.view()
    network.prepare(shown, recipe, seed=seed, tell=print)
    for _ in Training(network, shown, recipe, seed=seed).epochs():
        pass
    network.finish(shown)
    score = judge(network, test, task.legend, seed=seed).score
    assert score is not None
    return {
        "learner": learner,
        "operation": operation,
        "examples": count,
        "seed": seed,
        "digit_error": score.digit_error,
        "wrong": round(score.number_error * score.pairs),
        "pairs": score.pairs,
        "settled": network.quantised,
        "core_seconds": round(time.process_time() - started, 1),
    }


def stored() -> dict[str, dict[str, object]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(name: str, row: dict[str, object]) -> None:
    """Add a result to the file, whatever other process is adding its own."""
    with RESULTS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        RESULTS.write_text(json.dumps(dict(sorted((stored() | {name: row}).items())), indent=1) + "\n")


def main() -> None:
    learners = [name for name in RECIPES if name in sys.argv] or list(RECIPES)
    operations = [name for name in OPERATIONS if name in sys.argv] or list(OPERATIONS)
    for seed in SEEDS:
        for learner in learners:
            for operation in operations:
                for count in COUNTS:
                    name = f"{learner} {operation} {count:06} {seed}"
                    if name not in stored():
                        row = measure(learner, operation, count, seed)
                        keep(name, row)
                        print(f"{name}: {row['digit_error']:.4%} of digits, {row['wrong']} numbers", flush=True)


if __name__ == "__main__":
    main()
