"""What each verb of the command line does."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from visarith import terminal
from visarith.arguments import picture_size, recipe
from visarith.calculating import calculate as calculate
from visarith.constructing import construct as construct
from visarith.errors import VisarithError
from visarith.evaluation import Score
from visarith.exactness import certify as certify
from visarith.exactness import loop as loop
from visarith.experiments.experiment import from_json
from visarith.experiments.learn import learn
from visarith.experiments.paper import paper_digit_error
from visarith.experiments.run import Run, load
from visarith.experiments.store import EXAMPLES, EXPERIMENT, Store
from visarith.learners import LearnerSpec
from visarith.pictures.png import load_png, write_png
from visarith.pictures.typeface import Typeface
from visarith.questions import learnable as learnable
from visarith.reproduction import report as report
from visarith.reproduction import reproduce as reproduce
from visarith.task import Task
from visarith.training.recipe import default_recipe


def serve(options: argparse.Namespace) -> int:
    """Serve the page; the server is imported only here, since no other verb needs it."""
    from visarith.serving import serve as served

    return served(options)


def page(options: argparse.Namespace) -> int:
    """Write the page as files."""
    from visarith.publishing import page as written

    return written(options)


def train(options: argparse.Namespace) -> int:
    """Train (or show what is trained already), judge, and print our error beside the paper's."""
    height, width = picture_size(options.picture)
    task = Task(
        options.operation,
        notation=options.notation,
        digits=options.digits,
        base=options.base,
        padded=not options.unpadded,
        medium=options.medium,
        answer_medium=options.answer_medium,
        typeface=Typeface(options.font, options.font_size, options.ink, height, width),
        noise=options.noise,
        displacement=options.displacement,
        permutation=options.permutation,
    )
    if options.hidden_layers is not None and options.hidden_layers < 1:
        raise VisarithError(f"{options.hidden_layers} hidden layers are too few; use --hidden-layers 1 or more")
    if options.width is not None and options.width < 1:
        raise VisarithError(f"width {options.width} is too small; use 1 or more")
    size = options.hidden_layers or 0, options.width or 0
    walk = {"path": options.path, "scan": options.scan, "cells": options.cells}
    learner = LearnerSpec(options.learner, *size, options.activation, **walk)
    watcher = terminal.watcher()
    try:
        run = learn(
            task,
            learner,
            recipe(options.recipe or default_recipe(options.learner), options.set),
            options.seed,
            examples=options.examples,
            test_pairs=options.test_pairs,
            epochs=options.epochs,
            tesseract=options.tesseract,
            threads=options.threads,
            out=options.out,
            resume=options.resume,
            watcher=watcher,
        )
    except KeyboardInterrupt:
        watcher.close()
        print(f"visarith: stopped {watcher.where()}; the same command with --resume continues", file=sys.stderr)
        return 130
    finally:
        watcher.close()
    if options.json:
        print(json.dumps(_summary(run)))
    else:
        terminal.show_run(run, paper_digit_error(run.task), run.path / EXAMPLES, trained_now=watcher.begun)
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Score a run on pairs that it was not trained on."""
    run = load(options.run)
    if options.digits is not None:
        run = run.at(options.digits)
    score = run.evaluate(reader=options.reader, pairs=options.pairs, seed=options.seed, noise=options.noise)
    task = run.task if options.noise is None else run.task.with_noise(options.noise)
    if options.json:
        settings = {"run": str(run.path), "seed": options.seed, "noise": task.corruption.noise}
        settings["digits"] = task.notation.digits
        print(json.dumps(settings | asdict(score)))
    else:
        terminal.show_score(score, paper_digit_error(task))
    return 0


def predict(options: argparse.Namespace) -> int:
    """Draw the answer to pictures that the user brings."""
    run = load(options.run)
    wanted = run.task.operation.operands
    if len(options.pictures) != wanted:
        raise VisarithError(
            f"{len(options.pictures)} pictures were given; {run.task.operation.name} takes {wanted}, one an operand"
        )
    if options.out.exists() and any(options.out.samefile(path) for path in options.pictures if path.exists()):
        raise VisarithError(f"{options.out} is one of the inputs and would be overwritten; choose another --out")
    loaded = [load_png(path, run.task.shape) for path in options.pictures]
    for path, (_, inverted) in zip(options.pictures, loaded, strict=True):
        if inverted:
            print(f"visarith: {path} is dark on light; it was inverted, since ink is light here", file=sys.stderr)
    answers = run.predict(np.stack([picture for picture, _ in loaded])[None])[0]
    reading, answer = run.read(answers), np.concatenate(answers)  # several answers stand below each other
    write_png(answer, options.out)
    result = {
        "reading": " ".join(reading.texts),
        "confidence": round(float(reading.confidence.min()), 4),
        "out": str(options.out),
        "run": str(run.path),
    }
    if options.json:
        print(json.dumps(result))
    else:
        terminal.show_picture(answer)
        terminal.show_reading(result)
        print(f"saved    {options.out}")
    return 0


def runs(options: argparse.Namespace) -> int:
    """List the runs below a folder."""
    if not options.folder.is_dir():
        raise VisarithError(f"{options.folder} is no folder; make run trains a first run into runs")
    rows = [_row(path.parent) for path in sorted(options.folder.rglob(EXPERIMENT))]
    if options.json:
        print(json.dumps({"runs": rows}))
    else:
        terminal.show_runs(rows, options.folder)
    return 0


def _row(path: Path) -> dict[str, Any]:
    """One run of the list; a damaged one is listed as such and does not hide the others."""
    store = Store(path)
    try:
        data = store.experiment()
        experiment = data["operation"]["name"], data["medium"], data["recipe"]["name"], data["seed"]
        row = {"run": str(path), **dict(zip(("operation", "medium", "recipe", "seed"), experiment, strict=True))}
        if store.finished:
            score = asdict(Score.from_json(store.score()["score"]))
            paper = paper_digit_error(from_json(data, str(path)).task) if data["builtin"] else None
            return row | {
                "state": "finished",
                "digit_error": score["digit_error"],
                "number_error": score["number_error"],
                "paper_digit_error": paper,
            }
        doing = "in training," if store.locked else "stopped after"
        return row | {"state": f"{doing} epoch {len(store.metrics())} of {data['recipe']['epochs']}"}
    except (VisarithError, KeyError, TypeError) as error:
        return {"run": str(path), "state": f"damaged: {error}"}


def _summary(run: Run) -> dict[str, Any]:
    experiment, task = run.experiment, run.task
    score = asdict(run.score)
    score["test_pairs"] = score.pop("pairs")
    return {
        "operation": task.operation.name,
        "notation": task.notation.name,
        "medium": task.medium,
        "learner": experiment.learner.name,
        "recipe": experiment.recipe_name,
        "parameters": sum(weights.numel() for weights in run.learner.parameters()),
        **run.chosen(),
        "seed": experiment.seed,
        "examples": experiment.examples,
        "epochs": experiment.recipe.epochs,
        "steps": experiment.recipe.epochs * -(-experiment.examples // experiment.recipe.batch),
        **score,
        "train_digit_error": run.train_digit_error,
        "paper_digit_error": paper_digit_error(task),
        "tesseract": run.tesseract and asdict(run.tesseract),
        "precision": experiment.recipe.precision,
        "threads": experiment.threads,
        "seconds": run.seconds,
        "run": str(run.path),
    }
