"""`visarith runs`: list the runs below a folder with their scores, from their JSON files alone."""

import argparse
from pathlib import Path
from typing import Any

from visarith.cli.terminal import answer
from visarith.errors import VisarithError

HELP = "list the runs and their scores"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The folder."""
    where = "where runs are (default runs)"
    parser.add_argument("folder", type=Path, nargs="?", default=Path("runs"), metavar="FOLDER", help=where)


def run(options: argparse.Namespace) -> int:
    """Print a line a run."""
    from visarith.runs.folder import EXPERIMENT

    if not options.folder.is_dir():
        raise VisarithError(f"{options.folder} is no folder; make run trains a first run into runs")
    rows = [_row(path.parent) for path in sorted(options.folder.rglob(EXPERIMENT))]
    lines = _table(rows) if rows else [f"no runs in {options.folder} yet; make run trains the first"]
    return answer(options, {"runs": rows}, *lines)


def _row(path: Path) -> dict[str, Any]:
    """One run of the list; a damaged one is listed as such and does not hide the others."""
    from visarith.runs.paper import paper_digit_error
    from visarith.runs.store import Store

    store = Store(path)
    try:
        data = store.experiment()
        own = data["pictures"]["name"] if "pictures" in data else None
        what = {"pictures": own} if own else {"operation": data["operation"]["name"], "medium": data["medium"]}
        if not own and "expression" in data["operation"]:
            what["expression"] = data["operation"]["expression"]
        row = {"run": str(path), **what, "recipe": data["recipe"]["name"], "seed": data["seed"]}
        if store.finished:
            store.check()
            found = store.score()
            read = found["score"] or found["tesseract"]
            return row | {
                "state": "finished",
                "digit_error": float(read["digit_error"]) if read else None,
                "number_error": float(read["number_error"]) if read else None,
                "picture_error": (found.get("picture_error") or {}).get("error"),
                "paper_digit_error": paper_digit_error(data),
            }
        doing = "in training," if store.locked else "stopped after"
        return row | {"state": f"{doing} epoch {store.epochs_kept} of {data['recipe']['epochs']}"}
    except (VisarithError, KeyError, TypeError, ValueError, AttributeError) as error:
        return {"run": str(path), "state": f"damaged: {error}"}


def _table(rows: list[dict[str, Any]]) -> list[str]:
    from visarith.evaluation import percent

    wide = max(len(row["run"]) for row in rows)
    lines = [f"{'run':{wide}}  {'digit error':>11}  {'numbers':>8}  {'paper':>6}"]
    for row in rows:
        if row["state"] != "finished":
            found = row["state"]
        elif row["digit_error"] is None:
            found = f"picture error {row['picture_error']:.4f}"
        else:
            paper = f"{100 * row['paper_digit_error']:g} %" if row["paper_digit_error"] is not None else "-"
            found = f"{percent(row['digit_error']):>11}  {percent(row['number_error']):>8}  {paper:>6}"
        rule = f"  {row['expression']}" if "expression" in row else ""
        lines.append(f"{row['run']:{wide}}  {found}{rule}")
    return lines
