"""The tables and figures of the report that the page shows. A row links to its network if that is pretrained.

`make docs` writes them into the package (`static/results.json`), because an installed page has no repository.
"""

import base64
import json
from pathlib import Path

from visarith.report import exact, table_1
from visarith.report.claims import claims
from visarith.report.evidence import Evidence
from visarith.report.parts import Table
from visarith.report.report import Report
from visarith.studies.catalogue import CATALOGUE
from visarith.studies.experiments import identity
from visarith.web import STATIC
from visarith.web.networks import Networks
from visarith.web.pictures import Json

FILE = STATIC / "results.json"
README = ("add", "subtract", "multiply", "roman", "noise")  # the catalogue entry of each row of the README's table


def _results(report: Report, evidence: Evidence) -> Json:
    """Return all tables and figures of a report as JSON."""
    tried = _trials(Networks())
    measured = [name for name in exact.BESIDE if evidence.summary(name).runs]
    first = [
        _table(table_1.readme(evidence), list(README), tried, "The paper and ours"),
        _table(exact.readme(evidence), measured, tried, "What the paper could not learn"),
        _table(claims(evidence), [], tried),
    ]
    return {
        "summary": report.summary,
        "tables": first + [_table(table, [], tried) for table in report.tables],
        "figures": [
            {
                "title": figure.title,
                "caption": figure.caption,
                "picture": f"data:image/svg+xml;base64,{base64.b64encode(figure.sheet.svg()).decode()}",
            }
            for figure in report.figures
            if figure.sheet
        ],
    }


def write(report: Report, evidence: Evidence) -> Path:
    """Write the tables and figures of a report into the package, and return the file."""
    FILE.write_text(json.dumps(_results(report, evidence), ensure_ascii=False, indent=1) + "\n")
    return FILE


def _trials(networks: Networks) -> dict[str, Json]:
    """Map each catalogue entry with a pretrained run of the same experiment to the page's operation and learner."""
    found: dict[str, Json] = {}
    for network in networks.all():
        if network.run is None:
            continue
        for entry in CATALOGUE:
            if identity(network.run.experiment) == identity(entry.experiment(network.run.experiment.seed)):
                found.setdefault(entry.name, {"op": network.op, "learner": network.learner})
    return found


def _table(table: Table, entries: list[str], tried: dict[str, Json], title: str = "") -> Json:
    rows: list[Json] = []
    for number, row in enumerate(table.rows):
        name = entries[number] if number < len(entries) else row[0].strip("`")
        line: Json = {"cells": list(row)}
        shipped = tried.get(name) or (tried.get(f"{name}-better") if entries else None)
        if shipped:
            line["try"] = shipped
        rows.append(line)
    return {"title": title or table.title, "note": table.note, "head": list(table.head), "rows": rows}
