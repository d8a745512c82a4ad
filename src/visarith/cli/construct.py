"""`visarith construct`: build a network by hand, without training, and try it."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import progress
from visarith.cli.terminal import add_seed, answer
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.data.task import Task

HELP = "build a network by hand, without training, and try it"
GATES = {"relu": "two ReLUs each", "sigmoid": "a steep sigmoid each"}
MOST_GATES = 300_000  # half a minute to build; multiply has 129,600 in each of two layers at 80 digits


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is built, from which gates, and how it is tried."""
    from visarith.notation import NOTATIONS
    from visarith.operations import OPERATIONS

    add, known = parser.add_argument, tuple(name for name, each in OPERATIONS.items() if each.construction)
    add("operation", choices=known, metavar="OPERATION", help=f"what it computes: {', '.join(known)}")
    add("--digits", type=int, help="digits of the longest number (default 7)")
    add("--base", type=int, default=10, help="base of the numbers, 2 to 36 (default 10)")
    add("--notation", choices=tuple(NOTATIONS), default="arabic", help="how numbers are written (default arabic)")
    add("--gates", choices=tuple(GATES), default="relu", help="two ReLUs or a steep sigmoid (default relu)")
    form = "the paper's gates, the fewest or those of small weights (default: the paper's, if floats can hold them)"
    add("--form", choices=("thresholds", "fewest", "carries"), default="", help=form)
    add("--check", type=int, metavar="N", help="draw the answers of N pairs and count the wrong ones (default: none)")
    add("--noise", type=float, default=0.0, help="count wrong digits at this noise on the inputs too (default 0)")
    add_seed(parser, "the pairs")
    add("--out", type=Path, metavar="FOLDER", help="keep the network as a run in this folder")


def run(options: argparse.Namespace) -> int:
    """Print how large the network is, try it, keep it if that is asked; 3 if an answer was wrong."""
    from visarith.data.task import Task
    from visarith.evaluation import percent
    from visarith.learners.builtin import ConstructedConfig
    from visarith.pictures.corruption import Corruption
    from visarith.runs.construction import check, keep, noisy

    Corruption(noise=options.noise)  # refuses what is no noise before anything is built
    whole("seed", options.seed, 0)
    if options.check is not None:
        whole("check", options.check, 1)
    task = Task(options.operation, notation=options.notation, digits=options.digits, base=options.base)
    config = ConstructedConfig(activation=options.gates, form=options.form)
    config.check(task.spec)
    _fits(task)
    with progress("building", None):
        network = config.network(task.spec)
    found = None
    if options.check is not None:
        with progress("checking", min(options.check, task.domain.candidates)) as step:
            found = check(network, task, options.check, seed=options.seed, step=step)
    with_noise = noisy(network, task, options.noise, seed=options.seed) if options.noise else None
    kept = keep(task, config, seed=options.seed, out=options.out) if options.out else None
    size, gates, digits = network.size, network.size.gates, task.notation.digits
    said = {
        "operation": task.operation.name,
        "notation": task.notation.name,
        "digits": digits,
        "base": options.base,
        "gate": network.gate,
        "form": network.form,
        "precision": network.precision,
        "layers": len(gates),
        "gates": list(gates),
        "units": list(size.units),
        "parameters": size.parameters,
        "largest_weight": network.largest_weight,
        "checked": found.checked if found else 0,
        "every_pair": bool(found and found.every_pair),
        "wrong": found.wrong if found else None,
        "seconds": round(found.seconds, 3) if found else None,
        "noise": options.noise,
        "noisy": asdict(with_noise) if with_noise else None,
        "run": str(kept.path) if kept else None,
    }
    layers = f"{len(gates)} hidden layer{'s' if len(gates) > 1 else ''}"
    lines = [
        f"{task.operation.name}, {digits} digits: by {network.form}, {layers}, {network.precision}",
        f"gates        {' + '.join(f'{count:,}' for count in gates)} = {sum(gates):,}, {GATES[network.gate]}",
        f"weights      {size.parameters:,} that are not 0, none larger than {network.largest_weight:,}",
    ]
    if found:
        which = "all there are" if found.every_pair else "random ones and every chain of carries"
        lines += [f"checked      {found.checked:,} pairs ({which}), {found.wrong:,} wrong, {found.seconds:.1f} s"]
    if with_noise:
        errors = f"{percent(with_noise.digit_error)} of digits wrong"
        lines += [f"noise {options.noise:<6} {errors} ({with_noise.pairs:,} pairs, read by templates)"]
    if kept:
        lines += [f"run          {kept.path}"]
    answer(options, said, *lines)
    return 3 if found and found.wrong else 0


def _fits(task: "Task") -> None:
    """Refuse a network that would take minutes to build, and say the largest number of digits that does not.

    A product has a gate for each pair of digits above 0 of each pair of places, in two layers.
    """
    notation = task.notation
    if task.operation.construction != "product" or notation.place_base is None:
        return
    pairs = 2 * (notation.place_base - 1) ** 2

    def gates(digits: int) -> int:
        return pairs * ((digits + 1) // 2) ** 2

    if gates(notation.digits) > MOST_GATES:
        most = max(digits for digits in range(1, notation.digits) if gates(digits) <= MOST_GATES)
        raise VisarithError(
            f"digits {notation.digits} are too many to {task.operation.name}: the network would have "
            f"{gates(notation.digits):,} gates; use {most} or less"
        )
