"""`visarith certify`: try all that a run can do, and say for which lengths it is exact."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from visarith.cli.progress import progress
from visarith.cli.values import add_run

HELP = "try all that a run can do, and say at which lengths it is exact"
PERCENT = 100


def add_options(parser: argparse.ArgumentParser) -> None:
    """The run."""
    add_run(parser)


def run(options: argparse.Namespace) -> int:
    """Print the certificate; 3 if there is none."""
    from visarith.learners import certificate
    from visarith.runs.run import load

    tried = load(options.run)
    found = certificate.certify(tried.learner, tried.task, _watch)
    if options.json:
        print(json.dumps({"run": str(tried.path)} | asdict(found)))
    elif not found.certified:
        print(f"no certificate: {found.why}")
        if found.enumerated:
            print(f"tried        {found.enumerated:,}, {found.wrong:,} of them wrong")
    else:
        every = "at every length" if found.every_length else f"up to {found.exact_up_to_digits} digits"
        if found.operands_up_to is not None:
            every += f" for operands in 0..{found.operands_up_to:,}"
        print(f"exact {every}: {found.why}")
        print(f"tried        {found.enumerated:,}, none wrong")
        print(f"margin       {found.smallest_margin:.3f} at least (1: exactly a glyph, 0: half way to another)")
        print(f"control      {'fails, as it must' if found.control_failed else 'PASSES: do not believe this'}")
    return 0 if found.certified and found.control_failed else 3


@contextmanager
def _watch(what: str) -> Iterator[Callable[[float], None]]:
    """Progress in percent."""
    shown = 0

    def step(done: float) -> None:
        nonlocal shown
        if int(PERCENT * done) > shown:
            advance(int(PERCENT * done) - shown)
            shown = int(PERCENT * done)

    with progress(what, PERCENT) as advance:
        yield step
