"""Train, judge and keep: from an experiment to a finished run in its folder."""

import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from visarith.errors import VisarithError, whole
from visarith.evaluation import Score
from visarith.experiments.experiment import Experiment, from_json
from visarith.experiments.judge import judge, reader_for, shown
from visarith.experiments.run import Run, load
from visarith.experiments.store import EXAMPLES, STATE, Store
from visarith.learners import LearnerSpec, columns_of
from visarith.operations import Operation
from visarith.pictures.png import save_png
from visarith.pictures.sheet import examples_sheet
from visarith.task import Examples, Task
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import Recipe, default_recipe, named
from visarith.training.settle import settle
from visarith.training.trial import decide

WATCHED = 2_000  # test pairs whose digit error makes the learning curve; nothing is chosen by it
TRAIN_SAMPLE = 5_000  # training pairs that are judged too
RUNS = Path("runs")


class Watcher:
    """Is told how a run goes; this one does nothing with it."""

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None: ...
    def trying(self) -> None: ...
    def step(self) -> None: ...
    def epoch(self, epoch: Epoch, digit_error: float) -> None: ...
    def judging(self) -> None: ...


def learn(
    task: Task | str | Operation,
    learner: str | LearnerSpec = "perceptron",
    recipe: str | Recipe = "",
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
    """Train, judge and keep a run in `out` (by default runs/NAME); a run that is finished there is loaded instead.

    The recipe is the paper's unless it is said, and for columns their own.
    """
    task = task if isinstance(task, Task) else Task(task)
    if not isinstance(recipe, str | Recipe) or not isinstance(learner, str | LearnerSpec):
        raise VisarithError(f"learner {learner!r} and recipe {recipe!r} must be names, a LearnerSpec and a Recipe")
    spec = LearnerSpec(name=learner) if isinstance(learner, str) else learner  # type: ignore[arg-type]
    if spec.name == "constructed":
        raise VisarithError("what is constructed has nothing to learn; visarith construct makes it")
    chosen = named(recipe or default_recipe(spec.name)) if isinstance(recipe, str) else recipe
    whole("seed", seed, 0)
    whole("tesseract", tesseract, 0)
    whole("threads", 1 if threads is None else threads, 1, 4 * (os.cpu_count() or 1))
    experiment = Experiment(
        task,
        spec,
        chosen if epochs is None else replace(chosen, epochs=epochs),
        seed,
        whole("examples", examples, 1),
        whole("test pairs", test_pairs, 1),
        threads or torch.get_num_threads(),
    ).resolved()
    store = Store(out or RUNS / experiment.name)
    if store.exists:
        _same_experiment(store, experiment)
        if not store.finished:
            if not resume:
                raise VisarithError(
                    f"{store.path} holds an unfinished run; --resume continues it, or choose another --out"
                )
            experiment = from_json(store.experiment(), str(store.path), task.operation)  # its threads and precision
    if tesseract:
        reader_for("tesseract", task)  # if that cannot be, better said now than after training
    before = torch.get_num_threads()
    torch.set_num_threads(experiment.threads)
    try:
        if not store.finished:
            _train(store, experiment, watcher or Watcher())
        run = load(store.path, operation=task.operation)
        if tesseract and (run.tesseract is None or run.tesseract.pairs != min(tesseract, test_pairs)):
            run = _judge_by_tesseract(store, run, tesseract)
        return run
    finally:
        torch.set_num_threads(before)


def _train(store: Store, experiment: Experiment, watcher: Watcher) -> None:
    task, recipe = experiment.task, experiment.recipe
    network = experiment.learner.build(task)
    train, test = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    started, cores = time.perf_counter(), time.process_time()
    _choose(network, experiment, train, store.state(), watcher)
    tried = Spent(time.perf_counter() - started, time.process_time() - cores)
    training = Training(network, task, train, recipe, seed=experiment.seed)
    with store.lock():
        if store.exists:  # it may have come while we prepared
            _same_experiment(store, experiment)
            if store.finished:
                return
        else:
            store.write_experiment(experiment.to_json())
        _restore(training, store)
        store.keep_metrics(training.epochs_done)
        spent = Spent.of(store.metrics())
        total = recipe.epochs * training.steps_an_epoch
        watcher.begin(experiment, store.path, total, training.epochs_done * training.steps_an_epoch)
        for epoch in training.epochs(watcher.step):
            started, cores = time.perf_counter(), time.process_time()
            watched = judge(network, task, test[:WATCHED], "templates", seed=experiment.seed)
            seconds = epoch.seconds + time.perf_counter() - started
            core_seconds = epoch.core_seconds + time.process_time() - cores
            if epoch.number == 1:
                seconds, core_seconds = seconds + tried.seconds, core_seconds + tried.core_seconds
            spent = spent.more(seconds, core_seconds)
            store.append_metrics(
                {
                    "epoch": epoch.number,
                    "step": epoch.steps,
                    "loss": epoch.loss,
                    "digit_error": watched.digit_error,
                    "per_position": watched.per_position,
                    "seconds": seconds,
                    "core_seconds": core_seconds,
                }
            )
            store.write_state(training.state())
            watcher.epoch(epoch, watched.digit_error)
        watcher.judging()
        started, cores = time.perf_counter(), time.process_time()
        settle(network, task, train)
        result = judge(network, task, test, "templates", seed=experiment.seed)
        trained = judge(network, task, train[:TRAIN_SAMPLE], "templates", seed=experiment.seed)
        spent = spent.more(time.perf_counter() - started, time.process_time() - cores)
        finish(store, network, experiment, test, result, trained.digit_error, spent)


def finish(
    store: Store,
    network: nn.Module,
    experiment: Experiment,
    test: Examples,
    result: Score,
    train_digit_error: float,
    spent: "Spent",
) -> None:
    """Keep the weights, some examples and, last of all, the score."""
    store.write_weights(network.state_dict())
    sheet = examples_sheet(*shown(network, experiment.task, test, experiment.seed))
    store.write(EXAMPLES, lambda file: save_png(sheet, file))
    kept = {"score": asdict(result), "tesseract": None, "train_digit_error": train_digit_error}
    store.write_score(kept | asdict(spent))


def _choose(
    network: nn.Module, experiment: Experiment, train: Examples, state: dict[str, Any] | None, watcher: Watcher
) -> None:
    """For columns: which cells meet and which way they hand on, as it was chosen already or else by trial."""
    columns = columns_of(network)
    if columns is None or columns.decided:
        return
    chosen = [each for name, each in (state or {}).get("weights", {}).items() if name.split(".")[-1] == "choice"]
    if chosen:
        columns.choice.copy_(chosen[0])
        return
    watcher.trying()
    decide(network, experiment.task, train, experiment.recipe, seed=experiment.seed)


@dataclass(frozen=True)
class Spent:
    """The time that a run took, by the clock and in its processors: epochs and judging, without making the examples."""

    seconds: float = 0.0
    core_seconds: float = 0.0

    @classmethod
    def of(cls, metrics: list[dict[str, Any]]) -> "Spent":
        return cls(sum(line["seconds"] for line in metrics), sum(line["core_seconds"] for line in metrics))

    def more(self, seconds: float, core_seconds: float) -> "Spent":
        return Spent(self.seconds + seconds, self.core_seconds + core_seconds)


def _restore(training: Training, store: Store) -> None:
    state = store.state()
    if state:
        try:
            training.restore(state)
        except (KeyError, RuntimeError, ValueError):
            raise VisarithError(
                f"{store.path / STATE} is of another version of visarith; delete it to start again"
            ) from None


def _judge_by_tesseract(store: Store, run: Run, pictures: int) -> Run:
    """Let Tesseract read the first test answers too, and keep what it says with the score."""
    experiment, task = run.experiment, run.task
    _, test = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    started, cores = time.perf_counter(), time.process_time()
    result = judge(run.learner, task, test[:pictures], "tesseract", seed=experiment.seed)
    spent = Spent(run.seconds, run.core_seconds).more(time.perf_counter() - started, time.process_time() - cores)
    store.write_score(store.score() | {"tesseract": asdict(result), **asdict(spent)})
    return replace(run, tesseract=result, seconds=spent.seconds, core_seconds=spent.core_seconds)


def _same_experiment(store: Store, experiment: Experiment) -> None:
    found = from_json(store.experiment(), str(store.path), experiment.task.operation)  # with what it did not know yet
    stored, asked = found.to_json(), experiment.to_json()
    for data in (stored, asked):
        data.pop("versions", None)
        data.pop("threads", None)
        data["recipe"].pop("precision", None)
    for key in asked:
        if stored.get(key) != asked[key]:
            a, b, what = stored.get(key), asked[key], key
            if isinstance(a, dict) and isinstance(b, dict):
                part = next(name for name in b if a.get(name) != b[name])
                a, b, what = a.get(part), b[part], f"{key} {part}"
            raise VisarithError(
                f"{store.path} holds another run (its {what} is {a!r}, not {b!r}); choose another --out"
            )
