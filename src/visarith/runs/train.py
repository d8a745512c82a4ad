"""Train a learner, judge it and write its run folder."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from visarith.data.picture_set import PictureSet
from visarith.errors import VisarithError
from visarith.learners.learner import Learner
from visarith.pictures.png import examples_sheet, save_png
from visarith.reading.legend import Legend
from visarith.runs.experiment import Experiment, check_same
from visarith.runs.folder import EXAMPLES, STATE
from visarith.runs.judge import Judged, examples_shown, judge
from visarith.runs.store import Store
from visarith.training.loop import Epoch, Training

WATCHED = 2_000  # test pairs of the learning curve; nothing is chosen by it
TRAIN_SAMPLE = 5_000  # training pairs that are judged after training


class Watcher:
    """Shows the progress of a run; this one shows nothing."""

    def begin(self, experiment: Experiment, path: Path, training: Training) -> None: ...
    def tell(self, line: str) -> None: ...
    def step(self) -> None: ...
    def epoch(self, epoch: Epoch, watched: Judged) -> None: ...
    def judging(self) -> None: ...

    def work(self, what: str, total: int | None) -> AbstractContextManager[Callable[[int], object]]:  # noqa: ARG002
        """Show other work; the context gives a function to call with the number of items done."""
        return nullcontext(lambda _: None)


@dataclass(frozen=True)
class Spent:
    """Wall-clock and processor time of training and judging, without drawing the examples."""

    seconds: float = 0.0
    core_seconds: float = 0.0

    def __add__(self, more: "Spent") -> "Spent":
        return Spent(self.seconds + more.seconds, self.core_seconds + more.core_seconds)


def stopwatch() -> Callable[[], Spent]:
    """Return a function that tells the time spent since now."""
    started, cores = time.perf_counter(), time.process_time()
    return lambda: Spent(time.perf_counter() - started, time.process_time() - cores)


def train_run(store: Store, experiment: Experiment, watcher: Watcher, differs: str = "") -> None:
    """Train an experiment in its folder, from where it was left, to its score.

    `differs` is what is not as it was where the run was begun, for the metrics of its next epoch.
    """
    source, seed, recipe = experiment.source, experiment.seed, experiment.recipe
    network = experiment.learner.build(source)
    with watcher.work("making examples", None):
        train, test = source.split(experiment.examples, experiment.test_pairs, seed=seed)
    legend = source.legend if source.generates else train.legend
    clock = stopwatch()
    shown, state = train.view(), store.state()
    if state and "found" in state:
        network.recall(state["found"])
    else:
        with watcher.work("preparing", None):
            network.prepare(shown, recipe, seed=seed, device=experiment.device, tell=watcher.tell)
    prepared = clock()
    training = Training(network, shown, recipe, seed=seed, device=experiment.device, tell=watcher.tell)
    experiment = replace(experiment, recipe=replace(recipe, precision=training.precision))
    with store.lock():
        new = not store.begun  # what a kill has left before the first epoch is written anew
        if store.exists:  # another process may have written it during the preparation
            check_same(store.experiment(), experiment, str(store.path))
            if store.finished:
                return
        _restore(training, store, state)
        with _discarded_if_it_fails(store) if new else nullcontext():
            if new:
                if legend is not None and not source.generates:
                    store.write_legend(legend)
                store.write_experiment(experiment.to_json())
            metrics, data = state["metrics"] if state else [], (train, test, legend)
            note = {"elsewhere": differs} if state and differs else {}
            _train_and_judge(store, training, network, experiment, data, metrics, note, prepared, watcher)


def _train_and_judge(
    store: Store,
    training: Training,
    network: Learner,
    experiment: Experiment,
    data: tuple[PictureSet, PictureSet, Legend | None],
    metrics: list[dict[str, Any]],
    note: dict[str, Any],
    prepared: Spent,
    watcher: Watcher,
) -> None:
    """Train from the last stored epoch, then judge: by templates, or by the picture error alone if there are none."""
    train, test, legend = data
    store.write_metrics(metrics)
    spent = sum((Spent(line["seconds"], line["core_seconds"]) for line in metrics), Spent())
    watcher.begin(experiment, store.path, training)
    templates = legend if legend is not None and legend.layout is not None else None
    judged = partial(judge, network, legend=templates, mean=train.mean_targets, seed=experiment.seed)
    for epoch in training.epochs(watcher.step):
        clock = stopwatch()
        watched = judged(test.take(slice(0, WATCHED)))
        this = Spent(epoch.seconds, epoch.core_seconds) + clock() + (prepared if epoch.number == 1 else Spent())
        spent += this
        line = {"epoch": epoch.number, "step": epoch.steps, "loss": epoch.loss, **watched.to_json()}
        metrics.append(line | asdict(this) | note)
        note = {}
        store.append_metrics(metrics[-1])
        store.write_state(training.state() | {"found": network.found(), "metrics": metrics})
        watcher.epoch(epoch, watched)
    watcher.judging()
    clock = stopwatch()
    network.finish(train.view())
    result, trained = judged(test), judged(train.take(slice(0, TRAIN_SAMPLE)))
    spent += clock()
    seen = 0 if experiment.source.generates else test.seen_in(train)
    finish(store, network, experiment, test, legend, result, trained, spent, seen)


@contextmanager
def _discarded_if_it_fails(store: Store) -> Iterator[None]:
    """Remove the files of a run that fails before its first epoch is stored."""
    try:
        yield
    except Exception:
        if not store.begun:
            store.discard()
        raise


def finish(
    store: Store,
    network: Learner,
    experiment: Experiment,
    test: PictureSet,
    legend: Legend | None,
    result: Judged,
    trained: Judged,
    spent: Spent,
    seen: int = 0,
) -> None:
    """Write the weights, a sheet of examples and, last, the score."""
    store.write_weights(network.state_dict())
    sheet = examples_sheet(*examples_shown(network, test, legend, seed=experiment.seed))
    store.write(EXAMPLES, lambda file: save_png(sheet, file))
    store.write_score(
        {
            "score": result.score and asdict(result.score),
            "tesseract": None,
            "picture_error": asdict(result.picture),
            "train_digit_error": trained.score.digit_error if trained.score else None,
            "seen": seen,
            **asdict(spent),
        }
    )


def _restore(training: Training, store: Store, state: dict[str, Any] | None) -> None:
    if state:
        try:
            training.restore(state)
        except (KeyError, RuntimeError, ValueError, TypeError, AttributeError, IndexError):
            raise VisarithError(
                f"{store.path / STATE} was written by another version of visarith; delete it to start again"
            ) from None
