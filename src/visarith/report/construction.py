"""Networks by construction, and how small trained ones can be: claims 27 to 29, 31 and 37.

Tables of constructed networks, of the smallest trained perceptrons, of growth with the number of digits and of noise;
Fig. 6 (a constructed network at work) and the figure "How constructions grow".
"""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import ListedColormap

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.evaluation import bounded, percent
from visarith.learners.constructed.network import Constructed
from visarith.report import drawing
from visarith.report.drawing import BLUE, GREEN, MARGIN, MUTED, ORANGE, WIDTH, ZOOM
from visarith.report.evidence import Evidence, NoResultError, Row
from visarith.report.parts import NOTHING, Table, Verdict, decided, refined

PAPER = 0.019  # wrong digits of the paper's addition
FORMS = {"thresholds": BLUE, "fewest": GREEN, "carries": ORANGE}
OPERATIONS = {"add": "Addition", "multiply": "Multiplication"}
DIGITS = (1, 2, 4, 7, 12, 20, 50, 100)  # columns of the table of growth
PAIR = (1987, 2345)  # of Fig. 6: 4332; one place carries nothing, two carry
PLACES = 4
HIGH, WIDE = 13, 8 * ZOOM  # pixels of a gate, as wide as a cell
HEIGHT, TOP, GRID = 352, 40, 112
ON_AND_OFF = ListedColormap(["#f4f4f4", BLUE])


def _constructed(evidence: Evidence) -> Mapping[tuple[str, str, str], Row]:
    """Constructed networks by operation, form and gate; NoResultError if one is missing that the claims need."""
    rows = {(row["operation"], row["form"], row["gate"]): row for row in evidence.rows("constructed")}
    needed = [("addition", "thresholds", "relu")]
    needed += [(operation, form, "sigmoid") for operation in ("addition", "multiplication") for form in FORMS]
    for key in needed:
        if key not in rows:
            raise NoResultError(f"constructed {' '.join(key)}", "visarith reproduce --only constructed")
    return rows


def _growth_rows(evidence: Evidence) -> list[Row]:
    """Every form at every length."""
    return [row for form in evidence.rows("growth") for row in form["rows"]]


def _grown(evidence: Evidence, operation: str, form: str) -> list[Row]:
    """The rows of one form that could be built, by the number of digits."""
    rows = [row for row in _growth_rows(evidence) if (row["operation"], row["form"]) == (operation, form)]
    return sorted((row for row in rows if "gates" in row), key=lambda row: int(row["digits"]))


def gates(evidence: Evidence) -> Verdict:
    """Claim 27."""
    rows = _constructed(evidence)
    found = [rows["addition", "thresholds", gate] for gate in ("relu", "sigmoid")]
    counts = found[1]["gates"]
    wrong, tried = (sum(row[what] for row in found) for what in ("wrong", "checked"))
    fewest = rows["addition", "fewest", "sigmoid"]
    measured = f"{', '.join(map(str, counts))} gates for seven digits; {wrong} of {tried:,} answers wrong in any pixel"
    if counts != [140, 140, 70] or wrong:
        return Verdict(measured, "refuted", "The network as it is described does not add.")
    if not fewest["wrong"]:
        measured += f"; one layer of {sum(fewest['gates'])} gates does it too"
    return Verdict(measured, "confirmed", "Built as described it is exact; fewer gates would do.")


def two_kinds(evidence: Evidence) -> Verdict:
    """Claim 28."""
    rows = evidence.rows("constructed")
    wrong = {gate: sum(row["wrong"] for row in rows if row["gate"] == gate) for gate in ("relu", "sigmoid")}
    tried = sum(row["checked"] for row in rows)
    measured = f"{len(rows)} networks: {wrong['relu']} wrong with two ReLUs, "
    measured += f"{wrong['sigmoid']} with a sigmoid, of {tried:,}"
    if any(wrong.values()):
        return Verdict(measured, "refuted", "One of the two is not accurate enough.")
    wide = sum(row["precision"] == "float64" for row in rows)
    why = f"True of numbers; in floats powers of ten multiply every error, so {wide} of the networks need float64."
    return refined(measured, why) if wide else Verdict(measured, "confirmed", "Either gate gives the same answers.")


def candidates(evidence: Evidence) -> Verdict:  # noqa: ARG001
    """Claim 29, by counting: every two digits and every sum to the right of them."""
    digits = np.arange(10)
    sums = digits[:, None] + digits
    reached = {(int(total), int(total + carry) % 10) for total in sums.ravel() for carry in (0, 1)}
    outside = [pair for pair in reached if pair[1] not in (pair[0] % 10, (pair[0] + 1) % 10)]
    most = max(2 * (10**place - 1) // 10**place for place in range(1, 8))  # the largest carry out of the places below
    measured = f"of {sums.size} pairs of digits at most {most} is carried into them; {len(outside)} other answers"
    good = most == 1 and not outside
    return decided(measured, good, "Counted; the form `carries` draws just these two.", "More can be carried.")


def more_layers(evidence: Evidence) -> Verdict:
    """Claim 31."""
    rows = _constructed(evidence)
    said, more = [], []
    for form in FORMS:
        add, multiply = (rows[operation, form, "sigmoid"]["gates"] for operation in ("addition", "multiplication"))
        said.append(f"{form}: {len(multiply)} layers and {sum(multiply):,} gates against {len(add)} and {sum(add):,}")
        more.append(len(multiply) > len(add) and sum(multiply) > sum(add))
    why = "In each form products take more layers (one more by thresholds) and more gates; fewer are not ruled out."
    return decided("; ".join(said), all(more), why, "In one form they do not.")


def orders(evidence: Evidence) -> Verdict:
    """Claim 37: fit the power of n by which gates grow, from seven digits on."""
    said = []
    for operation in ("add", "multiply"):  # products decide, and come last
        mine = [row for row in _grown(evidence, operation, "carries") if row["digits"] >= 7]
        if len(mine) < 3:
            raise NoResultError("growth", "visarith reproduce --only growth")
        logs = np.log([[row["digits"], sum(row["gates"])] for row in mine])
        power = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
        first, last = len(mine[0]["gates"]), len(mine[-1]["gates"])
        ends = f"{mine[0]['digits']} to {mine[-1]['digits']} digits"
        said.append(f"{operation}, {ends}: {first} to {last} layers, gates as n^{power:.1f}")
    measured = "; ".join(said) + " (small weights)"
    if last - first < 10 and power < 3.5:
        why = "Those orders are enough but not needed: layers grow with the logarithm, gates of products as n²."
        return refined(measured, why)
    return Verdict(measured, "confirmed", "Layers and gates grow as fast as that.")


def constructed(evidence: Evidence) -> Table:
    """Every form of every operation, with both gates."""
    lines = []
    for row in evidence.rows("constructed"):
        name = f"{row['operation']}, {row['form']}, {row['gate']}"
        layers = " + ".join(f"{count:,}" for count in row["gates"])
        sizes = [f"{n:,}" for n in (sum(row["gates"]), row["units"], row["parameters"], row["largest_weight"])]
        wrong = f"{row['wrong']:,} of {row['checked']:,}"
        lines.append([name, layers, *sizes, row["precision"], wrong, percent(row["evaluated"])])
    head = ["network", "gates a hidden layer", "gates", "units", "weights", "largest", "floats", "wrong"]
    note = (
        "Weights set by hand. A ReLU gate is two units; weights are those that are not 0, biases included; the largest "
        "is between gates. Wrong: pictures that differ from the true one in any pixel. The last column is what "
        "`visarith evaluate` says of the run, as for the trained networks below."
    )
    return Table("Constructed networks", note, [*head, "wrong numbers, evaluated"], lines)


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


def noise(evidence: Evidence) -> Table:
    """Noise on the inputs of constructed and of trained networks."""
    inks = ("bit", "smooth")
    lines = [
        [row["network"], *(percent(row["ink"][ink]) if ink in row["ink"] else NOTHING for ink in inks)]
        for row in evidence.rows("robustness")
    ]
    note = "Wrong digits of sums with noise of sigma 0.3 on the inputs, by templates; constructed networks know no "
    note += "noise."
    return Table("Noise", note, ["network", "one-bit ink", "smooth ink"], lines)


def growth_figure(evidence: Evidence) -> tuple[bytes, str]:
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
        return sheet.png(), caption


def gates_figure(_: Evidence) -> tuple[bytes, str]:
    """Fig. 6: inputs, the gates of HL1, HL2 and HL3, and the answer, from left to right; and the caption."""
    caption = (
        f"Addition by a network whose weights are set by hand, here for four digits: which gates are on for "
        f"{PAIR[0]} + {PAIR[1]}. The paper's own network for seven digits has 140, 140 and 70 of them."
    )
    task = Task("add", digits=PLACES)
    network = Constructed(task, "sigmoid", "thresholds")
    inputs = intensities(task.layout.typeset(task.symbols(np.array([PAIR]))))
    hl1, hl2, hl3 = (layer[0].numpy() for layer in network.signals(inputs))
    answer = network(inputs)[0, 0].numpy()
    wide = answer.shape[1] * ZOOM
    seen = hl1.reshape(2, PLACES, 10)
    margin = (wide - PLACES * WIDE) // 2
    with drawing.new_sheet(HEIGHT) as sheet:
        for number, picture in enumerate(inputs[0].numpy()):
            left = MARGIN + number * (wide + 18)
            sheet.text(left, TOP - 12, f"input {number + 1}", colour=MUTED)
            sheet.picture(picture, left, TOP, ZOOM)
            _grid(sheet, seen[number].T, left + margin, GRID, "HL1: digit n is here")
        left += wide + 44
        _grid(sheet, hl2.reshape(PLACES, 20)[::-1].T, left, TOP, "HL2: at least i × 10ᵐ")
        left += PLACES * WIDE + 44
        _grid(sheet, hl3.reshape(PLACES, 10).T, left, GRID, "HL3: the digit is n")
        left = WIDTH - MARGIN - wide
        sheet.text(left, GRID + 23, "answer", colour=MUTED)
        sheet.picture(answer, left, GRID + 35, ZOOM)
        return sheet.png(), caption


def _grid(sheet: drawing.Sheet, gates: np.ndarray, left: int, top: int, title: str) -> None:
    """A row for each digit or threshold, a column for each place; filled where a gate is on."""
    image = sheet.picture(np.kron(gates, np.ones((HIGH, WIDE))), left, top, 1)
    image.set(cmap=ON_AND_OFF, clim=(0, 1))
    rows, columns = gates.shape
    for row in range(1, rows):
        sheet.frame((left, top + row * HIGH, columns * WIDE, 0), "white", 1)
    for column in range(1, columns):
        sheet.frame((left + column * WIDE, top, 0, rows * HIGH), "white", 1)
    for row in range(rows):
        sheet.text(left - 5, top + (row + 0.5) * HIGH, str(row), across="right", size=6.5, colour=MUTED)
    sheet.text(left, top + rows * HIGH + 16, title, size=8.5)
