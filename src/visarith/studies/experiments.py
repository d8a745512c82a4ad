"""The experiments of the catalogue as studies, one for each group: train or load a run and judge it."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from visarith.data.task import Task
from visarith.evaluation import Score
from visarith.pictures.corruption import Corruption
from visarith.runs.experiment import Experiment, from_json
from visarith.runs.judge import Judged, distance, judge
from visarith.runs.learn import judge_by_tesseract, learn
from visarith.runs.run import Run, load
from visarith.runs.store import Store
from visarith.runs.train import TRAIN_SAMPLE, Spent, Watcher, finish
from visarith.studies.catalogue import CATALOGUE, ENTRIES, GROUPS, Entry
from visarith.studies.exactness import exactness
from visarith.studies.results import Result
from visarith.studies.study import METHOD, Context, Found, Job, Study, fingerprint
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import Recipe

FOLDER = "experiments"
PLACE = ("versions", "threads", "device")  # of an experiment: where it ran, not what it is
LONG = ("columns",)  # groups that are not the paper's


def studies() -> list[Study]:
    """A study for each group of the catalogue."""
    return [Study(group, title, partial(_jobs, group), long=group in LONG) for group, title in GROUPS.items()]


def _jobs(group: str, seeds: Sequence[int], quick: bool) -> list[Job]:
    return [job(entry, seed, quick=quick) for seed in seeds for entry in CATALOGUE if entry.group == group]


@cache  # it describes the whole experiment, which takes milliseconds, and a report asks for hundreds
def job(entry: Entry, seed: int, *, quick: bool = False) -> Job:
    """The job that runs an entry with a seed."""
    experiment = entry.experiment(seed, quick=quick)
    return Job(
        study=entry.group,
        name=entry.name,
        asked={"experiment": experiment.to_json(), "parts": _parts(entry, seed, quick=quick)},
        work=partial(run_entry, entry, seed),
        cost=entry.cost,
        seed=seed,
        folder=FOLDER,
        needs=tuple(job(ENTRIES[part], seed, quick=quick) for part in entry.parts),
        differs=_differs,
        implausible=partial(_implausible, entry, experiment, quick),
        ready=partial(_ready, entry, seed),
    )


def run_folder(runs: Path, entry: Entry, seed: int, *, quick: bool) -> Path:
    """Where the run of an entry is kept. The name holds a hash of the experiment and of METHOD."""
    experiments = [identity(entry.experiment(seed, quick=quick)), *_parts(entry, seed, quick=quick)]
    return runs / f"{entry.name}-seed{seed}-{fingerprint([METHOD, *experiments])}"


def run_entry(entry: Entry, seed: int, context: Context) -> Found:
    """Train, resume or load the run of an entry, judge it, and give its scores as JSON."""
    path = run_folder(context.runs, entry, seed, quick=context.quick)
    run = _joined(entry, seed, path, context) if entry.parts else _learned(entry, seed, path, context)
    train, test = run.task.examples(run.experiment.examples, run.experiment.test_pairs, seed=seed)
    ran, precision = run.experiment.to_json(), run.experiment.recipe.precision
    return {
        "parameters": run.learner.weight_count,
        "seconds": run.seconds,
        "core_seconds": run.core_seconds,
        "score": run.score and asdict(run.score),
        "tesseract": run.tesseract and asdict(run.tesseract),
        "train_digit_error": run.train_digit_error,
        # root mean square distance of the answers that are read right from clean pictures
        "distance": distance(run.learner, run.task.picture_set(test[:2_000]), run.task.legend, seed=seed),
        "seen": _seen(run.task, train.operands, test.operands),
        "curve": [[line["loss"], line["digit_error"]] for line in Store(path).metrics()],
        "proof": exactness(run, quick=context.quick),
        "ran": {each: ran[each] for each in ("versions", "threads", "device")} | {"precision": precision},
    }


def trained_run(entry: Entry, seed: int, context: Context) -> Run:
    """The finished run of an entry, for jobs that need it."""
    return load(run_folder(context.runs, entry, seed, quick=context.quick))


def _ready(entry: Entry, seed: int, context: Context) -> bool:
    return Store(run_folder(context.runs, entry, seed, quick=context.quick)).finished


def _learned(entry: Entry, seed: int, path: Path, context: Context) -> Run:
    experiment = entry.experiment(seed, quick=context.quick, threads=context.threads)
    return learn(
        experiment.task,
        experiment.learner,
        experiment.recipe,
        seed,
        examples=experiment.examples,
        test_pairs=experiment.test_pairs,
        tesseract=entry.tesseract(quick=context.quick),
        threads=context.threads,
        out=path,
        resume=True,
        elsewhere="start-again",
        watcher=TrainingProgress(context),
    )


class TrainingProgress(Watcher):
    """Passes the progress of a training on to the job's context."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self, experiment: Experiment, path: Path, training: Training) -> None:  # noqa: ARG002
        self.training = training
        self.context.progress(0.98 * training.steps_done / training.steps_planned, "learning")

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        text = f"epoch {epoch.number} of {self.training.epochs_planned}, {watched.headline()}"
        self.context.progress(0.98 * epoch.steps / self.training.steps_planned, text)

    def judging(self) -> None:
        self.context.progress(0.98, "judging")


def place_of(study: str, name: str, asked: Found, context: Context) -> dict[str, Any]:
    """Where and how the run of a job is trained, for `learn`."""
    out, watcher = context.folder(study, name, asked), TrainingProgress(context)
    return {"out": out, "resume": True, "elsewhere": "start-again", "threads": context.threads, "watcher": watcher}


def _joined(entry: Entry, seed: int, path: Path, context: Context) -> Run:
    """The networks of finished runs, one after the other, judged as any run is judged."""
    store = Store(path)
    if not store.finished:
        experiment = entry.experiment(seed, quick=context.quick, threads=context.threads)
        parts = [trained_run(ENTRIES[part], seed, context).learner for part in entry.parts]
        task, network = experiment.task, experiment.learner.joined(experiment.task, *parts)
        train, test = task.split(experiment.examples, experiment.test_pairs, seed=seed)
        started, cores = time.perf_counter(), time.process_time()
        result = judge(network, test, task.legend, seed=seed)
        trained = judge(network, train.take(slice(0, TRAIN_SAMPLE)), task.legend, seed=seed)
        with store.lock():
            store.write_experiment(experiment.to_json())
            spent = Spent(time.perf_counter() - started, time.process_time() - cores)
            finish(store, network, experiment, test, task.legend, result, trained, spent)
    run, read = load(path), entry.tesseract(quick=context.quick)
    return judge_by_tesseract(store, run, read) if read and run.tesseract is None else run


def _seen(task: Task, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """The share of numbers in test pairs that are also numbers of some training pair, as operands and as answers."""
    answers = [np.array([task.domain.answers(row) for row in rows.tolist()]) for rows in (train, test)]
    return {"operands": float(np.isin(test, train).mean()), "answers": float(np.isin(answers[1], answers[0]).mean())}


@dataclass(frozen=True)
class RunResult:
    """What is stored of an entry with one seed; `failed` says why there is no score."""

    entry: str
    seed: int
    failed: str | None = None
    parameters: int = 0
    seconds: float = 0.0
    core_seconds: float = 0.0
    score: Score | None = None
    tesseract: Score | None = None
    train_digit_error: float | None = None
    distance: float | None = None
    seen: dict[str, float] | None = None
    curve: tuple[tuple[float, float], ...] = ()  # loss and digit error after each epoch
    proof: dict[str, Any] | None = None  # of column learners: certificate, other lengths, loops
    ran: dict[str, Any] | None = None  # versions, threads, device and precision

    @classmethod
    def of(cls, result: Result) -> "RunResult":
        """From the store."""
        job, found = result.job, result.found
        if result.failed is not None:
            return cls(job.name, job.seed or 0, result.failed)
        scores = {name: Score.from_json(found[name]) if found[name] else None for name in ("score", "tesseract")}
        curve = tuple((float(loss), float(error)) for loss, error in found["curve"])
        return cls(job.name, job.seed or 0, None, **(found | scores | {"curve": curve}))


def _differs(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    if _as_stored(stored) == _as_stored(asked):  # as a rule; to compare what they mean takes longer
        return None
    theirs, ours = (identity(from_json(dict(each["experiment"]), "the result")) for each in (stored, asked))
    key = next((key for key in ours if theirs[key] != ours[key]), None)
    return key or (None if stored["parts"] == asked["parts"] else "parts")


def _as_stored(question: Mapping[str, Any]) -> Any:
    elsewhere = {key: value for key, value in question["experiment"].items() if key not in PLACE}
    return json.loads(json.dumps([elsewhere, question["parts"]]))


def _implausible(entry: Entry, asked: Experiment, quick: bool, found: Found) -> str | None:
    """What no run of this experiment could have left."""
    stored = RunResult(entry.name, asked.seed, **found)
    pairs = {"score": asked.test_pairs, "tesseract": min(entry.tesseract(quick=quick), asked.test_pairs)}
    for name, count in pairs.items():
        score = Score.from_json(found[name]) if found[name] else None
        read = score.pairs if score else 0
        if read != count:
            return f"{name} is of {read} answers, not {count}"
        if score and not all(0 <= share <= 1 for share in (score.digit_error, score.number_error, *score.per_position)):
            return f"{name} has an error that is no share"
    if bool(entry.parts) == (len(stored.curve) >= asked.recipe.epochs):  # some learners ask for more rounds
        return f"it has a curve of {len(stored.curve)} epochs"
    numbers = (stored.seconds, stored.core_seconds, stored.parameters)
    return None if all(isinstance(number, int | float) for number in numbers) else "a time is no number"


def _parts(entry: Entry, seed: int, *, quick: bool) -> list[dict[str, Any]]:
    """The experiments that an entry is joined from."""
    return [identity(ENTRIES[name].experiment(seed, quick=quick)) for name in entry.parts]


def identity(experiment: Experiment) -> dict[str, Any]:
    """What an experiment is, without where it ran (versions, threads, precision) and without values that are defaults.

    A field that is added later, with a default that changes nothing, leaves earlier experiments what they were. A
    default that is changed needs another METHOD.
    """
    data: dict[str, Any] = json.loads(json.dumps(experiment.to_json()))
    earlier = Recipe(loss_scale=0.05)  # the default of version 0.1, by which results and run folders are named
    for name, usual in (("recipe", asdict(earlier)), ("corruption", asdict(Corruption()))):
        data[name] = {key: value for key, value in data[name].items() if key in usual and value != usual[key]}
    data["learner"] = experiment.learner.identity()
    data["format"] = 2  # that of version 0.1, too: how a run is stored does not change what it is
    data["recipe"].pop("precision", None)
    return {key: value for key, value in data.items() if key not in PLACE}
