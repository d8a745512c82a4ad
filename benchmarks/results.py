"""Make the results that the README shows, with the commands that a user would run.

python benchmarks/results.py            # train what is missing, about 3 minutes a run on two cores
python benchmarks/results.py --table    # what is stored, as the table in the README
"""

import json
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "results"
COMMANDS = {
    "add": ["train", "add"],
    "subtract": ["train", "subtract"],
}


def make(name: str) -> None:
    """Run one command and keep its last line, which is JSON."""
    command = [sys.executable, "-m", "visarith", *COMMANDS[name], "--tesseract", "2000", "--resume", "--json"]
    line = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(json.loads(line), indent=2) + "\n")


def table() -> str:
    """The stored results in Markdown."""
    lines = [
        "| operation | the paper | ours, by templates | ours, by Tesseract | numbers wrong | training digits |",
        "|---|---|---|---|---|---|",
    ]
    for name, command in COMMANDS.items():
        file = RESULTS / f"{name}.json"
        if not file.exists():
            continue
        result = json.loads(file.read_text())
        low, high = result["digit_interval"]
        paper = f"{100 * result['paper_digit_error']:g} %" if result["paper_digit_error"] is not None else "learned"
        cells = [
            f"`visarith {' '.join(command)}`",
            paper,
            f"**{100 * result['digit_error']:.2f} %** ({100 * low:.2f} to {100 * high:.2f})",
            f"{100 * result['tesseract']['digit_error']:.2f} %",
            f"{100 * result['number_error']:.2f} %",
            f"{100 * result['train_digit_error']:.2f} %",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print(table(), end="")
    else:
        for each in COMMANDS:
            make(each)
        print(table(), end="")
