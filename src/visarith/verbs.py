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
from visarith.data.folder import read_picture
from visarith.data.picture_set import PictureSet
from visarith.data.task import Task
from visarith.errors import VisarithError, whole
from visarith.evaluation import Score
from visarith.exactness import certify as certify
from visarith.exactness import loop as loop
from visarith.experiments.paper import paper_digit_error
from visarith.learners import learner_config
from visarith.notation import NOTATIONS
from visarith.options import TASK_OPTIONS, flag, learner_options
from visarith.pictures.png import load_png, write_png
from visarith.pictures.typeface import Typeface
from visarith.questions import learnable as learnable
from visarith.reproduction import report as report
from visarith.reproduction import reproduce as reproduce
from visarith.runs.experiment import from_json
from visarith.runs.judge import Judged
from visarith.runs.learn import learn
from visarith.runs.run import Run, load
from visarith.runs.store import EXAMPLES, EXPERIMENT, Store


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
    given = {name: getattr(options, name) for name in learner_options() if getattr(options, name) is not None}
    for name in ("hidden_layers", "width"):
        if name in given:
            whole(name.replace("_", " "), given[name], 1)
    learner = learner_config(options.learner, **given)
    data = _pictures(options) if options.pictures else _task(options)
    watcher = terminal.watcher()
    try:
        run = learn(
            data,
            learner,
            recipe(options.recipe or learner.recipe, options.set),
            options.seed,
            examples=options.examples,
            test_pairs=options.test_pairs,
            epochs=options.epochs,
            tesseract=options.tesseract,
            threads=options.threads,
            device=options.device,
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
        terminal.show_run(run, _paper(run), run.path / EXAMPLES, trained_now=watcher.begun)
    return 0


def _task(options: argparse.Namespace) -> Task:
    """The task that the options describe."""
    if options.operation is None:
        raise VisarithError("nothing says what is to be learned; name an operation such as add, or give --pictures DIR")
    height, width = picture_size(options.picture or "")
    return Task(
        options.operation,
        notation=options.notation or "arabic",
        digits=options.digits,
        base=options.base,
        padded=False if options.unpadded else None,
        medium=options.medium or "pictures",
        answer_medium=options.answer_medium,
        typeface=Typeface(options.font or "", options.font_size or 0, options.ink or "smooth", height, width),
        noise=options.noise,
        displacement=options.displacement,
        permutation=options.permutation,
    )


def _pictures(options: argparse.Namespace) -> PictureSet:
    """The pictures that the user brings, of which nothing else can be said."""
    if options.operation is not None:
        raise VisarithError(f"--pictures says what is to be learned; leave {options.operation} out")
    for name in TASK_OPTIONS:
        if getattr(options, name) is not None and getattr(options, name) is not False:
            raise VisarithError(f"{flag(name)} is for pictures that are drawn here, not for --pictures; leave it out")
    return PictureSet.from_folder(options.pictures)


def _paper(run: Run) -> float | None:
    """What the paper reports, where the run has a task of the paper's."""
    return paper_digit_error(run.task) if run.source.generates else None


def evaluate(options: argparse.Namespace) -> int:
    """Score a run on pairs that it was not trained on, or on pictures that were held out."""
    run = load(options.run)
    if options.digits is not None:
        run = run.at(options.digits)
    given = {"reader": options.reader, "pairs": options.pairs, "seed": options.seed, "noise": options.noise}
    judged = run.judge(**given, pictures=options.pictures)
    if options.pictures or not run.source.generates:
        return _show_judged(run, judged, options)
    task = run.task if options.noise is None else run.task.with_noise(options.noise)
    assert judged.score is not None
    if options.json:
        settings = {"run": str(run.path), "seed": options.seed, "noise": task.corruption.noise}
        settings["digits"] = task.notation.digits
        print(json.dumps(settings | asdict(judged.score)))
    else:
        terminal.show_score(judged.score, paper_digit_error(task))
    return 0


def _show_judged(run: Run, judged: Judged, options: argparse.Namespace) -> int:
    if options.json:
        score = asdict(judged.score) if judged.score else {}
        print(json.dumps({"run": str(run.path), "picture_error": asdict(judged.picture), **score}))
        return 0
    terminal.show_picture_error(judged.picture, "pictures" if options.pictures else "held-out pictures")
    if judged.score:
        terminal.show_score(judged.score, None)
    return 0


def predict(options: argparse.Namespace) -> int:
    """Draw the answer to pictures that the user brings."""
    run = load(options.run)
    spec = run.source.spec
    if len(options.pictures) != spec.inputs:
        raise VisarithError(
            f"{len(options.pictures)} pictures were given; {run.source.label} takes {spec.inputs}, one an operand"
        )
    if options.out.exists() and any(options.out.samefile(path) for path in options.pictures if path.exists()):
        raise VisarithError(f"{options.out} is one of the inputs and would be overwritten; choose another --out")
    loaded = [_picture(path, run) for path in options.pictures]
    for path, (_, inverted) in zip(options.pictures, loaded, strict=True):
        if inverted:
            print(f"visarith: {path} is dark on light; it was inverted, since ink is light here", file=sys.stderr)
    answers = run.predict(np.stack([picture for picture, _ in loaded])[None])[0]
    answer = np.concatenate(answers)  # several answers stand below each other
    reading = run.read(answers) if run.legend is not None else None
    write_png(answer, options.out)
    result = {
        "reading": reading and " ".join(reading.texts),
        "confidence": reading and round(float(reading.confidence.min()), 4),
        "out": str(options.out),
        "run": str(run.path),
    }
    if options.json:
        print(json.dumps(result))
    else:
        terminal.show_picture(answer)
        if reading is not None:
            terminal.show_reading(result)
        print(f"saved    {options.out}")
    return 0


def _picture(path: Path, run: Run) -> tuple[np.ndarray, bool]:
    """A picture for a run, and whether it was inverted: ink is light in our own, others are taken as they are."""
    shape = run.source.spec.shape
    if run.source.generates:
        return load_png(path, shape)
    picture = read_picture(path)
    if picture.shape != shape:
        sizes = [f"{height} x {width}" for height, width in (picture.shape, shape)]
        raise VisarithError(f"{path} is {sizes[0]}, but this run takes {sizes[1]} (height x width); scale it first")
    return picture.astype(np.float32) / 255, False


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
        own = data["pictures"]["name"] if "pictures" in data else None
        what = {"pictures": own} if own else {"operation": data["operation"]["name"], "medium": data["medium"]}
        row = {"run": str(path), **what, "recipe": data["recipe"]["name"], "seed": data["seed"]}
        if store.finished:
            found = store.score()
            read = found["score"] or found["tesseract"]
            score = asdict(Score.from_json(read)) if read else {"digit_error": None, "number_error": None}
            ours = data.get("builtin") and data["notation"]["name"] in NOTATIONS
            paper = paper_digit_error(from_json(data, str(path)).task) if ours else None
            return row | {
                "state": "finished",
                "digit_error": score["digit_error"],
                "number_error": score["number_error"],
                "picture_error": (found.get("picture_error") or {}).get("error"),
                "paper_digit_error": paper,
            }
        doing = "in training," if store.locked else "stopped after"
        return row | {"state": f"{doing} epoch {len(store.metrics())} of {data['recipe']['epochs']}"}
    except (VisarithError, KeyError, TypeError) as error:
        return {"run": str(path), "state": f"damaged: {error}"}


def _summary(run: Run) -> dict[str, Any]:
    experiment, source = run.experiment, run.source
    score = asdict(run.score) if run.score else {}
    about = {"pictures": source.label}
    if source.generates:
        task = run.task
        about = {"operation": task.operation.name, "notation": task.notation.name, "medium": task.medium}
    return {
        **about,
        "learner": experiment.learner.name,
        "recipe": experiment.recipe_name,
        "parameters": run.learner.weight_count,
        **run.facts,
        "seed": experiment.seed,
        "examples": experiment.examples,
        "test_pairs": experiment.test_pairs,
        "epochs": experiment.recipe.epochs,
        "steps": experiment.recipe.epochs * -(-experiment.examples // experiment.recipe.batch),
        **{name: value for name, value in score.items() if name != "pairs"},
        "picture_error": run.picture_error and asdict(run.picture_error),
        "train_digit_error": run.train_digit_error,
        "paper_digit_error": _paper(run),
        "tesseract": run.tesseract and asdict(run.tesseract),
        "precision": experiment.recipe.precision,
        "device": experiment.device,
        "threads": experiment.threads,
        "seconds": run.seconds,
        "run": str(run.path),
    }
