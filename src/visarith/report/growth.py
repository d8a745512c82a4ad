"""How large networks must be: constructed ones against the number of digits, and trained ones. Claims 31 and 37."""

import numpy as np

from visarith.evaluation import bounded, percent
from visarith.report import drawing
from visarith.report.construction import FORMS, networks
from visarith.report.drawing import Sheet
from visarith.report.evidence import Evidence, NoResultError, Row
from visarith.report.parts import FIRST, NOTHING, Claim, Plate, Table, Topic, Verdict, decided, refined

PAPER = 0.019  # wrong digits of the paper's addition
OPERATIONS = {"add": "Addition", "multiply": "Multiplication"}
BOUNDS = {"add": (1, 2), "multiply": (2, 4)}  # powers of n that the paper names: of layers, and of nodes
DIGITS = (1, 2, 4, 7, 12, 20, 50, 100)  # columns of the table


def _growth_rows(evidence: Evidence) -> list[Row]:
    """Every form at every length."""
    return [row for form in evidence.rows("growth") for row in form["rows"]]


def _grown(evidence: Evidence, operation: str, form: str) -> list[Row]:
    """The rows of one form that could be built, by the number of digits."""
    rows = [row for row in _growth_rows(evidence) if (row["operation"], row["form"]) == (operation, form)]
    return sorted((row for row in rows if "gates" in row), key=lambda row: int(row["digits"]))


def more_layers(evidence: Evidence) -> Verdict:
    """Claim 31."""
    rows = networks(evidence)
    said, more = [], []
    for form in FORMS:
        add, multiply = (rows[operation, form, "sigmoid"]["gates"] for operation in ("addition", "multiplication"))
        said.append(f"{form}: {len(multiply)} layers and {sum(multiply):,} gates against {len(add)} and {sum(add):,}")
        more.append(len(multiply) > len(add) and sum(multiply) > sum(add))
    why = "In each form products take more layers (one more by thresholds) and more gates; fewer are not ruled out."
    return decided("; ".join(said), all(more), why, "In one form they do not.")


def orders(evidence: Evidence) -> Verdict:
    """Claim 37: compare sizes from seven digits on with the bounds, and fit the power of n by which gates grow."""
    said, within = [], []
    for operation in BOUNDS:
        mine = [row for row in _grown(evidence, operation, "carries") if row["digits"] >= 7]
        if len(mine) < 3:
            raise NoResultError("growth", "visarith reproduce --only growth")
        logs = np.log([[row["digits"], sum(row["gates"])] for row in mine])
        power = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
        first, last = len(mine[0]["gates"]), len(mine[-1]["gates"])
        ends = f"{mine[0]['digits']} to {mine[-1]['digits']} digits"
        within += [_within(mine, *BOUNDS[operation])]
        said.append(f"{operation}, {ends}: {first} to {last} layers, gates as n^{power:.1f}")
    measured = "; ".join(said) + " (small weights)"
    if not all(within):
        return Verdict(
            measured, "refuted", "This construction outgrows those orders, so they are not shown to suffice."
        )
    why = "As bounds they hold over these lengths; they are not tight, since this construction stays far below them. "
    return refined(measured, why + "What holds of all lengths, or of every network, is not measured.")


def _within(rows: list[Row], layers: int, nodes: int) -> bool:
    """Whether sizes grow at most by these powers of n, from the shortest length on."""
    first = rows[0]
    return all(
        len(row["gates"]) <= len(first["gates"]) * (row["digits"] / first["digits"]) ** layers
        and sum(row["gates"]) <= sum(first["gates"]) * (row["digits"] / first["digits"]) ** nodes
        for row in rows
    )


def growth(evidence: Evidence) -> Table:
    """Layers, gates and weights against digits."""
    rows = _growth_rows(evidence)
    found = {(row["operation"], row["form"], row["digits"]): row for row in rows}
    lines = [
        [title, form, *(_size(found.get((operation, form, digits))) for digits in DIGITS)]
        for operation, title in OPERATIONS.items()
        for form in FORMS
    ]
    wrong, checked = (sum(row.get(what, 0) for row in rows) for what in ("wrong", "checked"))
    note = (
        f"Hidden layers / gates / weights that are not 0, with sigmoid gates, by the digits of the longest number. "
        f"{wrong} of the {checked:,} pairs that were tried are wrong. A dash: float64 cannot hold the weights, or "
        f"it was not built."
    )
    return Table("How constructions grow", note, ["operation", "form", *map(str, DIGITS)], lines)


def _size(row: Row | None) -> str:
    if row is None or "cannot" in row:
        return NOTHING
    return f"{len(row['gates'])} / {sum(row['gates']):,} / {row['parameters']:,}"


def smallest(evidence: Evidence) -> Table:
    """Perceptrons from small to large, and which is the smallest that is as good as the paper's."""
    ordered = sorted(evidence.rows("smallest"), key=lambda row: row["parameters"])
    lines = []
    for row in ordered:
        sizes = [f"{row['layers']} x {row['width']}", f"{row['units']:,}", f"{row['parameters']:,}"]
        digits = bounded(row["digit_error"], row["digit_interval"], "pairs")
        lines.append([*sizes, digits, percent(row["number_error"]), "yes" if row["digit_error"] <= PAPER else "no"])
    said = "None of these is as good as the paper's network."
    good = [row for row in ordered if row["digit_error"] <= PAPER]
    if good:
        units, weights = min(good, key=lambda row: row["units"]), good[0]
        said = f"Fewest units: {units['layers']} x {units['width']}. "
        said += f"Fewest weights: {weights['layers']} x {weights['width']}, {weights['parameters']:,}."
    note = f"Perceptrons for addition, Adam, 50 epochs, one seed each; as good is at most {percent(PAPER)}. {said}"
    head = ["network", "units", "weights", "wrong digits", "wrong numbers", "as good as the paper's"]
    return Table("How small a trained perceptron can be", note, head, lines)


def growth_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Gates and weights against digits, a line a form, dashed for products; and the caption."""
    caption = (
        "Constructed networks with sigmoid gates: all gates, and weights that are not 0, against the digits of the "
        "longest number. Where float64 cannot hold the weights a line ends."
    )
    with drawing.two_panels("Gates", "Weights that are not 0", below=104) as (sheet, panels):
        for operation, line in (("add", "-"), ("multiply", "--")):
            for form, colour in FORMS.items():
                rows = _grown(evidence, operation, form)
                digits, label = [row["digits"] for row in rows], f"{OPERATIONS[operation].lower()}, {form}"
                sizes = [sum(row["gates"]) for row in rows], [row["parameters"] for row in rows]
                for axes, each in zip(panels, sizes, strict=True):
                    axes.plot(digits, each, f"o{line}", color=colour, markersize=3, label=label)
        for axes in panels:
            axes.set(yscale="log")
            drawing.count_axis(axes, "digits", (1, 3, 7, 20, 100))
            axes.grid(axis="y")
        sheet.figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=3, handlelength=3.2)
        return sheet, caption


CONSTRUCTIONS = "learners/constructed/constructions.py"
TOPIC = Topic(
    "How large networks must be",
    "Layers and gates of constructed networks that are exact, from one digit to a hundred, and the smallest trained "
    "perceptrons that are as good as the paper's.",
    claims=(
        Claim(
            31,
            "Multiplication needs more layers and nodes than addition",
            "5",
            "",
            CONSTRUCTIONS,
            more_layers,
            "Confirmed if in each of three forms products take more layers and more gates, else refuted.",
            FIRST,
        ),
        Claim(
            37,
            "Multiplication takes O(n^2) layers and O(n^4) nodes, addition O(n) and O(n^2)",
            "5",
            "",
            CONSTRUCTIONS,
            orders,
            "Of one construction that is exact: refuted if it outgrows these powers of n from seven digits on; refined "
            "if it does not, since lengths that were built show no order and no need.",
        ),
    ),
    plates=(Plate("growth", "How constructions grow", growth_figure),),
    appendix=(growth, smallest),
)
