"""`visarith certify`: try all that a run can do, and say for which lengths it is exact."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from visarith.cli.progress import progress
from visarith.cli.terminal import add_run, answer

HELP = "try all that a run can do, and say at which lengths it is exact"
PERCENT = 100
add_options = add_run


def run(options: argparse.Namespace) -> int:
    """Print the certificate; 3 if there is none."""
    from visarith.learners import certificate
    from visarith.runs.run import load

    tried = load(options.run)
    found = certificate.certify(tried.learner, tried.task, _watch)
    if found.certified:
        every = "at every length" if found.every_length else f"up to {found.exact_up_to_digits} digits"
        if found.operands_up_to is not None:
            every += f" for operands in 0..{found.operands_up_to:,}"
        lines = [
            f"exact {every}: {found.why}",
            f"domain       {found.domain}",
            f"rule         {found.rule}",
            f"tried        {found.enumerated:,} cases, none wrong; {found.pictures:,} shown as whole pictures",
            f"margin       {found.smallest_margin:.3f} at least (1: exactly a glyph, 0: half way to another)",
            f"control      {'fails, as it must' if found.control_failed else 'PASSES: do not believe this'}",
        ]
    else:
        tries = [f"tried        {found.enumerated:,}, {found.wrong:,} of them wrong"] if found.enumerated else []
        lines = [f"no certificate: {found.why}", *tries]
    answer(options, {"run": str(tried.path)} | asdict(found), *lines)
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
