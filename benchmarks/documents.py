"""Write the tables of README.md and docs, the report in docs/report and that of the page, from what is in results.

    python benchmarks/documents.py    # or make docs

A test compares what stands in these files with what this would write. A figure that needs a run which is not here
stays as it was written last.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import open_choices
from visarith.experiments.results import Results
from visarith.report import exact, page
from visarith.report.evidence import Evidence
from visarith.report.figure import Figure
from visarith.report.insight_evidence import insight
from visarith.report.insight_summary import summary
from visarith.report.learnable import learnable_operations
from visarith.report.learnable_verdict import load
from visarith.report.tables import claims, readme, table_1
from visarith.web import results

ROOT = Path(__file__).parent.parent
RESULTS, RUNS, REPORT = ROOT / "results", ROOT / "runs" / "reproduce", ROOT / "docs" / "report"


def blocks() -> dict[tuple[str, str], str]:
    """What belongs between <!-- mark --> and <!-- end -->, by file and mark."""
    evidence = Evidence(Results(RESULTS))
    return {
        ("README.md", "results"): readme(evidence).markdown(),
        ("README.md", "columns"): exact.readme(evidence).markdown(),
        ("docs/paper.md", "table 1"): table_1(evidence).markdown(),
        ("docs/paper.md", "claims"): claims(evidence).markdown(),
        ("docs/paper.md", "open choices"): open_choices.table(),
        ("docs/insight.md", "inside"): summary(insight(evidence)).markdown(),
        ("docs/learnable.md", "learnable"): learnable_operations(load(RESULTS)).markdown(),
    }


def kept(figure: Figure) -> Figure:
    """The figure or, where its run is not here, the picture and the caption that stand in the report already."""
    file = REPORT / f"{figure.name}.png"
    old = (REPORT / "report.md").read_text() if (REPORT / "report.md").exists() else ""
    caption = re.search(rf"\]\({re.escape(file.name)}\)\n\n(.*?)\n(?:\n|$)", old)
    if not figure.missing or not file.exists() or caption is None:
        return figure
    return replace(figure, png=file.read_bytes(), caption=caption[1])


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
    said = page.report(Results(RESULTS), RUNS)
    said = replace(said, figures=[kept(figure) for figure in said.figures])
    for file in [*page.write(said, REPORT), results.write(said, Evidence(Results(RESULTS)))]:
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
