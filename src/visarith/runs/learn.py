"""`learn`: from a task or pictures and a learner to a finished run."""

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from visarith.data.picture_set import PictureSet
from visarith.data.task import EXAMPLES, TEST_PAIRS, Task
from visarith.errors import VisarithError, option, whole
from visarith.learners import learner_config
from visarith.learners.config import LearnerConfig
from visarith.learners.own import Config as OwnConfig
from visarith.operations import Operation
from visarith.runs.experiment import Experiment, check_same, other_bits, resolve_device
from visarith.runs.judge import judge
from visarith.runs.run import Run, load
from visarith.runs.store import Store
from visarith.runs.train import Spent, Watcher, stopwatch, train_run
from visarith.training.loop import guest
from visarith.training.recipe import Recipe, named

TESSERACT = 2_000  # answers that Tesseract reads of the user's pictures with text
MOST_EPOCHS = 1_000_000  # each writes a line of metrics: 300 MB in all
MOST_BATCH = 1_000_000  # pictures of the paper's size in memory at once: 11 GB with their answers
RUNS = Path("runs")
Elsewhere = Literal["refuse", "go-on", "start-again"]  # if a run was begun where last bits differ


def learn(
    data: Task | PictureSet | str | Operation,
    learner: str | LearnerConfig | nn.Module = "perceptron",
    recipe: str | Recipe = "",
    seed: int = 0,
    *,
    examples: int | None = None,
    test_pairs: int | None = None,
    epochs: int | None = None,
    tesseract: int | None = None,
    threads: int | None = None,
    device: str = "cpu",
    out: str | Path | None = None,
    resume: bool = False,
    elsewhere: Elsewhere = "refuse",
    watcher: Watcher | None = None,
) -> Run:
    """Train and judge a run in the folder `out` (default runs/NAME); load the run if it is finished there.

    `data` is a task, an operation, its name, an expression such as "a + 2*b", or pictures. `learner` is a name, a
    config or an `nn.Module`, of which a copy is trained. `recipe` is that of the learner by default. `examples` and
    `test_pairs` are the paper's 150,000 and 30,000 by default, or as many as there are. `resume` continues a run that
    was stopped. If it was begun elsewhere, with another CPU, PyTorch or number of threads, its last bits would change;
    `elsewhere` says what then: "refuse", "go-on" or "start-again".
    """
    watcher = watcher or Watcher()
    source, config = _source(data), _config(learner)
    if not isinstance(recipe, str | Recipe):
        raise VisarithError(f"recipe {recipe!r} must be a name or a Recipe")
    chosen = named(recipe or config.recipe) if isinstance(recipe, str) else recipe
    whole("seed", seed, 0)
    whole("threads", 1 if threads is None else threads, 1, 4 * (os.cpu_count() or 1))
    for name, asked in (("examples", examples), ("test pairs", test_pairs)):
        whole(name, 1 if asked is None else asked, 1)
    if not config.learns:
        raise VisarithError(f"{config.name} has nothing to learn: {config.made_by}; use another learner")
    sizes = source.sizes(examples, test_pairs, seed=seed)
    chosen = with_epochs(chosen, epochs)
    used = threads or torch.get_num_threads()
    experiment = Experiment(source, config, chosen, seed, *sizes, used, resolve_device(device)).resolved()
    read = _read_by_tesseract(source, tesseract, sizes[1])
    store = Store(out or RUNS / experiment.name)
    store.check_usable()
    differs = ""
    if store.exists:
        stored = check_same(store.experiment(), experiment, str(store.path))
        if not store.finished:
            if not resume:
                raise VisarithError(
                    f"{store.path} holds an unfinished run; {option('resume', True)} continues it, or choose another "
                    f"{option('out')}"
                )
            begun = replace(stored, source=source, learner=experiment.learner, device=experiment.device)
            differs = other_bits(store.experiment(), threads, experiment.device) if store.begun else ""
            experiment = _resumed(store, begun, experiment, differs, elsewhere, watcher)
    with guest(threads or experiment.threads):
        if not store.finished:
            few = (examples is None and sizes[0] < EXAMPLES) or (test_pairs is None and sizes[1] < TEST_PAIRS)
            if source.generates and few:
                there = f"{sizes[0]:,} to learn from and {sizes[1]:,} held out"
                watcher.tell(f"{source.label} has few pairs: {there}, instead of the paper's 150,000 and 30,000")
            train_run(store, experiment, watcher, differs)
        store.tidy()
        run = _loaded(store, experiment)
        if read and (run.tesseract is None or run.tesseract.pairs != min(read, sizes[1])):
            with watcher.work("reading by Tesseract", min(read, sizes[1])) as step:
                run = judge_by_tesseract(store, run, read, step)
        return run


def _resumed(
    store: Store, begun: Experiment, asked: Experiment, differs: str, elsewhere: Elsewhere, watcher: Watcher
) -> Experiment:
    """The experiment with which an unfinished run goes on; where its bits would differ, only if that is asked for."""
    if differs and elsewhere == "refuse":
        raise VisarithError(
            f"{store.path} was begun elsewhere ({differs}), so its result would have other bits; "
            f"{option('elsewhere', 'go-on')} goes on all the same, {option('elsewhere', 'start-again')} does not"
        )
    if differs:
        watcher.tell(f"begun elsewhere ({differs}): {'goes on' if elsewhere == 'go-on' else 'starts again'}")
    if differs and elsewhere == "start-again":
        with store.lock():  # another process may be training it
            store.discard()
        return asked
    return begun


def with_epochs(recipe: Recipe, epochs: int | None) -> Recipe:
    """The recipe with so many epochs, or its own; raises an error for more than a run can have."""
    chosen = recipe if epochs is None else replace(recipe, epochs=epochs)
    whole("epochs", chosen.epochs, 1, MOST_EPOCHS)
    whole("batch", chosen.batch, 1, MOST_BATCH)
    return chosen


def _source(data: Any) -> Task | PictureSet:
    if isinstance(data, Task):
        return data
    return data.as_pictures() if isinstance(data, PictureSet) else Task(data)


def _config(learner: Any) -> LearnerConfig:
    if isinstance(learner, LearnerConfig):
        return learner
    if isinstance(learner, nn.Module):
        return OwnConfig.of(learner)
    if not isinstance(learner, str):
        raise VisarithError(f"learner {learner!r} must be a name, a config or a module")
    return learner_config(learner)


def _read_by_tesseract(source: Task | PictureSet, asked: int | None, test_pairs: int) -> int:
    """Return how many answers Tesseract reads; raise an error before training if it cannot."""
    usual = TESSERACT if source.readable and not source.generates else 0
    read = usual if asked is None else whole("tesseract", asked, 0)
    if read and not source.readable:
        raise VisarithError(
            f"these pictures have no text, so no reading can be scored; leave {option('tesseract')} out"
        )
    if read and source.generates:
        source.task.legend.reader("tesseract")
    return min(read, test_pairs)


def _loaded(store: Store, experiment: Experiment) -> Run:
    """Load the finished run with the operation, notation and module of the experiment."""
    own = experiment.learner.module_of_ones_own()
    if experiment.source.generates:
        task = experiment.task
        return load(store.path, task.operation, notation=task.notation, learner=own, device=experiment.device)
    run = load(store.path, learner=own, device=experiment.device)
    return replace(run, experiment=replace(run.experiment, source=experiment.source))


def judge_by_tesseract(store: Store, run: Run, pictures: int, step: Callable[[int], object] = lambda _: None) -> Run:
    """Read the first test answers with Tesseract, and add the result to the score."""
    experiment = run.experiment
    _, test = experiment.source.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    clock = stopwatch()
    few = test.take(slice(0, pictures))
    result = judge(run.learner, few, run.legend, "tesseract", seed=experiment.seed, step=step).score
    spent = Spent(run.seconds, run.core_seconds) + clock()
    with store.lock():
        store.amend_score({"tesseract": result and asdict(result), **asdict(spent)})
    return replace(run, tesseract=result, seconds=spent.seconds, core_seconds=spent.core_seconds)
