"""The report itself: one HTML file with everything inlined, and the same tables in Markdown."""

import base64
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from visarith.errors import VisarithError
from visarith.experiments.catalogue import CATALOGUE
from visarith.experiments.entry import QUICK_EPOCHS, QUICK_SIZE
from visarith.experiments.reproduce import run_folder
from visarith.experiments.results import Results
from visarith.report.boards import tables as board_tables
from visarith.report.boards_evidence import load as load_boards
from visarith.report.evidence import Evidence
from visarith.report.exact import beside_the_perceptron, certificates, other_lengths, roman_attempts
from visarith.report.few import few_examples
from visarith.report.few import load as load_few
from visarith.report.figure import Figure
from visarith.report.figures import figures
from visarith.report.insight import tables as insight_tables
from visarith.report.insight_evidence import insight
from visarith.report.learnable import learnable_operations
from visarith.report.learnable_verdict import load as load_learnable
from visarith.report.tables import Table, claims, group_tables, learners, positions, table_1
from visarith.runs.run import Run, load

QUICK = (
    f"NOT THE PAPER'S SIZE: a quick run of {QUICK_SIZE:,} examples and {QUICK_EPOCHS} epochs, which shows that "
    f"everything works and nothing else. Run visarith reproduce without --quick for figures that mean something."
)


@dataclass(frozen=True)
class Report:
    """Everything that is said, before it is said in HTML or Markdown."""

    warning: str
    complaints: list[str]
    summary: str
    tables: list[Table]
    figures: list[Figure]


def report(results: Results, runs: Path) -> Report:
    """Read the stored results and runs; nothing is trained here."""
    evidence = Evidence(results)
    judged = claims(evidence)
    counts = {word: sum(row[5] == word for row in judged.rows) for word in ("confirmed", "refined", "refuted", "open")}
    ended = sum(len(evidence.summary(entry.name).runs) for entry in CATALOGUE)
    cores = sum(run.core_seconds for entry in CATALOGUE for run in evidence.summary(entry.name).runs)
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    summary = f"Of the paper's {len(judged.rows)} claims: {said}. {ended} runs, {cores / 60:.0f} core minutes."
    tables = [
        table_1(evidence),
        judged,
        beside_the_perceptron(evidence),
        certificates(evidence),
        other_lengths(evidence),
        roman_attempts(evidence),
    ]
    few = load_few(results.folder)
    inside, boards = insight(evidence), load_boards(results.folder)
    asked = load_learnable(results.folder)
    tables += [
        *([few_examples(few)] if few else []),
        *board_tables(boards),
        *insight_tables(inside),
        *([learnable_operations(asked)] if asked else []),
        *group_tables(evidence),
        positions(evidence),
        learners(),
    ]
    drawn = figures(evidence.stored, _loader(results, runs), few, inside, boards)
    return Report(QUICK if results.quick else "", [*evidence.complaints, *inside.complaints], summary, tables, drawn)


def _loader(results: Results, runs: Path) -> Callable[[str], Run | None]:
    by_name = {entry.name: entry for entry in CATALOGUE}

    def stored(name: str) -> Run | None:
        entry = by_name[name]
        for result in results.seeds(entry):
            if result.failed is None:
                try:
                    return load(run_folder(runs, entry, result.seed, quick=results.quick))
                except VisarithError:
                    continue  # the result is committed, the run's weights are not here
        return None

    return stored


def write(said: Report, folder: Path) -> list[Path]:
    """Write report.html, report.md and the figures; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = Environment(
        loader=PackageLoader("visarith.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["inline"] = _inline
    pictures = {figure.name: base64.b64encode(figure.png).decode() for figure in said.figures if figure.png}
    written = [_write(folder / "report.html", environment.get_template("report.html").render(r=said, png=pictures))]
    written.append(_write(folder / "report.md", markdown(said)))
    for figure in said.figures:
        if figure.png:
            written.append(_write(folder / f"{figure.name}.png", figure.png))
    return written


def markdown(said: Report) -> str:
    """The report for reading where there is no browser."""
    parts = ["# visarith: the paper and ours", *([f"**{said.warning}**"] if said.warning else []), said.summary]
    parts += [f"- {complaint}" for complaint in said.complaints]
    for table in said.tables:
        parts += [f"## {table.title}", *([table.note] if table.note else []), table.markdown().rstrip()]
    parts.append("## Figures")
    for figure in said.figures:
        shown = f"![{figure.title}]({figure.name}.png)" if figure.png else f"*{figure.missing}*"
        parts += [f"### {figure.title}", shown, figure.caption]
    return "\n\n".join(parts) + "\n"


def _inline(text: str) -> Markup:
    """Bold and code of the tables' Markdown, in HTML; a number and its % stay on one line, paths break at slashes."""
    safe = str(escape(text)).replace(" %", "&nbsp;%")
    for mark, tag in (("**", "b"), ("`", "code")):
        pieces = safe.split(mark)
        if len(pieces) % 2:
            safe = "".join(f"<{tag}>{piece}</{tag}>" if i % 2 else piece for i, piece in enumerate(pieces))
    return Markup(re.sub(r"(?<=\w)/(?=\w[^<]*</code>)", "/<wbr>", safe))


def _write(file: Path, data: str | bytes) -> Path:
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_bytes(data.encode() if isinstance(data, str) else data)
    draft.replace(file)
    return file
