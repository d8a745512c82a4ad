"""`visarith train`: learn an operation from pictures, judge the run and keep it."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visarith.cli import settings
from visarith.cli.progress import warn
from visarith.cli.terminal import add_seed, answer, picture_error_lines, score_lines
from visarith.errors import VisarithError

if TYPE_CHECKING:
    from visarith.data.picture_set import PictureSet
    from visarith.runs.run import Run

HELP = "learn an operation from pictures, score the run and keep it"
DEVICES = ("auto", "cpu", "cuda", "mps")
PASSED_ON = ("seed", "examples", "test_pairs", "epochs", "tesseract", "threads", "device", "out", "resume", "elsewhere")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is learned, who learns it and how, how its pictures look, and where the run goes."""
    from visarith.operations import OPERATIONS

    add, names, learners = parser.add_argument, tuple(OPERATIONS), settings.learner_names()
    what = f"what is learned: {', '.join(names)}, or an expression in a and b such as 'a + 2*b'"
    add("operation", nargs="?", metavar="OPERATION", help=what)
    add("--pictures", type=Path, metavar="DIR", help="learn from a folder with a manifest.csv, or from an .npz file")
    who = f"who learns: {', '.join(learners)} (default perceptron)"
    add("--learner", choices=learners, default="perceptron", metavar="NAME", help=who)
    add("--recipe", default="", metavar="NAME", help=f"how it is trained: {settings.RECIPES}")
    add_seed(parser, "everything random")
    add("--examples", type=int, help="training pairs (default 150000, or as many as there are)")
    settings.add_options(parser)
    read = "answers that Tesseract reads as well (default 0; 2000 with --pictures)"
    add("--tesseract", type=int, metavar="N", help=read)
    add("--threads", type=int, help="threads of PyTorch (default: as many as there are cores)")
    add("--device", choices=DEVICES, default="cpu", help="where to train; auto is a GPU if there is one (default cpu)")
    add("--out", type=Path, metavar="FOLDER", help="folder of the run (default runs/NAME)")
    add("--resume", action="store_true", help="continue the run in --out if it was stopped")
    where = "if it was stopped on another CPU, PyTorch or number of threads, which changes last bits (default refuse)"
    add("--elsewhere", choices=("refuse", "go-on", "start-again"), default="refuse", help=where)


def run(options: argparse.Namespace) -> int:
    """Train, or show what is trained already, and print our error beside the paper's."""
    from visarith.cli.displays import training
    from visarith.runs.learn import learn

    learner = settings.learner(options, options.learner)
    recipe = settings.recipe(options.recipe or learner.recipe, options.set)
    how = {name: getattr(options, name) for name in PASSED_ON}
    if options.operation is None and not options.pictures:
        raise VisarithError("nothing says what is to be learned; name an operation such as add, or give --pictures DIR")
    data = _pictures(options) if options.pictures else settings.task(options, options.operation)
    watcher = training()
    try:
        finished = learn(data, learner, recipe, **how, watcher=watcher)
    except KeyboardInterrupt:
        watcher.close()
        warn(f"stopped {watcher.where()}; the same command with --resume continues")
        return 130
    finally:
        watcher.close()
    return answer(options, _summary(finished), *_lines(finished, trained_now=watcher.begun))


def _pictures(options: argparse.Namespace) -> "PictureSet":
    """The pictures that the user brings, which take no option of a task."""
    from visarith.data.picture_set import PictureSet

    if options.operation is not None:
        raise VisarithError(f"--pictures says what is to be learned; leave {options.operation!r} out")
    for name in settings.task_options():
        if getattr(options, name) is not None and getattr(options, name) is not False:
            raise VisarithError(
                f"{settings.flag(name)} is for pictures that are drawn here, not for --pictures; leave it out"
            )
    return PictureSet.from_folder(options.pictures)


def _lines(run: "Run", *, trained_now: bool) -> Iterator[str]:
    from visarith.cli.displays import described
    from visarith.evaluation import percent
    from visarith.runs.folder import EXAMPLES
    from visarith.runs.paper import paper_digit_error

    paper = paper_digit_error(run.source.to_json())
    if run.learner.exact is False:
        wrong, count, attempts = (run.facts[name] for name in ("wrong_examples", "checked_examples", "attempts"))
        tries = f"{attempts} attempt{'' if attempts == 1 else 's'}"
        yield f"not exact: {wrong:,} of {count:,} training examples are drawn wrong or not clearly, after {tries}"
    if run.picture_error and run.picture_error.no_better_than_mean:
        error, mean = run.picture_error.error, run.picture_error.mean_answer_error
        yield f"nothing learned: drawings are no closer to the answers than their mean ({error:.4f} against {mean:.4f})"
    if not trained_now:
        yield f"{described(run.experiment)}\n{run.path} is finished; this is its score."
    yield ""
    if run.score:
        yield from score_lines(run.score, paper)
    if run.tesseract:
        yield from ("", *score_lines(run.tesseract, paper))
    if run.picture_error and not run.source.generates:
        yield from ("", *picture_error_lines(run.picture_error))
    if run.seen:
        yield f"  seen before    {run.seen:,} of them have the inputs of a training example; split them anew"
    yield ""
    if run.train_digit_error is not None:
        yield f"training digits  {percent(run.train_digit_error)} wrong"
    precision = run.experiment.recipe.precision
    yield f"network          {run.learner.weight_count:,} weights, {precision}, {run.seconds:.0f} s"
    if words := run.learner.described():
        yield f"{run.experiment.learner.name:<16} {words}"
    yield f"examples         {run.path / EXAMPLES}"
    yield f"run              {run.path}"


def _summary(run: "Run") -> dict[str, Any]:
    from visarith.operations.expression import Written
    from visarith.runs.paper import paper_digit_error

    experiment, recipe, source = run.experiment, run.experiment.recipe, run.source
    score = asdict(run.score) if run.score else {}
    about = {"pictures": source.label}
    if source.generates:
        task = run.task
        about = {"operation": task.operation.name, "notation": task.notation.name, "medium": task.medium}
        if isinstance(task.operation, Written):
            about["expression"] = task.operation.expression
    return {
        **about,
        "learner": experiment.learner.name,
        "recipe": experiment.recipe_name,
        "parameters": run.learner.weight_count,
        **run.facts,
        "seed": experiment.seed,
        "examples": experiment.examples,
        "test_pairs": experiment.test_pairs,
        "epochs": recipe.epochs,
        "steps": recipe.epochs * -(-experiment.examples // recipe.batch),
        **{name: value for name, value in score.items() if name != "pairs"},
        "picture_error": run.picture_error and asdict(run.picture_error),
        "no_better_than_mean": run.picture_error and run.picture_error.no_better_than_mean,
        "train_digit_error": run.train_digit_error,
        "paper_digit_error": paper_digit_error(source.to_json()),
        "tesseract": run.tesseract and asdict(run.tesseract),
        "precision": recipe.precision,
        "device": experiment.device,
        "threads": experiment.threads,
        "seconds": run.seconds,
        "run": str(run.path),
    }
