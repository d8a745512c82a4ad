"""Networks whose weights are set by hand: claims 27 to 29, Fig. 6, and tables of all that were built."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import ListedColormap

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.evaluation import percent
from visarith.learners.constructed.network import Constructed
from visarith.report import drawing
from visarith.report.drawing import BLUE, GREEN, MARGIN, MUTED, ORANGE, WIDTH, ZOOM, Sheet
from visarith.report.evidence import Evidence, NoResultError, Row
from visarith.report.parts import FIRST, NOTHING, Claim, Plate, Table, Topic, Verdict, decided, refined

FORMS = {"thresholds": BLUE, "fewest": GREEN, "carries": ORANGE}
PAIR = (1987, 2345)  # of Fig. 6: 4332; one place carries nothing, two carry
PLACES = 4
HIGH, WIDE = 13, 8 * ZOOM  # pixels of a gate, as wide as a cell
HEIGHT, TOP, GRID = 352, 40, 112
ON_AND_OFF = ListedColormap(["#f4f4f4", BLUE])


def networks(evidence: Evidence) -> Mapping[tuple[str, str, str], Row]:
    """Constructed networks by operation, form and gate; NoResultError if one is missing that the claims need."""
    rows = {(row["operation"], row["form"], row["gate"]): row for row in evidence.rows("constructed")}
    needed = [("addition", "thresholds", "relu")]
    needed += [(operation, form, "sigmoid") for operation in ("addition", "multiplication") for form in FORMS]
    for key in needed:
        if key not in rows:
            raise NoResultError(f"constructed {' '.join(key)}", "visarith reproduce --only constructed")
    return rows


def gates(evidence: Evidence) -> Verdict:
    """Claim 27."""
    rows = networks(evidence)
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


def gates_figure(_: Evidence) -> tuple[Sheet, str]:
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
        return sheet, caption


def _grid(sheet: Sheet, gates: np.ndarray, left: int, top: int, title: str) -> None:
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


TOPIC = Topic(
    "A network by construction",
    "Sec. 6 describes a network that adds, with gates for digits at places, for thresholds of sums and for digits of "
    "the answer. It is built here with its weights set by hand, in several forms, and shown pictures as any other.",
    claims=(
        Claim(
            27,
            "20M, 20M and 10M gates add M-digit numbers from pictures",
            "6",
            "exact",
            "learners/constructed/network.py",
            gates,
            "Confirmed if the network has just so many gates and no answer is wrong in any pixel, else refuted.",
            FIRST,
        ),
        Claim(
            28,
            "A gate is a steep sigmoid or two ReLUs, to any accuracy",
            "6",
            "",
            "learners/constructed/circuit.py",
            two_kinds,
            "Refuted if any network with either gate errs; refined if some need float64; else confirmed.",
            FIRST,
        ),
        Claim(
            29,
            "Each answer digit is one of two candidates",
            "6",
            "",
            "learners/constructed/constructions.py",
            candidates,
            "Counted.",
            FIRST,
        ),
    ),
    plates=(Plate("fig6-construction", "Fig. 6: a network by construction", gates_figure),),
    appendix=(constructed, noise),
)
