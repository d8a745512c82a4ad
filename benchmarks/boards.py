"""Two boards: networks with the fewest units, constructed and trained; and how constructed ones grow with the digits.

    python benchmarks/boards.py                 # all, about half an hour on one core; what is stored is skipped
    python benchmarks/boards.py constructed     # or trained, growth, noise

Each network is kept as a run below runs/boards and judged as `visarith evaluate RUN` would. Every row goes into
results/boards.json as soon as it is there; the report shows them.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

import visarith as va
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.reproduce import run_folder
from visarith.learners.constructed.network import Constructed
from visarith.runs.construction import check, keep, noisy
from visarith.training.recipe import ADAM

ROOT = Path(__file__).parent.parent
FILE, RUNS = ROOT / "results" / "boards.json", ROOT / "runs"
TASKS = {
    "addition": va.Task("add"),
    "subtraction": va.Task("subtract"),
    "multiplication": va.Task("multiply"),
    "Roman addition": va.Task("add", notation="roman"),
}
FORMS, GATES = ("thresholds", "fewest", "carries"), ("relu", "sigmoid")
CHECKED, ADDITIVE = 100_000, 20_000  # pairs; pictures of Roman numerals are five times as wide
TRAINED = ((3, 48), (3, 64), (3, 96), (3, 128), (3, 160), (3, 192), (2, 192), (2, 256), (1, 256))
DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 30, 50, 100)
PRODUCTS = 40  # digits up to which multiplication is built
SIGMA = 0.3

Row = dict[str, Any]


def constructed() -> Iterator[tuple[str, Callable[[], Row]]]:
    for title, task in TASKS.items():
        for form in FORMS:
            for gate in GATES:
                yield f"{title}, {form}, {gate}", lambda t=task, f=form, g=gate: _constructed(t, f, g)  # type: ignore[misc]


def _constructed(task: va.Task, form: str, gate: str) -> Row:
    learner = va.learner_config("constructed", activation=gate, form=form)
    folder = RUNS / "boards" / f"{task.operation.name}-{task.notation.name}-{form}-{gate}"
    run = va.load(folder) if folder.exists() else keep(task, learner, out=folder)
    network = run.learner
    assert isinstance(network, Constructed)
    found = check(network, task, ADDITIVE if task.notation.additive else CHECKED)
    return _size(network) | {
        "form": form,
        "gate": gate,
        "checked": found.checked,
        "wrong": found.wrong,
        "evaluated": run.evaluate().number_error,
    }


def _size(network: Constructed) -> Row:
    size = network.size
    return {
        "gates": list(size.gates),
        "units": sum(size.units),
        "parameters": size.parameters,
        "largest_weight": network.largest_weight,
        "precision": network.precision,
    }


def trained() -> Iterator[tuple[str, Callable[[], Row]]]:
    for layers, width in TRAINED:
        yield f"addition, {layers} x {width}", lambda n=layers, w=width: _trained(n, w)  # type: ignore[misc]


def _trained(layers: int, width: int) -> Row:
    folder = RUNS / "boards" / f"add-trained-{layers}x{width}"
    learner = va.learner_config(hidden_layers=layers, width=width)
    run = va.learn("add", learner, replace(ADAM, epochs=50), out=folder, resume=True, threads=1)
    score = run.evaluate()
    return {
        "layers": layers,
        "width": width,
        "units": layers * width,
        "parameters": run.learner.weight_count,
        "digit_error": score.digit_error,
        "digit_interval": score.digit_interval,
        "number_error": score.number_error,
        "core_seconds": run.core_seconds,
    }


def growth() -> Iterator[tuple[str, Callable[[], Row]]]:
    for operation in ("add", "multiply"):
        for form in FORMS:
            for digits in DIGITS:
                if operation == "add" or digits <= PRODUCTS:
                    name = f"{operation}, {form}, {digits:03} digits"
                    yield name, lambda o=operation, f=form, d=digits: _growth(o, f, d)  # type: ignore[misc]


def _growth(operation: str, form: str, digits: int) -> Row:
    task = va.Task(operation, digits=digits)
    try:
        network = Constructed(task, "sigmoid", form)
    except va.VisarithError as error:
        return {"operation": operation, "form": form, "digits": digits, "cannot": str(error)}
    found = check(network, task, 500)
    row = {"operation": operation, "form": form, "digits": digits, "checked": found.checked, "wrong": found.wrong}
    return row | _size(network)


def noise() -> Iterator[tuple[str, Callable[[], Row]]]:
    for form in FORMS:
        yield f"constructed, {form}", lambda f=form: _noisy(Constructed(TASKS["addition"], "relu", f))  # type: ignore[misc]
    for entry in ("add", "noise", "noise-better"):
        yield f"trained, {entry}", lambda e=entry: _noisy_run(e)  # type: ignore[misc]


def _noisy(network: Constructed) -> Row:
    score = noisy(network, TASKS["addition"], SIGMA)
    bit = va.Task("add", typeface=va.Typeface(ink="bit"))
    other = noisy(Constructed(bit, network.gate, network.form), bit, SIGMA)
    return {"ink": {"smooth": score.digit_error, "bit": other.digit_error}}


def _noisy_run(entry: str) -> Row:
    run = va.load(run_folder(RUNS / "reproduce", ENTRIES[entry], 0, quick=False))
    return {"ink": {run.task.typeface.ink: run.evaluate(noise=SIGMA).digit_error}}


BOARDS = {"constructed": constructed, "growth": growth, "noise": noise, "trained": trained}


def main() -> None:
    torch.set_num_threads(1)
    for board in [name for name in BOARDS if name in sys.argv] or list(BOARDS):
        for name, measure in BOARDS[board]():
            stored = json.loads(FILE.read_text()) if FILE.exists() else {}
            if name in stored.get(board, {}):
                continue
            started = time.perf_counter()
            stored.setdefault(board, {})[name] = measure()
            FILE.write_text(json.dumps(stored, indent=1) + "\n")
            print(f"{board}: {name}, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
