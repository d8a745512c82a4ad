"""Write the tables of README.md and docs, the report in docs/report and that of the page, from what is in results.

    python scripts/documents.py    # or make docs

Figures show the pretrained runs, so that they are the same on every machine. A test compares what stands in these
files with what this would write.
"""

import re
from collections.abc import Callable
from pathlib import Path

from visarith.cli import commands
from visarith.report import exact, report
from visarith.report.claims import index
from visarith.report.evidence import Evidence
from visarith.report.insight import insight, summary
from visarith.report.learnability import learnable_operations
from visarith.report.table_1 import readme
from visarith.studies.results import Results
from visarith.web import results

ROOT = Path(__file__).parent.parent
RESULTS, REPORT, COMMANDS = ROOT / "results", ROOT / "docs" / "report", ROOT / "docs" / "commands.md"


def blocks() -> dict[tuple[str, str], str]:
    """What belongs between <!-- mark --> and <!-- end -->, by file and mark."""
    evidence = Evidence(Results(RESULTS))
    return {
        ("README.md", "results"): readme(evidence).markdown(),
        ("README.md", "columns"): exact.readme(evidence).markdown(),
        ("docs/paper.md", "claims"): index().markdown(),
        ("docs/insight.md", "inside"): summary(insight(evidence)).markdown(),
        ("docs/learnable.md", "learnable"): learnable_operations(evidence).markdown(),
    }


def _between(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found[1]}\n{text}\n{found[2]}"


def main() -> None:
    for (name, mark), text in blocks().items():
        file = ROOT / name
        old = file.read_text()
        new = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", _between(text), old, flags=re.S)
        if new != old:
            file.write_text(new)
            print(f"{name}: {mark}")
    COMMANDS.write_text(commands.text())
    written = report.report(Results(RESULTS))
    for file in [COMMANDS, *report.write(written, REPORT), results.write(written, Evidence(Results(RESULTS)))]:
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
