"""Measure every choice that the paper leaves open, one at a time, on addition at full size, from a loss scale of 0.05.

    python benchmarks/open_choices.py             # all, about 90 minutes on one core
    python benchmarks/open_choices.py centring    # those whose name begins so

    python benchmarks/open_choices.py --table     # what is stored, as the table in docs/paper.md

Seed 1000 is used for these and for finding recipes, and for nothing that is reported elsewhere. Each result is kept in
results/open_choices.json as soon as it is there; docs/paper.md quotes it.
"""

import fcntl
import json
import sys
from dataclasses import replace
from pathlib import Path

import visarith as va
from visarith.runs.judge import judge
from visarith.training.recipe import PAPER, Recipe

RESULTS = Path(__file__).parent.parent / "results" / "open_choices.json"
ADD, BIT = va.Task("add"), va.Typeface(ink="bit")
BASE = replace(PAPER, loss_scale=0.05)  # the scale was chosen last
SHORT = replace(BASE, epochs=10)  # noise needs the dense path, which takes four times as long

CHOICES: dict[str, tuple[va.Task, Recipe]] = {
    "base": (ADD, BASE),
    "ink-bit": (va.Task("add", typeface=BIT), BASE),
    "output-bias-zero": (ADD, replace(BASE, output_bias="zero")),
    "output-initialisation-he": (ADD, replace(BASE, output_initialisation="he")),
    "initialisation-torch": (ADD, replace(BASE, initialisation="torch")),
    "loss-scale-half": (ADD, replace(BASE, loss_scale=0.5)),
    "loss-scale-0.2": (ADD, PAPER),
    "loss-scale-0.1": (ADD, replace(BASE, loss_scale=0.1)),
    "loss-scale-mean": (ADD, replace(BASE, loss_scale=1 / 900)),
    "centring-none": (ADD, replace(BASE, centring=False)),
    "noise-fresh": (va.Task("add", noise=0.3), SHORT),
    "noise-fixed": (va.Task("add", noise=0.3), replace(SHORT, noise="fixed")),
    "noise-bit": (va.Task("add", noise=0.3, typeface=BIT), SHORT),
}


def keep(name: str, run: va.Run) -> None:
    """Judge a run and add the result to the file, whatever other process is adding its own."""
    task, experiment, seed = run.task, run.experiment, run.experiment.seed
    _, test = task.split(experiment.examples, experiment.test_pairs, seed=seed)
    score = judge(run.learner, test, task.legend, seed=seed).score
    tesseract = judge(run.learner, test.take(slice(0, 2000)), task.legend, "tesseract", seed=seed).score
    assert score is not None
    assert tesseract is not None
    with RESULTS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        results[name] = {
            "epochs": experiment.recipe.epochs,
            "digit_error": score.digit_error,
            "digit_interval": score.digit_interval,
            "unreadable": score.unreadable,
            "tesseract_digit_error": tesseract.digit_error,
            "precision": experiment.recipe.precision,
        }
        RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=2) + "\n")


def table() -> str:
    """The stored results in Markdown."""
    lines = ["| choice | epochs | digit error (95 %) | by Tesseract |", "|---|---|---|---|"]
    results = json.loads(RESULTS.read_text())
    for name in CHOICES:
        if name in results:
            row = results[name]
            low, high = row["digit_interval"]
            error = f"{row['digit_error']:.3%} ({low:.3%} to {high:.3%})"
            lines.append(f"| {name} | {row['epochs']} | {error} | {row['tesseract_digit_error']:.2%} |")
    return "\n".join(lines) + "\n"


def main(prefixes: list[str]) -> None:
    if prefixes == ["--table"]:
        print(table(), end="")
        return
    for name, (task, recipe) in CHOICES.items():
        if not prefixes or any(name.startswith(prefix) for prefix in prefixes):
            out = Path("runs") / "open-choices" / name
            run = va.learn(task, recipe=recipe, seed=1000, threads=1, out=out, resume=True)
            keep(name, run)
            print(f"{name:30} {run.judged.headline()} after {recipe.epochs} epochs", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
