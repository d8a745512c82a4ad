"""The paper's nine cells, Table 1 and noisy addition, with ours beside them; and the short table of the README."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, NoResultError, Summary
from visarith.report.examples import operations_figure
from visarith.report.experiments import curves_figure, seen
from visarith.report.network import network_figure
from visarith.report.parts import NOTHING, Plate, Table, Topic, our_error, paper_error
from visarith.studies.catalogue import QUICK_TESSERACT, QUICK_TEST_PAIRS, TESSERACT, TEST_PAIRS

OPERATIONS = {"add": "Addition", "subtract": "Subtraction", "multiply": "Multiplication", "roman": "Roman addition"}
EASY = ("add", "subtract")  # the paper's recipe learns them well, and no better one is measured


def nine_cells(evidence: Evidence) -> Table:
    """The paper's Table 1 and its noisy addition, with ours beside them."""
    cells = [
        (f"{name}{suffix}", operation, medium)
        for name, operation in OPERATIONS.items()
        for medium, suffix in (("pictures", ""), ("one-hot", "-one-hot"))
    ]
    rows = []
    for entry, operation, medium in [*cells, ("noise", "Noisy addition", "pictures")]:
        found = evidence.summary(entry)
        ours = [str(found.entry.task.hidden_layers), paper_error(found), our_error(found), _tesseract(found)]
        rows.append([operation, medium, *ours, _better(evidence, entry)])
    pairs, read = (QUICK_TEST_PAIRS, QUICK_TESSERACT) if evidence.quick else (TEST_PAIRS, TESSERACT)
    note = (
        "Share of wrong digits, for Roman numerals of all 35 cells, with the 95 % interval of the mean over seeds, or "
        f"of the one run over its pairs. Templates read {pairs:,} answers, Tesseract the first {read:,} of them."
    )
    head = ["operation", "medium", "layers", "the paper", "ours, printed recipe", "by Tesseract", "ours, better recipe"]
    return Table("The nine cells", note, head, rows)


def _better(evidence: Evidence, entry: str) -> str:
    try:
        found = evidence[f"{entry}-better"]
    except (NoResultError, KeyError):
        return NOTHING
    experiment = found.entry.experiment(0, quick=evidence.quick)
    return f"{found.digits}, {experiment.recipe_name}, {experiment.recipe.epochs} epochs"


def readme(evidence: Evidence) -> Table:
    """The short table of the README."""
    rows = []
    for name in ("add", "subtract", "multiply", "roman", "noise"):
        found, better = evidence.summary(name), evidence.summary(f"{name}-better") if name not in EASY else None
        wrong = percent(found.numbers.mean) if found.runs else NOTHING
        best = str(better.digits) if better and better.runs else NOTHING
        rows.append([found.entry.title, paper_error(found), our_error(found), _tesseract(found), wrong, best])
    head = ["operation", "the paper", "ours, by templates", "ours, by Tesseract", "numbers wrong", "a better recipe"]
    return Table("Results", "", head, rows)


def _tesseract(found: Summary) -> str:
    return percent(found.tesseract.mean) if found.runs and found.tesseract else NOTHING


TOPIC = Topic(
    "The nine cells",
    "Every cell of the paper's Table 1 and its noisy addition: with the recipe that the paper prints, in one reading "
    "(noisy addition with one-bit ink), and with a better recipe where that fails. A better recipe has the same "
    "network and the same examples; where it learns what the printed one does not, the network was not the obstacle.",
    plates=(
        Plate("fig2-network", "Fig. 2: the network", network_figure),
        Plate("fig3-operations", "Fig. 3: subtraction, multiplication and noisy addition", operations_figure),
        Plate("curves", "Learning curves", curves_figure),
    ),
    tables=(nine_cells,),
    appendix=(seen,),
)
