"""How the claims of Sec. 6 are decided: by networks that were built and tried."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from visarith.report.boards_evidence import NoBoardError, board
from visarith.report.evidence import Evidence
from visarith.report.verdict import Verdict, decided, refined


def gates(evidence: Evidence) -> Verdict:
    rows = board(evidence, "constructed")
    found = {
        gate: rows[f"addition, thresholds, {gate}"]
        for gate in ("relu", "sigmoid")
        if f"addition, thresholds, {gate}" in rows
    }
    if len(found) < 2:
        raise NoBoardError("the paper's construction")
    counts = found["sigmoid"]["gates"]
    wrong, tried = (sum(row[what] for row in found.values()) for what in ("wrong", "checked"))
    fewest = rows.get("addition, fewest, sigmoid")
    measured = f"{', '.join(map(str, counts))} gates for seven digits; {wrong} of {tried:,} answers wrong in any pixel"
    if counts != [140, 140, 70] or wrong:
        return Verdict(measured, "refuted", "The network as it is described does not add.")
    if fewest and not fewest["wrong"]:
        measured += f"; one layer of {sum(fewest['gates'])} gates does it too"
    return Verdict(measured, "confirmed", "Built as described it is exact; fewer gates would do.")


def two_kinds(evidence: Evidence) -> Verdict:
    rows = board(evidence, "constructed")
    by_gate: dict[str, list[Mapping[str, Any]]] = {"relu": [], "sigmoid": []}
    for row in rows.values():
        by_gate[row["gate"]].append(row)
    wrong = {gate: sum(row["wrong"] for row in each) for gate, each in by_gate.items()}
    tried = sum(row["checked"] for row in rows.values())
    measured = (
        f"{len(rows)} networks: {wrong['relu']} wrong with two ReLUs, {wrong['sigmoid']} with a sigmoid, of {tried:,}"
    )
    if any(wrong.values()):
        return Verdict(measured, "refuted", "One of the two is not accurate enough.")
    wide = sum(row["precision"] == "float64" for row in rows.values())
    why = f"True of numbers; in floats powers of ten multiply every error, so {wide} of the networks need float64."
    return refined(measured, why) if wide else Verdict(measured, "confirmed", "Either gate gives the same answers.")


def candidates(evidence: Evidence) -> Verdict:  # noqa: ARG001
    """Counted: every two digits and every sum to the right of them."""
    digits = np.arange(10)
    sums = digits[:, None] + digits
    reached = {(int(total), int(total + carry) % 10) for total in sums.ravel() for carry in (0, 1)}
    outside = [pair for pair in reached if pair[1] not in (pair[0] % 10, (pair[0] + 1) % 10)]
    most = max(
        (2 * (10**place - 1)) // 10**place for place in range(1, 8)
    )  # what can be carried out of the places below
    measured = f"of {sums.size} pairs of digits at most {most} is carried into them; {len(outside)} other answers"
    good = most == 1 and not outside
    return decided(measured, good, "Counted; the form `carries` draws just these two.", "More can be carried.")


def more_layers(evidence: Evidence) -> Verdict:
    rows = board(evidence, "constructed")
    forms = [form for form in ("thresholds", "fewest", "carries") if f"multiplication, {form}, sigmoid" in rows]
    said, more = [], []
    for form in forms:
        add, multiply = (rows[f"{what}, {form}, sigmoid"]["gates"] for what in ("addition", "multiplication"))
        said.append(f"{form}: {len(multiply)} layers and {sum(multiply):,} gates against {len(add)} and {sum(add):,}")
        more.append(len(multiply) > len(add) and sum(multiply) > sum(add))
    if not said:
        raise NoBoardError("constructed products")
    why = "In each form products take more layers (one more by thresholds) and more gates; fewer are not ruled out."
    return decided("; ".join(said), all(more), why, "In one form they do not.")


def orders(evidence: Evidence) -> Verdict:
    rows = list(board(evidence, "growth").values())
    said = []
    growth: dict[str, tuple[int, int, float]] = {}
    for operation in ("add", "multiply"):
        mine = [
            r
            for r in rows
            if (r["operation"], r["form"]) == (operation, "carries") and "gates" in r and r["digits"] >= 7
        ]
        if len(mine) < 3:
            raise NoBoardError("growth")
        mine.sort(key=lambda row: row["digits"])
        logs = np.log([[row["digits"], sum(row["gates"])] for row in mine])
        power = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
        growth[operation] = len(mine[0]["gates"]), len(mine[-1]["gates"]), power
        ends = f"{mine[0]['digits']} to {mine[-1]['digits']} digits"
        layers = f"{growth[operation][0]} to {growth[operation][1]} layers"
        said.append(f"{operation}, {ends}: {layers}, gates as n^{power:.1f}")
    measured = "; ".join(said) + " (small weights)"
    slower = growth["multiply"][1] - growth["multiply"][0] < 10 and growth["multiply"][2] < 3.5
    if slower:
        return refined(
            measured, "Those orders are enough but not needed: layers grow with the logarithm, gates of products as n²."
        )
    return Verdict(measured, "confirmed", "Layers and gates grow as fast as that.")
