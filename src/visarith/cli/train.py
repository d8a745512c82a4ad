"""`visarith train`: learn an operation from pictures, judge the run and keep it."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visarith.cli.progress import warn
from visarith.cli.terminal import add_seed, answer, picture_error_lines, score_lines
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.data.picture_set import PictureSet
    from visarith.data.task import Task
    from visarith.runs.run import Run
    from visarith.training.recipe import Recipe

HELP = "learn an operation from pictures, score the run and keep it"
MEDIA = ("pictures", "one-hot")
DEVICES = ("auto", "cpu", "cuda", "mps")
PASSED_ON = ("seed", "examples", "test_pairs", "epochs", "tesseract", "threads", "device", "out", "resume")
SIZE = re.compile(r"(\d{1,5})[x×](\d{1,6})")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is learned, who learns it and how, how its pictures look, and where the run goes."""
    from visarith.operations import OPERATIONS

    add, names, learners = parser.add_argument, tuple(OPERATIONS), learner_names()
    what = f"what is learned: {', '.join(names)}, or an expression in a and b such as 'a + 2*b'"
    add("operation", nargs="?", metavar="OPERATION", help=what)
    add("--pictures", type=Path, metavar="DIR", help="learn from a folder with a manifest.csv, or from an .npz file")
    who = f"who learns: {', '.join(learners)} (default perceptron)"
    add("--learner", choices=learners, default="perceptron", metavar="NAME", help=who)
    how = "paper, columns, adam, entropy or slow (default paper; columns for columns, tally and numerals)"
    add("--recipe", default="", metavar="NAME", help=f"how it is trained: {how}")
    add("--set", action="append", default=[], metavar="FIELD=VALUE", help="change one field of the recipe")
    add_seed(parser, "everything random")
    add("--examples", type=int, help="training pairs (default 150000, or as many as there are)")
    add("--test-pairs", type=int, help="held-out pairs (default 30000, or as many as there are)")
    add(
        "--epochs",
        type=int,
        help="passes over the training pairs (default: the recipe's, 50; 6 for columns, more if there are few)",
    )
    for name, settings in (learner_options() | task_options()).items():
        add(_flag(name), **settings)
    read = "answers that Tesseract reads as well (default 0; 2000 with --pictures)"
    add("--tesseract", type=int, metavar="N", help=read)
    add("--threads", type=int, help="threads of PyTorch (default: as many as there are cores)")
    add("--device", choices=DEVICES, default="cpu", help="where to train; auto is a GPU if there is one (default cpu)")
    add("--out", type=Path, metavar="FOLDER", help="folder of the run (default runs/NAME)")
    add("--resume", action="store_true", help="continue the run in --out if it was stopped")


def learner_names() -> tuple[str, ...]:
    """The learners that a command line can train."""
    from visarith.learners import LEARNERS, config_of

    return tuple(name for name in LEARNERS if config_of(name).learns and config_of(name).by_name)


def learner_options() -> dict[str, dict[str, Any]]:
    """Every option of these learners."""
    from visarith.learners import options_of

    found: dict[str, dict[str, Any]] = {}
    for learner in learner_names():
        for name, each in options_of(learner).items():
            told = {"choices": each.metadata["choices"] or None, "help": each.metadata["help"]}
            found.setdefault(name, {"type": type(each.default), **told})
    return found


def task_options() -> dict[str, dict[str, Any]]:
    """The options of pictures that are drawn here; they do not go with --pictures."""
    from visarith.notation import NOTATIONS
    from visarith.pictures.fonts import SETS

    return {
        "digits": {"type": int, "help": "digits of the longest number (default 7; 5 cells each in Roman numerals)"},
        "base": {"type": int, "help": "base of the numbers, 2 to 36 (default 10)"},
        "unpadded": {"action": "store_true", "help": "write numbers right-aligned without leading zeros"},
        "noise": {"type": float, "help": "sigma of Gaussian noise on inputs and targets (default 0; the paper: 0.3)"},
        "displacement": {"type": int, "help": "move each input by up to this many pixels (default 0)"},
        "permutation": {"action": "store_true", "help": "permute all pixels in one fixed way"},
        "notation": {"choices": tuple(NOTATIONS), "help": "how numbers are written (default arabic)"},
        "medium": {"choices": MEDIA, "help": "what the learner is shown (default pictures)"},
        "answer_medium": {"choices": MEDIA, "help": "what it draws (default: as --medium)"},
        "font": {"metavar": "FILE", "help": "a .ttf or .otf file (default DejaVu Sans)"},
        "fonts": {"choices": tuple(SETS), "help": "draw each number in one of these fonts (default: one font)"},
        "font_size": {"type": int, "help": "in pixels (default 12 at the paper's picture size)"},
        "picture": {"metavar": "HxW", "help": "height and width in pixels (default 15x60 for seven digits)"},
        "ink": {"choices": ("bit", "smooth"), "help": "one-bit or anti-aliased glyphs (default smooth)"},
    }


def run(options: argparse.Namespace) -> int:
    """Train, or show what is trained already, and print our error beside the paper's."""
    from visarith.cli.displays import training
    from visarith.learners import learner_config
    from visarith.runs.learn import learn

    given = {name: getattr(options, name) for name in learner_options() if getattr(options, name) is not None}
    for name in ("hidden_layers", "width"):
        if name in given:
            whole(name.replace("_", " "), given[name], 1)
    learner = learner_config(options.learner, **given)
    recipe = _recipe(options.recipe or learner.recipe, options.set)
    how = {name: getattr(options, name) for name in PASSED_ON}
    data = _pictures(options) if options.pictures else _task(options)
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


def _task(options: argparse.Namespace) -> "Task":
    """The task that the options describe."""
    from visarith.data.task import Task
    from visarith.pictures.typeface import Typeface

    if options.operation is None:
        raise VisarithError("nothing says what is to be learned; name an operation such as add, or give --pictures DIR")
    given = {name: getattr(options, name) for name in ("font", "fonts", "font_size", "ink")}
    height, width = _size(options.picture)
    same = ("digits", "base", "answer_medium", "noise", "displacement", "permutation")
    return Task(
        options.operation,
        notation=options.notation or "arabic",
        padded=False if options.unpadded else None,
        medium=options.medium or "pictures",
        typeface=Typeface(height=height, width=width, **{name: value for name, value in given.items() if value}),
        **{name: getattr(options, name) for name in same},
    )


def _pictures(options: argparse.Namespace) -> "PictureSet":
    """The pictures that the user brings, which take no option of a task."""
    from visarith.data.picture_set import PictureSet

    if options.operation is not None:
        raise VisarithError(f"--pictures says what is to be learned; leave {options.operation!r} out")
    for name in task_options():
        if getattr(options, name) is not None and getattr(options, name) is not False:
            raise VisarithError(f"{_flag(name)} is for pictures that are drawn here, not for --pictures; leave it out")
    return PictureSet.from_folder(options.pictures)


def _recipe(name: str, changes: list[str]) -> "Recipe":
    """A recipe by name, with fields changed as `--set field=value` says."""
    from visarith.training.recipe import Recipe, named

    known = asdict(named(name))
    for change in changes:
        key, _, value = change.partition("=")
        if key not in known:
            raise VisarithError(f"{change!r} sets no field of a recipe; use one of {', '.join(known)}")
        kind = type(known[key])
        try:
            parsed = {"true": True, "false": False}[value.lower()] if kind is bool else kind(value)
        except (KeyError, ValueError):
            raise VisarithError(f"{change!r} needs a value like {key}={known[key]}") from None
        known[key] = parsed
    return Recipe(**known)


def _size(text: str | None) -> tuple[int, int]:
    """Height and width from text such as 15x60; the default typeface's for none."""
    from visarith.pictures.png import MOST_PIXELS
    from visarith.pictures.typeface import Typeface

    if text is None:
        return Typeface().height, Typeface().width
    match = SIZE.fullmatch(text)
    if not match:
        raise VisarithError(f"picture {text!r} is no size; write height x width, such as 15x60")
    height, width = int(match[1]), int(match[2])
    if (pixels := height * width) > MOST_PIXELS:
        raise VisarithError(f"picture {text!r} has {pixels:,} pixels, more than {MOST_PIXELS:,}; make it smaller")
    return height, width


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _lines(run: "Run", *, trained_now: bool) -> Iterator[str]:
    from visarith.cli.displays import described
    from visarith.evaluation import percent
    from visarith.runs.paper import paper_digit_error
    from visarith.runs.store import EXAMPLES

    paper = paper_digit_error(run.source.to_json())
    if run.learner.exact is False:
        wrong, count, attempts = (run.facts[name] for name in ("wrong_examples", "checked_examples", "attempts"))
        tries = f"{attempts} attempt{'' if attempts == 1 else 's'}"
        yield f"not exact: {wrong:,} of {count:,} training examples are drawn wrong or not clearly, after {tries}"
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
        "train_digit_error": run.train_digit_error,
        "paper_digit_error": paper_digit_error(source.to_json()),
        "tesseract": run.tesseract and asdict(run.tesseract),
        "precision": recipe.precision,
        "device": experiment.device,
        "threads": experiment.threads,
        "seconds": run.seconds,
        "run": str(run.path),
    }
