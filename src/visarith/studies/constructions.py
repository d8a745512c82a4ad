"""Studies of constructed networks, whose weights are set by hand.

`constructed` builds and tries every form for every operation (claims 27 to 31), `growth` counts gates and weights
against digits (claim 37), and `robustness` puts noise on the inputs of constructed and of trained networks.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners import learner_config
from visarith.learners.constructed.network import Constructed
from visarith.pictures.typeface import Typeface
from visarith.runs.construction import check, keep, noisy
from visarith.runs.run import load
from visarith.runs.store import Store
from visarith.studies import experiments
from visarith.studies.catalogue import ENTRIES, QUICK_TEST_PAIRS, TEST_PAIRS
from visarith.studies.study import Context, Found, Job, Study

TASKS = {
    "addition": Task("add"),
    "subtraction": Task("subtract"),
    "multiplication": Task("multiply"),
    "Roman addition": Task("add", notation="roman"),
}
FORMS = ("thresholds", "fewest", "carries")
GATES: tuple[Literal["relu"], Literal["sigmoid"]] = ("relu", "sigmoid")
CHECKED, CHECKED_ADDITIVE, QUICK_CHECKED = 100_000, 20_000, 200  # pairs; Roman pictures are five times as wide
DIGITS, QUICK_DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 30, 50, 100), (1, 7, 8, 10)
LONGEST_PRODUCT = 40  # digits up to which multiplication is built
GROWTH_CHECKED = 500
SIGMA, TRAINED_ON_NOISE = 0.3, ("add", "noise", "noise-better")
SIZE_KEYS = ("gates", "units", "parameters", "largest_weight", "precision")
KEYS = ("operation", "form", "gate", *SIZE_KEYS, "checked", "wrong", "evaluated")


def _constructed_jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    jobs = []
    for title, task in TASKS.items():
        pairs = QUICK_CHECKED if quick else CHECKED_ADDITIVE if task.notation.additive else CHECKED
        for form in FORMS:
            for gate in GATES:
                asked = {"operation": title, "form": form, "gate": gate, "pairs": pairs}
                name = f"{title.lower().replace(' ', '-')}-{form}-{gate}"
                work = partial(_construct, name, asked, gate)
                jobs.append(Job(CONSTRUCTED.name, name, asked, work, 12, keys=KEYS))
    return jobs


CONSTRUCTED = Study("constructed", "Networks by construction: every form, operation and gate", _constructed_jobs)


def _construct(name: str, asked: Found, gate: Literal["relu", "sigmoid"], context: Context) -> Found:
    title, form, pairs = asked["operation"], asked["form"], asked["pairs"]
    task, config = TASKS[title], learner_config("constructed", activation=gate, form=form)
    store = Store(context.folder("constructed", name, asked))
    if store.exists and not store.finished:
        store.discard()  # this job was killed while it wrote
    run = load(store.path) if store.finished else keep(task, config, out=store.path, pairs=min(pairs, TEST_PAIRS))
    network = Constructed(task, gate, form)
    found = check(network, task, pairs)
    return {
        "operation": title,
        "form": form,
        "gate": gate,
        **_size(network),
        "checked": found.checked,
        "wrong": found.wrong,
        "evaluated": run.evaluate(pairs=min(pairs, TEST_PAIRS)).number_error,
    }


def _size(network: Constructed) -> Found:
    size = network.size
    return {
        "gates": list(size.gates),
        "units": sum(size.units),
        "parameters": size.parameters,
        "largest_weight": network.largest_weight,
        "precision": network.precision,
    }


def _growth_jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    jobs = []
    for operation in ("add", "multiply"):
        most = LONGEST_PRODUCT if operation == "multiply" else max(DIGITS)
        lengths = [digits for digits in (QUICK_DIGITS if quick else DIGITS) if digits <= most]
        pairs = 20 if quick else GROWTH_CHECKED
        for form in FORMS:
            asked = {"operation": operation, "form": form, "digits": lengths, "pairs": pairs}
            work = partial(_grow, operation, form, lengths, pairs)
            jobs.append(Job(GROWTH.name, f"{operation}-{form}", asked, work, 60, keys=("rows",)))
    return jobs


GROWTH = Study("growth", "How constructed networks grow with the digits", _growth_jobs)


def _grow(operation: str, form: str, lengths: list[int], pairs: int, context: Context) -> Found:
    """A row for each length; where floats cannot hold the weights, the row says so."""
    rows = []
    for number, digits in enumerate(lengths):
        context.progress(number / len(lengths), f"{digits} digits")
        row: Found = {"operation": operation, "form": form, "digits": digits}
        task = Task(operation, digits=digits)
        try:
            network = Constructed(task, "sigmoid", form)
        except VisarithError as error:
            rows.append(row | {"cannot": str(error)})
            continue
        found = check(network, task, pairs)
        rows.append(row | {"checked": found.checked, "wrong": found.wrong} | _size(network))
    return {"rows": rows}


def _robustness_jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    pairs = QUICK_TEST_PAIRS if quick else TEST_PAIRS
    jobs, keys = [], ("network", "ink")
    for form in FORMS:
        asked = {"form": form, "sigma": SIGMA, "pairs": pairs}
        work = partial(_noisy_construction, form, pairs)
        jobs.append(Job(ROBUSTNESS.name, f"constructed-{form}", asked, work, 15, keys=keys))
    for name in TRAINED_ON_NOISE:
        folder = experiments.run_folder(Path(), ENTRIES[name], 0, quick=quick).name
        asked = {"run": folder, "sigma": SIGMA, "pairs": pairs}
        needs, work = (experiments.job(ENTRIES[name], 0, quick=quick),), partial(_noisy_run, name, pairs)
        jobs.append(Job(ROBUSTNESS.name, f"trained-{name}", asked, work, 10, keys=keys, needs=needs))
    return jobs


ROBUSTNESS = Study("robustness", "Noise on the inputs of constructed and of trained networks", _robustness_jobs)


def _noisy_construction(form: str, pairs: int, context: Context) -> Found:  # noqa: ARG001
    errors = {}
    for ink in ("smooth", "bit"):
        task = Task("add", typeface=Typeface(ink=ink))
        errors[ink] = noisy(Constructed(task, "relu", form), task, SIGMA, pairs=pairs).digit_error
    return {"network": f"constructed, {form}", "ink": errors}


def _noisy_run(name: str, pairs: int, context: Context) -> Found:
    run = experiments.trained_run(ENTRIES[name], 0, context)
    error = run.evaluate(noise=SIGMA, pairs=pairs).digit_error
    return {"network": f"trained, {name}", "ink": {run.task.typeface.ink: error}}
