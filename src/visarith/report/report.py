"""The report: every table and figure, one HTML file with everything inlined, and the same in Markdown."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from visarith.errors import VisarithError
from visarith.report import construction, controls, exact, experiments, illegible, layers, network, perception
from visarith.report.ablations import ablated
from visarith.report.claims import claims
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.learnability import few_examples, few_examples_figure, learnable_operations
from visarith.report.parts import Figure, Table
from visarith.report.reliability import reliable
from visarith.report.rules import learned_rules
from visarith.report.table_1 import table_1
from visarith.runs.store import write_atomically
from visarith.studies.catalogue import CATALOGUE, QUICK_EPOCHS, QUICK_SIZE
from visarith.studies.results import Results

QUICK = (
    f"NOT THE PAPER'S SIZE: a quick run of {QUICK_SIZE:,} examples and {QUICK_EPOCHS} epochs, which shows that "
    f"everything works and nothing else. Run visarith reproduce without --quick for figures that mean something."
)
TABLES: tuple[Callable[[Evidence], Table | list[Table]], ...] = (  # one that has no results is left out
    table_1,
    claims,
    exact.beside_the_perceptron,
    exact.certificates,
    reliable,
    ablated,
    controls.mutants,
    controls.withheld,
    exact.other_lengths,
    exact.roman_attempts,
    perception.foreign_pictures,
    perception.disturbed_pictures,
    perception.unseen_typefaces,
    few_examples,
    construction.constructed,
    construction.smallest,
    construction.growth,
    construction.noise,
    layers.tables,
    illegible.table,
    learnable_operations,
    learned_rules,
    experiments.group_tables,
    experiments.positions,
    experiments.open_choices,
    lambda _: experiments.learners(),
)
FIGURES: dict[str, tuple[str, Callable[[Evidence], tuple[bytes, str]]]] = {  # by file name: title, and what draws it
    "fig1-examples": ("Fig. 1: examples of addition", network.examples_figure),
    "fig2-network": ("Fig. 2: the network", network.network_figure),
    "fig3-operations": ("Fig. 3: subtraction, multiplication and noisy addition", network.operations_figure),
    "fig4-weights": ("Fig. 4: weights at the bottom and at the top", network.weights_figure),
    "fig5-mixture": ("Fig. 5: an illegible digit", illegible.mixture_figure),
    "fig6-construction": ("Fig. 6: a network by construction", construction.gates_figure),
    "lengths": ("Lengths never seen", exact.lengths_figure),
    "perception": ("Pictures that were not trained on", perception.examples_figure),
    "growth": ("How constructions grow", construction.growth_figure),
    "few-examples": ("Few examples", few_examples_figure),
    "inside-units": ("What explains a unit", layers.units_figure),
    "inside-probes": ("What each layer tells", layers.probes_figure),
    "illegible": ("Illegible digits: proportion, switch or probability", illegible.blends_figure),
    "curves": ("Learning curves", experiments.curves_figure),
    "positions": ("Where the errors are", experiments.positions_figure),
}


@dataclass(frozen=True)
class Report:
    """Everything that the report says, before it becomes HTML or Markdown."""

    warning: str
    complaints: list[str]
    summary: str
    tables: list[Table]
    figures: list[Figure]


def report(results: Results, runs: Path | None = None) -> Report:
    """Read stored results and runs; nothing is trained. Without `runs`, figures show the pretrained runs."""
    evidence = Evidence(results, runs)
    if not evidence:
        why = f" of this code ({evidence.complaints[0]})" if evidence.complaints else ""
        raise VisarithError(f"{results.folder} has no results{why}; visarith reproduce makes them")
    words = [row[5] for row in claims(evidence).rows]
    counts = {word: words.count(word) for word in ("confirmed", "refined", "refuted", "open")}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    ended = [run for entry in CATALOGUE for run in evidence.summary(entry.name).runs]
    minutes = sum(run.core_seconds for run in ended) / 60
    summary = f"Of the paper's {len(words)} claims: {said}. {len(ended)} runs, {minutes:.0f} core minutes."
    warning = QUICK if results.quick else ""
    return Report(warning, evidence.complaints, summary, tables(evidence), figures(evidence))


def tables(evidence: Evidence) -> list[Table]:
    """Every table of which something is stored."""
    made: list[Table] = []
    for make in TABLES:
        try:
            table = make(evidence)
        except NoResultError:
            continue
        made += [table] if isinstance(table, Table) else table
    return made


def figures(evidence: Evidence) -> list[Figure]:
    """Every figure; one that lacks a result says what it needs."""
    made = []
    for name, (title, draw) in FIGURES.items():
        try:
            png, caption = draw(evidence)
        except NoResultError as error:
            made.append(Figure(name, title, "", None, f"needs {error.what}; {error.remedy} makes it"))
        else:
            made.append(Figure(name, title, caption, png))
    return made


def write(said: Report, folder: Path) -> list[Path]:
    """Write report.html, report.md and the figures; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = Environment(
        loader=PackageLoader("visarith.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["inline"] = _inline
    pictures = {figure.name: base64.b64encode(figure.png).decode() for figure in said.figures if figure.png}
    html = environment.get_template("report.html").render(r=said, png=pictures)
    files = {"report.html": html.encode(), "report.md": markdown(said).encode()}
    files |= {f"{figure.name}.png": figure.png for figure in said.figures if figure.png}
    for name, data in files.items():
        write_atomically(folder / name, partial(_write_bytes, data=data))
    return [folder / name for name in files]


def _write_bytes(file: Path, data: bytes) -> None:
    file.write_bytes(data)


def markdown(said: Report) -> str:
    """The report for reading where there is no browser."""
    parts = ["# visarith: the paper and ours", *([f"**{said.warning}**"] if said.warning else []), said.summary]
    parts += [f"- {complaint}" for complaint in said.complaints]
    for table in said.tables:
        parts += [f"## {table.title}", *([table.note] if table.note else []), table.markdown().rstrip()]
    parts.append("## Figures")
    for figure in said.figures:
        parts.append(f"### {figure.title}")
        parts += [f"![{figure.title}]({figure.name}.png)", figure.caption] if figure.png else [f"*{figure.missing}*"]
    return "\n\n".join(parts) + "\n"


def _inline(text: str) -> Markup:
    """Bold and code of the tables' Markdown, in HTML; a number and its % stay on one line, paths break at slashes."""
    safe = str(escape(text)).replace(" %", "&nbsp;%")
    for mark, tag in (("**", "b"), ("`", "code")):
        pieces = safe.split(mark)
        if len(pieces) % 2:
            safe = "".join(f"<{tag}>{piece}</{tag}>" if i % 2 else piece for i, piece in enumerate(pieces))
    return Markup(re.sub(r"(?<=\w)/(?=\w[^<]*</code>)", "/<wbr>", safe))
