"""One run of the catalogue, from its entry to its result."""

import hashlib
import json
import time
from pathlib import Path

import numpy as np

from visarith.data.task import Task
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.entry import Entry
from visarith.experiments.proof import proof
from visarith.experiments.results import METHOD, Result, identity, parts
from visarith.runs.experiment import Experiment
from visarith.runs.judge import distance, judge
from visarith.runs.learn import TRAIN_SAMPLE, Spent, Watcher, finish, judge_by_tesseract, learn
from visarith.runs.run import load
from visarith.runs.store import Store


def run_folder(runs: Path, entry: Entry, seed: int, *, quick: bool) -> Path:
    """Where the run of an entry is kept; other code or another experiment has another folder."""
    what = json.dumps(
        [METHOD, identity(entry.experiment(seed, quick=quick)), *parts(entry, seed, quick=quick)], sort_keys=True
    )
    return runs / f"{entry.name}-seed{seed}-{hashlib.sha256(what.encode()).hexdigest()[:8]}"


def reproduce(
    entry: Entry, seed: int, *, runs: Path, quick: bool = False, threads: int = 1, watcher: Watcher | None = None
) -> Result:
    """Train (or resume, or load) the run of an entry, judge it and say what came out."""
    experiment = entry.experiment(seed, quick=quick, threads=threads)
    path = run_folder(runs, entry, seed, quick=quick)
    if entry.parts and not Store(path).finished:
        folders = []
        for name in entry.parts:
            folders.append(run_folder(runs, ENTRIES[name], seed, quick=quick))
            if not Store(folders[-1]).finished:  # its result may be stored without its run
                reproduce(ENTRIES[name], seed, runs=runs, quick=quick, threads=threads, watcher=watcher)
        _join(experiment, path, folders)
    if entry.parts:
        run, read = load(path), entry.tesseract(quick=quick)
        if read and run.tesseract is None:
            run = judge_by_tesseract(Store(path), run, read)
    else:
        run = learn(
            experiment.task,
            experiment.learner,
            experiment.recipe,
            seed,
            examples=experiment.examples,
            test_pairs=experiment.test_pairs,
            tesseract=entry.tesseract(quick=quick),
            threads=threads,
            out=path,
            resume=True,
            watcher=watcher,
        )
    train, test = run.task.examples(experiment.examples, experiment.test_pairs, seed=seed)
    curve = tuple((line["loss"], line["digit_error"]) for line in Store(path).metrics())
    return Result(
        entry=entry.name,
        seed=seed,
        experiment=run.experiment.to_json(),
        parts=parts(entry, seed, quick=quick),
        run=str(path),
        parameters=run.learner.weight_count,
        seconds=run.seconds,
        core_seconds=run.core_seconds,
        score=run.score,
        tesseract=run.tesseract,
        train_digit_error=run.train_digit_error,
        distance=distance(run.learner, run.task.picture_set(test[:2_000]), run.task.legend, seed=seed),
        seen=_seen(run.task, train.operands, test.operands),
        curve=curve,
        proof=proof(run, quick=quick),
    )


def _seen(task: Task, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """How many of the numbers in test pairs are also numbers of some training pair, as operands and as answers."""
    answers = [np.array([task.domain.answers(row) for row in rows.tolist()]) for rows in (train, test)]
    return {
        "operands": float(np.isin(test, train).mean()),
        "answers": float(np.isin(answers[1], answers[0]).mean()),
    }


def _join(experiment: Experiment, path: Path, folders: list[Path]) -> None:
    """Put the networks of finished runs one after the other, and judge the whole as any run is judged."""
    network = experiment.learner.joined(experiment.task, *(load(folder).learner for folder in folders))
    task, seed = experiment.task, experiment.seed
    train, test = task.split(experiment.examples, experiment.test_pairs, seed=seed)
    started, cores = time.perf_counter(), time.process_time()
    result = judge(network, test, task.legend, seed=seed)
    trained = judge(network, train.take(slice(0, TRAIN_SAMPLE)), task.legend, seed=seed)
    store = Store(path)
    with store.lock():
        store.write_experiment(experiment.to_json())
        spent = Spent(time.perf_counter() - started, time.process_time() - cores)
        finish(store, network, experiment, test, task.legend, result, trained, spent)
