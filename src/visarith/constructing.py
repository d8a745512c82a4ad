"""The verb that builds a network by hand and tries it."""

import argparse
import json
import sys
from dataclasses import asdict

from rich.console import Console
from rich.progress import Progress

from visarith.data.task import Task
from visarith.errors import VisarithError, whole
from visarith.evaluation import Score, percent
from visarith.learners.constructed import Config
from visarith.learners.constructed.network import Constructed
from visarith.runs.construction import Checked, check, keep, noisy


def construct(options: argparse.Namespace) -> int:
    """Say how large the network is, try it, keep it if that is asked; 1 if an answer was wrong."""
    if not 0 <= options.noise < 100:
        raise VisarithError(f"noise {options.noise} is no use; it must be at least 0, such as 0.3")
    task = Task(options.operation, notation=options.notation, digits=options.digits, base=options.base)
    config = Config(activation=options.gates, form=options.form)
    config.check(task.spec)
    network = config.network(task.spec)
    found = (
        _checked(network, task, whole("pairs", options.check, 1), options.seed) if options.check is not None else None
    )
    with_noise = noisy(network, task, options.noise, seed=options.seed) if options.noise else None
    run = keep(task, config, seed=options.seed, out=options.out) if options.out else None
    size = network.size
    said = {
        "operation": task.operation.name,
        "notation": task.notation.name,
        "digits": task.notation.digits,
        "base": options.base,
        "gate": network.gate,
        "form": network.form,
        "precision": network.precision,
        "layers": len(size.gates),
        "gates": list(size.gates),
        "units": list(size.units),
        "parameters": size.parameters,
        "largest_weight": network.largest_weight,
        "checked": found.checked if found else 0,
        "every_pair": bool(found and found.every_pair),
        "wrong": found.wrong if found else None,
        "seconds": round(found.seconds, 3) if found else None,
        "noise": options.noise,
        "noisy": asdict(with_noise) if with_noise else None,
        "run": str(run.path) if run else None,
    }
    if options.json:
        print(json.dumps(said))
    else:
        _show(said, with_noise)
    return 1 if found and found.wrong else 0


def _checked(network: Constructed, task: Task, pairs: int, seed: int) -> Checked:
    """Try it, with a bar where there is a terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        trying = bar.add_task("trying", total=min(pairs, task.domain.candidates))
        return check(network, task, pairs, seed=seed, step=lambda count: bar.advance(trying, count))


def _show(said: dict[str, object], with_noise: Score | None) -> None:
    kinds = {"relu": "two ReLUs each", "sigmoid": "a steep sigmoid each"}
    gates = said["gates"]
    assert isinstance(gates, list)
    layers = f"{len(gates)} hidden layer" + ("s" if len(gates) > 1 else "")
    print(f"{said['operation']}, {said['digits']} digits: by {said['form']}, {layers}, {said['precision']}")
    print(f"gates        {' + '.join(f'{count:,}' for count in gates)} = {sum(gates):,}, {kinds[str(said['gate'])]}")
    print(f"weights      {said['parameters']:,} that are not 0, none larger than {said['largest_weight']:,}")
    if said["checked"]:
        which = "all there are" if said["every_pair"] else "random ones and every chain of carries"
        print(f"checked      {said['checked']:,} pairs ({which}), {said['wrong']:,} wrong, {said['seconds']:.1f} s")
    if with_noise:
        errors = f"{percent(with_noise.digit_error)} of digits wrong"
        print(f"noise {said['noise']:<6} {errors} ({with_noise.pairs:,} pairs, read by templates)")
    if said["run"]:
        print(f"run          {said['run']}")
