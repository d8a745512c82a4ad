"""`visarith loop`: feed what a run draws back to it, and count the steps until the first error."""

import argparse
from dataclasses import asdict

from visarith.cli.progress import progress
from visarith.cli.terminal import add_run, add_seed, answer

HELP = "feed what a run draws back to it, and count the steps until the first error"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The run, the sequence and its length."""
    from visarith.operations import OPERATIONS
    from visarith.operations.expression import REPEAT

    sequences = *(each.name for operation in OPERATIONS.values() for each in operation.sequences), REPEAT
    add_run(parser)
    parser.add_argument("--steps", type=int, help="at most so many steps (default 1000; 100 for products)")
    first = "numbers that are drawn (default: the first sequence of the run's operation)"
    parser.add_argument("--sequence", choices=sequences, default="", help=first)
    add_seed(parser, "the numbers that are added or subtracted")


def run(options: argparse.Namespace) -> int:
    """Print how many steps went well."""
    from visarith.runs.loop import loop, planned_steps
    from visarith.runs.run import load

    looped = load(options.run)
    steps = planned_steps(looped, options.steps, options.sequence)
    with progress("steps", steps) as step:
        found = loop(looped, steps=steps, sequence=options.sequence, seed=options.seed, step=step)
    if found.first_error is not None:
        line = f"first error at step {found.first_error:,}"
    else:
        room = "; the next number has no room" if found.no_room else ""
        line = f"{found.steps:,} steps without an error{room} (confidence {found.confidence:.2f} at least)"
    about = f"{found.sequence}, pictures of {found.digits} digits"
    return answer(options, {"run": str(looped.path)} | asdict(found), about, line)
