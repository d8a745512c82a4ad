"""Train, judge and keep: from an experiment to a finished run in its folder."""

import time
from dataclasses import asdict, replace
from pathlib import Path

import torch

from visarith.errors import VisarithError
from visarith.experiments.experiment import Experiment, from_json
from visarith.experiments.judge import judge, reader_for, shown
from visarith.experiments.run import Run, finished_run, load
from visarith.experiments.store import EXAMPLES, STATE, Store
from visarith.learners import LearnerSpec
from visarith.operations import Operation
from visarith.pictures.png import save_png
from visarith.pictures.sheet import examples_sheet
from visarith.task import Task
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import Recipe, named

WATCHED = 2_000  # test pairs whose digit error makes the learning curve; nothing is chosen by it
TRAIN_SAMPLE = 5_000  # training pairs that are judged too
RUNS = Path("runs")


class Watcher:
    """Is told how a run goes; this one does nothing with it."""

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None: ...
    def step(self) -> None: ...
    def epoch(self, epoch: Epoch, digit_error: float) -> None: ...
    def judging(self) -> None: ...


def learn(
    task: Task | str | Operation,
    learner: str | LearnerSpec = "perceptron",
    recipe: str | Recipe = "paper",
    seed: int = 0,
    *,
    examples: int = 150_000,
    test_pairs: int = 30_000,
    epochs: int | None = None,
    tesseract: int = 0,
    threads: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> Run:
    """Train, judge and keep a run in `out` (by default runs/NAME); a run that is finished there is loaded instead."""
    task = task if isinstance(task, Task) else Task(task)
    chosen = named(recipe) if isinstance(recipe, str) else recipe
    if threads is not None and threads < 1:
        raise VisarithError(f"{threads} threads are too few; use --threads 1 or more")
    if tesseract < 0:
        raise VisarithError(f"{tesseract} pictures for Tesseract are too few; use --tesseract 0 or more")
    experiment = Experiment(
        task,
        LearnerSpec(name=learner) if isinstance(learner, str) else learner,  # type: ignore[arg-type]
        chosen if epochs is None else replace(chosen, epochs=epochs),
        seed,
        examples,
        test_pairs,
        threads or torch.get_num_threads(),
    ).resolved()
    store = Store(out or RUNS / experiment.name)
    if store.exists:
        _same_experiment(store, experiment)
        if store.finished:
            return load(store.path, operation=task.operation)
        experiment = from_json(store.experiment(), str(store.path), task.operation)  # its threads and precision
        if not resume:
            raise VisarithError(f"{store.path} holds an unfinished run; --resume continues it, or choose another --out")
    before = torch.get_num_threads()
    torch.set_num_threads(experiment.threads)
    try:
        return _train(store, experiment, tesseract, watcher or Watcher())
    finally:
        torch.set_num_threads(before)


def _train(store: Store, experiment: Experiment, tesseract: int, watcher: Watcher) -> Run:
    task, recipe = experiment.task, experiment.recipe
    network = experiment.learner.build(task)
    train, test = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    reader_of_truth = reader_for("tesseract", task) if tesseract else None  # before training, not after it, if it fails
    training = Training(network, task, train, recipe, seed=experiment.seed)
    if not store.exists:
        store.create(experiment.to_json())
    with store.lock():
        state = store.state()
        if state:
            try:
                training.restore(state)
            except (KeyError, RuntimeError, ValueError):
                raise VisarithError(
                    f"{store.path / STATE} is of another version of visarith; delete it to start again"
                ) from None
        store.keep_metrics(training.epochs_done)
        spent = sum(line["seconds"] for line in store.metrics())
        total = recipe.epochs * training.steps_an_epoch
        watcher.begin(experiment, store.path, total, training.epochs_done * training.steps_an_epoch)
        for epoch in training.epochs(watcher.step):
            watched = judge(network, task, test[:WATCHED], "templates", seed=experiment.seed)
            spent += epoch.seconds
            store.append_metrics(
                {
                    "epoch": epoch.number,
                    "step": epoch.steps,
                    "loss": epoch.loss,
                    "digit_error": watched.digit_error,
                    "per_position": watched.per_position,
                    "seconds": epoch.seconds,
                }
            )
            store.write_state(training.state())
            watcher.epoch(epoch, watched.digit_error)
        watcher.judging()
        started = time.perf_counter()
        result = judge(network, task, test, "templates", seed=experiment.seed)
        trained = judge(network, task, train[:TRAIN_SAMPLE], "templates", seed=experiment.seed)
        by_tesseract = None
        if reader_of_truth:
            by_tesseract = judge(network, task, test[:tesseract], reader_of_truth, seed=experiment.seed)
        store.write_weights(network.state_dict())
        picture = examples_sheet(*shown(network, task, test, experiment.seed))
        store.write(EXAMPLES, lambda file: save_png(picture, file))
        judged = {
            "score": asdict(result),
            "tesseract": by_tesseract and asdict(by_tesseract),
            "train_digit_error": trained.digit_error,
            "steps": total,
            "parameters": sum(weights.numel() for weights in network.parameters()),
            "seconds": spent + time.perf_counter() - started,
        }
        store.write_score(judged)
    return finished_run(store, experiment, network, judged)


def _same_experiment(store: Store, experiment: Experiment) -> None:
    stored, asked = store.experiment(), experiment.to_json()
    from_json(stored, str(store.path), experiment.task.operation)  # its own complaint comes first
    for data in (stored, asked):
        data.pop("versions", None)
        data.pop("threads", None)
        data["recipe"].pop("precision", None)
    for key in asked:
        if stored.get(key) != asked[key]:
            raise VisarithError(
                f"{store.path} holds another run (its {key} is {stored.get(key)}); choose another --out"
            )
