"""The last report as the page shows it: tables, the rows of which may be tried, and figures.

It is written by `make docs` into the package (`static/results.json`), so that an installed page has it without the
repository, and the page without a server has it too.
"""

import base64
import json
from pathlib import Path

from visarith.experiments.catalogue import CATALOGUE
from visarith.experiments.results import identity
from visarith.report import exact, tables
from visarith.report.evidence import Evidence
from visarith.report.page import Report
from visarith.web.encoding import Json
from visarith.web.networks import Networks

FILE = Path(__file__).parent / "static" / "results.json"
README = ("add", "subtract", "multiply", "roman", "noise")  # the entries behind the README's rows


def results(said: Report, evidence: Evidence) -> Json:
    """All tables and figures of a report."""
    tried = trials(Networks())
    measured = [name for name in exact.BESIDE if evidence.summary(name).runs]
    first = [
        _table(tables.readme(evidence), list(README), tried, "The paper and ours"),
        _table(exact.readme(evidence), measured, tried, "What the paper could not learn"),
    ]
    return {
        "summary": said.summary,
        "tables": first + [_table(table, [], tried) for table in said.tables],
        "figures": [
            {
                "title": figure.title,
                "caption": figure.caption,
                "png": f"data:image/png;base64,{base64.b64encode(figure.png).decode()}",
            }
            for figure in said.figures
            if figure.png
        ],
    }


def write(said: Report, evidence: Evidence) -> Path:
    """Write them into the package."""
    FILE.write_text(json.dumps(results(said, evidence), ensure_ascii=False, indent=1) + "\n")
    return FILE


def trials(networks: Networks) -> dict[str, Json]:
    """For each entry of the catalogue whose very network is shipped, by seed 0: how the page asks it."""
    found: dict[str, Json] = {}
    for network in networks.all():
        if network.run is None:
            continue
        for entry in CATALOGUE:
            if identity(network.run.experiment) == identity(entry.experiment(network.run.experiment.seed)):
                found.setdefault(entry.name, {"op": network.op, "learner": network.learner})
    return found


def _table(table: tables.Table, entries: list[str], tried: dict[str, Json], title: str = "") -> Json:
    rows: list[Json] = []
    for number, row in enumerate(table.rows):
        name = entries[number] if number < len(entries) else row[0].strip("`")
        line: Json = {"cells": list(row)}
        shipped = tried.get(name) or (tried.get(f"{name}-better") if entries else None)
        if shipped:
            line["try"] = shipped
        rows.append(line)
    return {"title": title or table.title, "note": table.note, "head": list(table.head), "rows": rows}
