"""How small networks can be, constructed and trained, and how constructed ones grow: from benchmarks/boards.py."""

from collections.abc import Mapping
from typing import Any

from visarith.evaluation import percent
from visarith.report.boards_evidence import Boards, Rows
from visarith.report.drawing import BLUE, GREEN, MARGIN, ORANGE, TEXT, WIDTH, new_sheet
from visarith.report.tables import NOTHING, Table

PAPER = 0.019  # wrong digits of the paper's addition
COLOURS = {"thresholds": BLUE, "fewest": GREEN, "carries": ORANGE}
OPERATIONS = {"add": "Addition", "multiply": "Multiplication"}
GROWN = (1, 2, 4, 7, 12, 20, 50, 100)  # digits that the table shows


def tables(boards: Boards) -> list[Table]:
    """Those boards that were measured."""
    made = {"constructed": constructed, "trained": trained, "growth": growth, "noise": noise}
    return [table(boards[name]) for name, table in made.items() if boards.get(name)]


def constructed(rows: Rows) -> Table:
    """Every form of every operation, with both gates."""
    lines = []
    for name, row in rows.items():
        layers = " + ".join(f"{count:,}" for count in row["gates"])
        numbers = (sum(row["gates"]), row["units"], row["parameters"], row["largest_weight"])
        wrong = f"{row['wrong']:,} of {row['checked']:,}"
        said = [name, layers, *(f"{n:,}" for n in numbers), row["precision"], wrong, percent(row["evaluated"])]
        lines.append(said)
    head = ["network", "gates a hidden layer", "gates", "units", "weights", "largest", "floats", "wrong"]
    note = (
        "Weights set by hand. A ReLU gate is two units; weights are those that are not 0, biases included; the largest "
        "is between gates. Wrong: pictures that differ from the true one in any pixel. The last column is what "
        "`visarith evaluate` says of the run, as for the trained networks below."
    )
    return Table("Constructed networks", note, [*head, "wrong numbers, evaluated"], lines)


def trained(rows: Rows) -> Table:
    """Perceptrons from small to large, and which is the smallest that is as good as the paper's."""
    ordered = sorted(rows.values(), key=lambda row: row["parameters"])
    lines = [
        [
            f"{row['layers']} x {row['width']}",
            f"{row['units']:,}",
            f"{row['parameters']:,}",
            f"{percent(row['digit_error'])} ({' to '.join(map(percent, row['digit_interval']))})",
            percent(row["number_error"]),
            "yes" if row["digit_error"] <= PAPER else "no",
        ]
        for row in ordered
    ]
    good = [row for row in ordered if row["digit_error"] <= PAPER]
    said = "None of these is as good as the paper's network."
    if good:
        units = min(good, key=lambda row: row["units"])
        weights = good[0]
        said = f"Fewest units: {units['layers']} x {units['width']}. "
        said += f"Fewest weights: {weights['layers']} x {weights['width']}, {weights['parameters']:,}."
    note = f"Perceptrons for addition, Adam, 50 epochs, one seed each; as good is at most {percent(PAPER)}. {said}"
    head = ["network", "units", "weights", "wrong digits", "wrong numbers", "as good as the paper's"]
    return Table("How small a trained perceptron can be", note, head, lines)


def growth(rows: Rows) -> Table:
    """Layers, gates and weights against digits."""
    found = {(row["operation"], row["form"], row["digits"]): row for row in rows.values()}
    lines = []
    for operation, title in OPERATIONS.items():
        for form in COLOURS:
            cells = [_grown(found.get((operation, form, digits))) for digits in GROWN]
            lines.append([title, form, *cells])
    wrong = sum(row.get("wrong", 0) for row in rows.values())
    checked = sum(row.get("checked", 0) for row in rows.values())
    note = (
        f"Hidden layers / gates / weights that are not 0, with sigmoid gates, by the digits of the longest number. "
        f"{wrong} of the {checked:,} pairs that were tried are wrong. A dash: float64 cannot hold the weights, or "
        f"it was not built."
    )
    return Table("How constructions grow", note, ["operation", "form", *map(str, GROWN)], lines)


def _grown(row: Mapping[str, Any] | None) -> str:
    if row is None or "cannot" in row:
        return NOTHING
    return f"{len(row['gates'])} / {sum(row['gates']):,} / {row['parameters']:,}"


def noise(rows: Rows) -> Table:
    """Noise on the inputs of constructed and of trained networks."""
    inks = ("bit", "smooth")
    lines = [
        [name, *(percent(row["ink"][ink]) if ink in row["ink"] else NOTHING for ink in inks)]
        for name, row in rows.items()
    ]
    note = (
        "Wrong digits of sums with noise of sigma 0.3 on the inputs, by templates; constructed networks know no noise."
    )
    return Table("Noise", note, ["network", "one-bit ink", "smooth ink"], lines)


def draw_growth(rows: Rows) -> bytes:
    """A panel each for gates and for weights, a line a form, dashed for products."""
    high, wide = 230, WIDTH // 2 - 90
    with new_sheet(high + 140) as sheet:
        for number, (what, title) in enumerate((("gates", "Gates"), ("parameters", "Weights that are not 0"))):
            axes = sheet.axes(66 + number * (wide + 84), MARGIN + 20, wide, high)
            for operation, line in (("add", "-"), ("multiply", "--")):
                for form, colour in COLOURS.items():
                    mine = [r for r in rows.values() if (r["operation"], r["form"]) == (operation, form) and what in r]
                    sizes = [sum(row["gates"]) if what == "gates" else row[what] for row in mine]
                    words = f"{OPERATIONS[operation].lower()}, {form}"
                    axes.plot(
                        [row["digits"] for row in mine], sizes, f"o{line}", color=colour, markersize=3, label=words
                    )
            axes.set_title(title, color=TEXT, weight="bold")
            axes.set(xscale="log", yscale="log", xlabel="digits")
            axes.set_xticks([1, 3, 7, 20, 100], ["1", "3", "7", "20", "100"])
            axes.set_xticks([], minor=True)
            axes.grid(axis="y")
        sheet.figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=3, handlelength=3.2)
        return sheet.png()
