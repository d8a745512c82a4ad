"""Controls of certificates: mutants that must be refused, and transitions withheld from training."""

from visarith.report.evidence import Evidence, NoResultError
from visarith.report.parts import Table
from visarith.studies.certificates import WITHHELD


def mutants(evidence: Evidence) -> Table:
    """Whether certificates refuse adders with a single fault."""
    kinds = {"bit": "one bit of 32", "high-bit": "one bit of sign and exponent", "amount": "0.001 to 1,000 added"}
    found = [row for row in evidence.rows("certificates") if "kind" in row]
    if not found:
        raise NoResultError("mutants", "visarith reproduce --only certificates")
    counts = ("mutants", "erring", "erring_refused", "erring_certified", "harmless_refused")
    rows = [[kinds[row["kind"]], *(f"{row[count]:,}" for count in counts)] for row in found]
    otherwise, seen = (sum(row[key] for row in found) for key in ("shown_otherwise", "shown"))
    head = ["what is changed", "mutants", "that err", "refused", "certified", "right, yet refused"]
    note = (
        "The pretrained adder with one number changed. It errs if any of the 1,000,000 pairs of up to three digits is "
        f"wrong, by a table of its columns; of {seen:,} pairs that were also shown as pictures, {otherwise:,} came out "
        "otherwise. No mutant that errs may be certified."
    )
    return Table("Mutants that a certificate must refuse", note, head, rows)


def withheld(evidence: Evidence) -> Table:
    """What is learned of columns that never occurred in training."""
    found = [row for row in evidence.rows("certificates") if "left_out" in row]
    if not found:
        raise NoResultError("withheld transitions", "visarith reproduce --only certificates")
    rows = [
        [
            str(row["seed"]),
            f"{row['examples']:,}",
            f"{row['usual_wrong']:,} of {row['usual_pairs']:,}",
            f"{row['wrong']:,} of {row['pairs']:,}",
            *(f"{wrong:,} of {pairs:,}" for wrong, pairs in row["each"]),
            "yes" if row["certified"] else "no",
        ]
        for row in sorted(found, key=lambda row: int(row["seed"]))
    ]
    note = (
        "Addition, trained without any example in which two digits meet, in either order, with a carry into them. "
        "Wrong numbers: of pairs without such a column, of pairs with one or more, and of pairs with one kind only."
    )
    cases = [f"{one} and {other}, carry {carry}" for one, other, carry in WITHHELD]
    head = ["seed", "examples", "without", "with", *cases, "certified exact"]
    return Table("Transitions withheld from training", note, head, rows)
