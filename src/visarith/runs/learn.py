"""Train, judge and keep: from an experiment to a finished run in its folder."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from visarith.data.picture_set import PictureSet
from visarith.data.task import EXAMPLES, TEST_PAIRS, Task
from visarith.errors import VisarithError, option, whole
from visarith.learners import learner_config
from visarith.learners.config import LearnerConfig
from visarith.learners.learner import Learner
from visarith.learners.own import Config as OwnConfig
from visarith.operations import Operation
from visarith.pictures.png import save_png
from visarith.pictures.sheet import examples_sheet
from visarith.reading.legend import Legend
from visarith.runs.experiment import Experiment, from_json, resolve_device
from visarith.runs.judge import Judged, examples_shown, judge
from visarith.runs.run import Run, load
from visarith.runs.store import EXAMPLES as EXAMPLES_FILE
from visarith.runs.store import STATE, Store
from visarith.training.guest import guest
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import Recipe, named

WATCHED = 2_000  # test pairs whose digit error makes the learning curve; nothing is chosen by it
TRAIN_SAMPLE = 5_000  # training pairs that are judged too
TESSERACT = 2_000  # answers that Tesseract reads of pictures that were brought with text
RUNS = Path("runs")


class Watcher:
    """Is told how a run goes; this one does nothing with it."""

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None: ...
    def tell(self, line: str) -> None: ...
    def step(self) -> None: ...
    def epoch(self, epoch: Epoch, watched: Judged) -> None: ...
    def judging(self) -> None: ...


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
    watcher: Watcher | None = None,
) -> Run:
    """Train, judge and keep a run in `out` (by default runs/NAME); a run that is finished there is loaded instead.

    `data` is a task, an operation or its name, or pictures. `learner` is a name, a config or a module of one's own, of
    which a copy is trained. The recipe is the learner's own unless it is said. Without `examples` and `test_pairs` they
    are the paper's 150,000 and 30,000, or as many as there are.
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
    experiment = Experiment(
        source,
        config,
        chosen if epochs is None else replace(chosen, epochs=epochs),
        seed,
        *sizes,
        threads or torch.get_num_threads(),
        resolve_device(device),
    ).resolved()
    read = _read_by_tesseract(source, tesseract, sizes[1])
    store = Store(out or RUNS / experiment.name)
    if store.exists:
        stored = _same_experiment(store, experiment)
        if not store.finished:
            if not resume:
                raise VisarithError(
                    f"{store.path} holds an unfinished run; {option('resume', True)} continues it, or choose another "
                    f"{option('out')}"
                )
            experiment = replace(
                stored, source=source, learner=config.resolved(config.sees(source.spec))
            )  # its threads, its precision
    with guest(experiment.threads):
        if not store.finished:
            few = (examples is None and sizes[0] < EXAMPLES) or (test_pairs is None and sizes[1] < TEST_PAIRS)
            if source.generates and few:
                watcher.tell(_few(experiment))
            _train(store, experiment, watcher)
        run = _loaded(store, experiment)
        if read and (run.tesseract is None or run.tesseract.pairs != min(read, sizes[1])):
            run = judge_by_tesseract(store, run, read)
        return run


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
    """How many answers Tesseract reads; if it cannot, better said now than after training."""
    usual = TESSERACT if source.readable and not source.generates else 0
    read = usual if asked is None else whole("tesseract", asked, 0)
    if read and not source.readable:
        raise VisarithError(f"these pictures have no text to compare a reading with; leave {option('tesseract')} out")
    if read and source.generates:
        source.task.legend.reader("tesseract")
    return min(read, test_pairs)


def _few(experiment: Experiment) -> str:
    there = f"{experiment.examples:,} to learn from and {experiment.test_pairs:,} held out"
    return f"{experiment.source.label} has few pairs: {there}, instead of the paper's 150,000 and 30,000"


def _loaded(store: Store, experiment: Experiment) -> Run:
    """The run that is finished now; what is the user's own is at hand."""
    own = experiment.learner.module_of_ones_own()
    if experiment.source.generates:
        return load(
            store.path,
            experiment.task.operation,
            notation=experiment.task.notation,
            learner=own,
            device=experiment.device,
        )
    run = load(store.path, learner=own, device=experiment.device)
    return replace(run, experiment=replace(run.experiment, source=experiment.source))


def _train(store: Store, experiment: Experiment, watcher: Watcher) -> None:
    seed, recipe = experiment.seed, experiment.recipe
    network = experiment.learner.build(experiment.source)
    train, test = experiment.source.split(experiment.examples, experiment.test_pairs, seed=seed)
    legend = experiment.source.legend if experiment.source.generates else train.legend
    started, cores = time.perf_counter(), time.process_time()
    shown, state = train.view(), store.state()
    if state and "found" in state:
        network.recall(state["found"])
    else:
        network.prepare(shown, recipe, seed=seed, device=experiment.device, tell=watcher.tell)
    tried = Spent(time.perf_counter() - started, time.process_time() - cores)
    training = Training(network, shown, recipe, seed=seed, device=experiment.device)
    experiment = replace(experiment, recipe=replace(recipe, precision=training.precision))
    with store.lock():
        new = not store.exists
        if not new:  # it may have come while we prepared
            _same_experiment(store, experiment)
            if store.finished:
                return
        _restore(training, store, state)
        with _discarded_if_it_fails(store) if new else nullcontext():
            if new:
                if legend is not None and not experiment.source.generates:
                    store.write_legend(legend)
                store.write_experiment(experiment.to_json())
            _work(store, training, network, experiment, (train, test, legend), tried, watcher)


def _work(
    store: Store,
    training: Training,
    network: Learner,
    experiment: Experiment,
    data: tuple[PictureSet, PictureSet, Legend | None],
    tried: "Spent",
    watcher: Watcher,
) -> None:
    """From the epoch that was reached to the score."""
    train, test, legend = data
    store.keep_metrics(training.epochs_done)
    spent = Spent.of(store.metrics())
    total = experiment.recipe.epochs * training.steps_an_epoch
    watcher.begin(experiment, store.path, total, training.epochs_done * training.steps_an_epoch)
    judges = _Judges(network, legend, train, experiment.seed)
    for epoch in training.epochs(watcher.step):
        started, cores = time.perf_counter(), time.process_time()
        watched = judges.judge(test.take(slice(0, WATCHED)))
        seconds = epoch.seconds + time.perf_counter() - started
        core_seconds = epoch.core_seconds + time.process_time() - cores
        if epoch.number == 1:
            seconds, core_seconds = seconds + tried.seconds, core_seconds + tried.core_seconds
        spent = spent.more(seconds, core_seconds)
        line = {"epoch": epoch.number, "step": epoch.steps, "loss": epoch.loss, **watched.to_json()}
        store.append_metrics(line | {"seconds": seconds, "core_seconds": core_seconds})
        store.write_state(training.state() | {"found": network.found()})
        watcher.epoch(epoch, watched)
    watcher.judging()
    started, cores = time.perf_counter(), time.process_time()
    network.finish(train.view())
    result = judges.judge(test)
    trained = judges.judge(train.take(slice(0, TRAIN_SAMPLE)))
    spent = spent.more(time.perf_counter() - started, time.process_time() - cores)
    seen = 0 if experiment.source.generates else test.seen_in(train)
    finish(store, network, experiment, test, legend, result, trained, spent, seen)


@contextmanager
def _discarded_if_it_fails(store: Store) -> Iterator[None]:
    """A run that fails before its first epoch is kept leaves nothing behind."""
    try:
        yield
    except Exception:
        if not store.begun:
            store.discard()
        raise


class _Judges:
    """Templates, where there are any; otherwise only how far pictures are from the true ones."""

    def __init__(self, network: Learner, legend: Legend | None, train: PictureSet, seed: int) -> None:
        self.network, self.seed = network, seed
        self.legend = legend if legend is not None and legend.layout is not None else None
        self.mean: Tensor = train.mean_targets

    def judge(self, data: PictureSet) -> Judged:
        return judge(self.network, data, self.legend, mean=self.mean, seed=self.seed)


def finish(
    store: Store,
    network: Learner,
    experiment: Experiment,
    test: PictureSet,
    legend: Legend | None,
    result: Judged,
    trained: Judged | None,
    spent: "Spent",
    seen: int = 0,
) -> None:
    """Keep the weights, some examples and, last of all, the score."""
    store.write_weights(network.state_dict())
    sheet = examples_sheet(*examples_shown(network, test, legend, seed=experiment.seed))
    store.write(EXAMPLES_FILE, lambda file: save_png(sheet, file))
    store.write_score(
        {
            "score": result.score and asdict(result.score),
            "tesseract": None,
            "picture_error": asdict(result.picture),
            "train_digit_error": trained.score.digit_error if trained and trained.score else None,
            "seen": seen,
            **asdict(spent),
        }
    )


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


def _restore(training: Training, store: Store, state: dict[str, Any] | None) -> None:
    if state:
        try:
            training.restore(state)
        except (KeyError, RuntimeError, ValueError):
            raise VisarithError(
                f"{store.path / STATE} is of another version of visarith; delete it to start again"
            ) from None


def judge_by_tesseract(store: Store, run: Run, pictures: int) -> Run:
    """Let Tesseract read the first test answers too, and keep what it says with the score."""
    experiment = run.experiment
    _, test = experiment.source.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    started, cores = time.perf_counter(), time.process_time()
    few = test.take(slice(0, pictures))
    result = judge(run.learner, few, run.legend, "tesseract", seed=experiment.seed).score
    spent = Spent(run.seconds, run.core_seconds).more(time.perf_counter() - started, time.process_time() - cores)
    store.write_score(store.score() | {"tesseract": result and asdict(result), **asdict(spent)})
    return replace(run, tesseract=result, seconds=spent.seconds, core_seconds=spent.core_seconds)


def _same_experiment(store: Store, experiment: Experiment) -> Experiment:
    """The experiment that is stored, if it is this one."""
    where, source = str(store.path), experiment.source
    own = (source.task.operation, source.task.notation) if source.generates else (None, None)
    found = from_json(store.experiment(), where, *own)  # with what it did not know yet
    stored, asked = found.to_json(), experiment.to_json()
    for data in (stored, asked):
        for key in ("versions", "threads", "device", "format"):
            data.pop(key, None)
        for key in ("name", "path"):  # pictures are the same wherever they are
            data.get("pictures", {}).pop(key, None)
        data["recipe"].pop("precision", None)
    for key in asked:
        if stored.get(key) != asked[key]:
            a, b, what = stored.get(key), asked[key], key
            if isinstance(a, dict) and isinstance(b, dict):
                part = next(name for name in b if a.get(name) != b[name])
                a, b, what = a.get(part), b[part], f"{key} {part}"
            raise VisarithError(
                f"{store.path} holds another run (its {what} is {a!r}, not {b!r}); choose another {option('out')}"
            )
    return found
