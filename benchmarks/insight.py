"""What trained perceptrons hold inside, and what they draw for illegible digits: from the runs of visarith reproduce.

    python benchmarks/insight.py          # about ten minutes on one core; what is stored is skipped
    python benchmarks/insight.py again    # measure everything once more

Each run's figures are kept in results/insight.json as soon as they are there; the report shows them. It needs the runs
of add, subtract, multiply, noise and noise-better in runs/reproduce, and names those that are missing.
"""

import json
import sys
from pathlib import Path

import torch

from visarith.errors import VisarithError
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.reproduce import run_folder
from visarith.insight.measure import measure
from visarith.runs.run import load

ROOT = Path(__file__).parent.parent
RESULTS, RUNS = ROOT / "results" / "insight.json", ROOT / "runs" / "reproduce"
WANTED = {"add": (0, 1, 2), "subtract": (0, 1, 2), "multiply": (0, 1, 2), "noise": (0, 1, 2), "noise-better": (0,)}


def stored() -> dict[str, dict[str, object]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(name: str, found: dict[str, object]) -> None:
    """One run a line: the file is read by programs, and compared line by line."""
    rows = stored() | {name: found}
    lines = [f"{json.dumps(each)}: {json.dumps(rows[each], allow_nan=False)}" for each in sorted(rows)]
    draft = RESULTS.with_suffix(".draft")
    draft.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    draft.replace(RESULTS)


def main() -> None:
    torch.set_num_threads(1)
    for entry, seeds in WANTED.items():
        for seed in seeds:
            folder = run_folder(RUNS, ENTRIES[entry], seed, quick=False)
            if folder.name in stored() and "again" not in sys.argv:
                continue
            try:
                run = load(folder)
            except VisarithError as error:
                print(f"{entry}, seed {seed}: {error}; visarith reproduce --only {entry} makes it", flush=True)
                continue
            keep(folder.name, {"entry": entry, "seed": seed, **measure(run)})
            print(f"{entry}, seed {seed}: measured", flush=True)


if __name__ == "__main__":
    main()
