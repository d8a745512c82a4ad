"""How the printed recipe was read: every reading that was tried on the six learnable cells."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, Row
from visarith.report.parts import NOTHING, Table, Topic
from visarith.studies.readings import LEARNABLE, READINGS, job, standing


def readings(evidence: Evidence) -> Table:
    """A line a reading, the best first; those that were not tried on all cells come last."""
    stored = {row["name"]: row for row in evidence.rows("readings")}
    ranked, papers = [], {row["cell"]: row["paper"] for row in stored.values()}
    for name, reading in READINGS.items():
        found = {cell: stored.get(job(reading, cell, quick=evidence.quick).name) for cell in LEARNABLE}
        errors = {cell: (row["digit_error"], row["paper"]) for cell, row in found.items() if row}
        if errors:
            reached, log = standing(errors)
            whole = len(errors) == len(LEARNABLE)
            end = [f"{reached} of {len(errors)}", f"{log:+.2f}".replace("-", "−")]
            ranked.append(((not whole, -reached, log), [name, *map(_cell, found.values()), *end]))
    paper = ["the paper", *(percent(papers[cell]) if cell in papers else NOTHING for cell in LEARNABLE)]
    note = (
        "Wrong digits by templates, with one seed that is not reported. The better reading has more of the six cells "
        "at or below the paper; of equal ones that with the smaller mean logarithm of ours over the paper's. In "
        "brackets: runs that had learned nothing after ten epochs and were stopped. A name says how hidden and output "
        "weights start (ordinary: variance 1/inputs for both), mean if the first answer is the mean picture and not "
        "grey, the scale of the loss as a multiple of the mean over an answer's outputs (40 if none), bit if ink has "
        "one bit, and what else differs."
    )
    head = ["reading", *LEARNABLE, "at or below the paper", "mean logarithm"]
    rows = [[*paper, NOTHING, NOTHING], *(line for _, line in sorted(ranked, key=lambda each: each[0]))]
    return Table("Readings of the recipe", note, head, rows)


def _cell(row: Row | None) -> str:
    if row is None:
        return NOTHING
    said = percent(row["digit_error"])
    return f"({said})" if row["stopped"] else said


TOPIC = Topic(
    "How the recipe was read",
    "The paper prints SGD with rate 0.1, momentum 0.9, batches of 256, 50 epochs, squared error and sigmoid outputs. "
    "It does not say how weights start, how the loss is scaled, whether inputs are centred, which ink there is, "
    "whether biases have their own rate or weights decay, nor whether noise is drawn once. One reading serves all "
    "nine cells.",
    tables=(readings,),
)
