"""The verbs that ask how exact a run is: the certificate and the closed loop."""

import argparse
import json
from dataclasses import asdict

from visarith.learners import certificate
from visarith.runs.loop import loop as follow
from visarith.runs.run import load


def certify(options: argparse.Namespace) -> int:
    """Try all that a run can do, and say for which lengths it is exact; 0 if there is a certificate, else 1."""
    run = load(options.run)
    found = certificate.certify(run.learner, run.task)
    if options.json:
        print(json.dumps({"run": str(run.path)} | asdict(found)))
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
    return 0 if found.certified and found.control_failed else 1


def loop(options: argparse.Namespace) -> int:
    """Feed drawings back and count."""
    run = load(options.run)
    found = follow(run, steps=options.steps, sequence=options.sequence, seed=options.seed)
    if options.json:
        print(json.dumps({"run": str(run.path)} | asdict(found)))
        return 0
    print(f"{found.sequence}, pictures of {found.digits} digits")
    if found.first_error is None:
        room = "; the next number has no room" if found.no_room else ""
        print(f"{found.steps:,} steps without an error{room} (confidence {found.confidence:.2f} at least)")
    else:
        print(f"first error at step {found.first_error:,}")
    return 0
