"""The report: an abstract, what was done, and topic by topic claims, figures and tables; as HTML and as Markdown."""

import base64
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from visarith.errors import VisarithError
from visarith.files import write_atomically
from visarith.report.abstract import abstract, verdicts
from visarith.report.claims import TOPICS
from visarith.report.evidence import Evidence
from visarith.report.parts import Claim, Figure, Table, Topic, Verdict, made
from visarith.studies.catalogue import QUICK_EPOCHS, QUICK_SIZE, SIZE, TESSERACT, TEST_PAIRS
from visarith.studies.results import Results

QUICK = (
    f"NOT THE PAPER'S SIZE: a quick run of {QUICK_SIZE:,} examples and {QUICK_EPOCHS} epochs, which shows that "
    f"everything works and nothing else. Run visarith reproduce without --quick for figures that mean something."
)
DONE = (
    f"Each task has {SIZE:,} training and {TEST_PAIRS:,} test pairs, drawn uniformly and distinct; where order does "
    "not matter, no test pair is a training pair in the other order. Pictures have 15 x 60 pixels. Templates, which "
    "take each cell for its nearest glyph or call it unreadable, read every answer; Tesseract, the paper's judge, "
    f"reads {TESSERACT:,}. An unreadable digit is wrong. Intervals are 95 %: of the mean over seeds by Student's t, "
    "of a single run by Wilson's formula over its pairs, and each says which. Of 0 wrong the upper bound is given, "
    "over the pairs of all seeds. Every verdict follows a rule that stands beside it with its date.",
    "*Confirmed*: true as it stands. *Refined*: true with a condition that the paper does not state, or in part. "
    "*Refuted*: not true in our runs. *Open*: our runs do not decide it.",
)


@dataclass(frozen=True)
class Section:
    """A topic with what results make of it."""

    topic: Topic
    claims: list[tuple[Claim, Verdict]]
    figures: list[Figure]
    tables: list[Table]
    appendix: list[Table]

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return re.sub(r"[^a-z]+", "-", self.topic.title.lower()).strip("-")


@dataclass(frozen=True)
class Report:
    """Everything that the report says, before it becomes HTML or Markdown."""

    warning: str
    complaints: list[str]
    summary: str
    abstract: list[str]
    sections: list[Section]

    @property
    def figures(self) -> list[Figure]:
        return [figure for section in self.sections for figure in section.figures]

    @property
    def tables(self) -> list[Table]:
        return [table for section in self.sections for table in (*section.tables, *section.appendix)]


def report(results: Results, runs: Path | None = None) -> Report:
    """Read stored results and runs; nothing is trained. Without `runs`, figures show the pretrained runs."""
    evidence = Evidence(results, runs)
    if not evidence:
        why = f" of this code ({evidence.complaints[0]})" if evidence.complaints else ""
        raise VisarithError(f"{results.folder} has no results{why}; visarith reproduce makes them")
    warning = QUICK if results.quick else ""
    return Report(warning, evidence.complaints, verdicts(evidence), abstract(evidence), sections(evidence))


def sections(evidence: Evidence) -> list[Section]:
    """Every topic; tables without results are left out, and figures say what they need."""
    return [
        Section(
            topic,
            [(claim, claim.verdict(evidence)) for claim in topic.claims],
            [plate.drawn(evidence) for plate in topic.plates],
            made(topic.tables, evidence),
            made(topic.appendix, evidence),
        )
        for topic in TOPICS
    ]


def write(said: Report, folder: Path, *, pdf: bool = False) -> list[Path]:
    """Write report.html, report.md and the figures, as SVG and if asked as PDF; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = Environment(
        loader=PackageLoader("visarith.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["inline"] = _inline
    drawn = {figure.name: figure.sheet for figure in said.figures if figure.sheet}
    vectors = {name: sheet.svg() for name, sheet in drawn.items()}
    shown = {name: base64.b64encode(svg).decode() for name, svg in vectors.items()}
    html = environment.get_template("report.html").render(r=said, svg=shown, done=DONE)
    files = {"report.html": html.encode(), "report.md": markdown(said).encode()}
    files |= {f"{name}.svg": svg for name, svg in vectors.items()}
    files |= {f"{name}.pdf": sheet.pdf() for name, sheet in drawn.items() if pdf}
    for name, data in files.items():
        write_atomically(folder / name, partial(_write_bytes, data=data))
    return [folder / name for name in files]


def _write_bytes(file: Path, data: bytes) -> None:
    file.write_bytes(data)


def markdown(said: Report) -> str:
    """The report for reading where there is no browser."""
    parts = ["# Visual Learning of Arithmetic Operations: the paper and ours"]
    parts += [f"**{said.warning}**"] if said.warning else []
    parts += [f"- {complaint}" for complaint in said.complaints]
    parts += ["\n".join(f"- {line}" for line in said.abstract), "## What was done", *DONE]
    for section in said.sections:
        parts += [f"## {section.topic.title}", section.topic.text]
        for claim, verdict in section.claims:
            parts.append(
                f"**{claim.number}. {claim.titled}**: *{verdict.word}*. {verdict.why} Measured: {verdict.measured}. "
                f"Rule ({claim.dated}): {claim.rule} Sec. {claim.section}; `{claim.where}`."
            )
        figures = [line for figure in section.figures for line in _figure(figure)]
        tables = [line for table in section.tables for line in [f"### {table.title}", *_table(table)]]
        parts += [*figures, *tables] if section.claims else [*tables, *figures]
    parts.append("## Appendix")
    for table in (table for section in said.sections for table in section.appendix):
        parts += [f"<details><summary>{escape(table.title)}</summary>", *_table(table), "</details>"]
    return "\n\n".join(parts) + "\n"


def _figure(figure: Figure) -> list[str]:
    if not figure.sheet:
        return [f"*{figure.title}: {figure.missing}*"]
    return [f"![{figure.title}]({figure.name}.svg)", f"{figure.title}. {figure.caption}"]


def _table(table: Table) -> list[str]:
    return [*([table.note] if table.note else []), table.markdown().rstrip()]


def _inline(text: str) -> Markup:
    """Bold, italics and code of Markdown, in HTML; a number and its % stay on one line, paths break at slashes."""
    safe = str(escape(text)).replace(" %", "&nbsp;%")
    for mark, tag in (("**", "b"), ("`", "code"), ("*", "i")):
        pieces = safe.split(mark)
        if len(pieces) % 2:
            safe = "".join(f"<{tag}>{piece}</{tag}>" if i % 2 else piece for i, piece in enumerate(pieces))
    return Markup(re.sub(r"(?<=\w)/(?=\w[^<]*</code>)", "/<wbr>", safe))
