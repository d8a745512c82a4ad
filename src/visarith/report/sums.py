"""Addition and subtraction in pictures: claims 1 to 5."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, NoResultError, Summary
from visarith.report.examples import examples_figure
from visarith.report.parts import AGAIN, FIRST, LEARNED, Claim, Plate, Table, Topic, Verdict, decided, errors

ADDITION, SUBTRACTION = 0.019, 0.032  # the paper's errors
WIDTHS = (32, 64, 128)
FEWER = 15_000  # examples


def addition(evidence: Evidence) -> Verdict:
    """Claim 1."""
    add = evidence["add"]
    why = "With one reading of the printed recipe it goes below the paper's error."
    return decided(errors(add), add.digits.high <= ADDITION, why, "The error is not below the paper's 1.9 %.")


def subtraction(evidence: Evidence) -> Verdict:
    """Claim 2."""
    add, subtract = evidence["add"], evidence["subtract"]
    measured = f"{errors(subtract)}; addition {percent(add.mean)}"
    small, large = sorted((add.mean, subtract.mean))
    if large >= LEARNED:
        return Verdict(measured, "refuted", "At least one of the two is not learned.")
    if large <= max(5 * small, 0.005):
        return Verdict(measured, "confirmed", "One network learns both, to like errors or both below 0.5 %.")
    return Verdict(measured, "refined", "Both are learned, but one has several times the error of the other.")


def teacher(evidence: Evidence) -> Verdict:
    """Claim 3."""
    add = evidence["add"]
    good = add.mean < LEARNED and add.entry.recipe.loss == "squares"
    why = "Nothing but squared differences of pixels enters the loss; a test compares it with the plain computation."
    return decided(f"addition to {percent(add.mean)}", good, why, "Addition was not learned that way.")


def _widths(evidence: Evidence) -> dict[int, Summary]:
    return {width: evidence[f"add-width-{width}"] for width in WIDTHS} | {256: evidence["add"]}


def units(evidence: Evidence) -> Verdict:
    """Claim 4."""
    found = _widths(evidence)
    measured = ", ".join(f"3 x {width} units: {percent(each.mean)}" for width, each in found.items())
    enough = [width for width, each in found.items() if each.mean <= ADDITION]
    if 256 not in enough:
        return Verdict(measured, "refuted", "The paper's own 256 units a layer do not reach its 1.9 %.")
    if min(enough) < 256:
        return Verdict(measured, "confirmed", f"Fewer than the paper's are enough: {min(enough)} a layer.")
    smaller = _smallest(evidence)
    why = "The paper's 256 a layer are enough, and half as many are not, with its recipe"
    return Verdict(measured + smaller, "refined", f"{why}.")


def _smallest(evidence: Evidence) -> str:
    """What another recipe needs, if that was measured."""
    try:
        rows = [row for row in evidence.rows("smallest") if row["digit_error"] <= ADDITION]
    except NoResultError:
        return ""
    if not rows:
        return ""
    fewest = min(rows, key=lambda row: int(row["units"]))
    return f"; with Adam {fewest['layers']} x {fewest['width']} reach {percent(fewest['digit_error'])}"


def examples(evidence: Evidence) -> Verdict:
    """Claim 5."""
    all_of_them, fewer = evidence["add"], evidence["add-15000-examples"]
    seen = all_of_them.runs[0].seen or {}
    measured = f"150,000 pairs: {percent(all_of_them.mean)}; {FEWER:,} pairs, as many steps: {percent(fewer.mean)}; "
    measured += f"{percent(seen.get('operands', 0))} of test operands and {percent(seen.get('answers', 0))} of answers "
    measured += "occur in training"
    if all_of_them.mean > ADDITION:
        return Verdict(measured, "refuted", "150,000 pairs do not reach the paper's 1.9 %.")
    if fewer.mean <= ADDITION:
        return Verdict(measured, "confirmed", "Even a tenth of them is enough.")
    why = "150,000 of 25 million million are enough, but not many to spare: a tenth of them is too few."
    return Verdict(measured, "refined", why)


def how_much(evidence: Evidence) -> Table:
    """Errors by units and by examples."""
    rows = [[f"3 x {width}", "150,000", str(each.digits)] for width, each in _widths(evidence).items()]
    rows.append(["3 x 256", f"{FEWER:,}", str(evidence["add-15000-examples"].digits)])
    note = "Wrong digits of sums with the printed recipe, all in the same number of steps."
    return Table("How many units, how many examples", note, ["hidden units", "training pairs", "digits wrong"], rows)


TOPIC = Topic(
    "Addition and subtraction",
    "The network sees 150,000 pairs of pictures and the pictures of their sums, and is asked for sums of pairs that it "
    "was never shown. Both operations come from one network with one reading of the recipe.",
    claims=(
        Claim(
            1,
            "Seven-digit addition is learned end to end from pictures",
            "3.2",
            "1.9 %",
            "studies/catalogue.py",
            addition,
            "Confirmed if the interval of the error ends at or below 1.9 %, else refuted.",
            FIRST,
        ),
        Claim(
            2,
            "Subtraction is about as hard as addition",
            "3.2",
            "3.2 %",
            "studies/catalogue.py",
            subtraction,
            "Confirmed if both errors are below 5 % and the larger is at most five times the smaller or 0.5 %; refined "
            "if it is larger; refuted if one is 5 % or more.",
            FIRST,
        ),
        Claim(
            3,
            "Squared error on pixels is the only teacher",
            "2.1",
            "",
            "training/computation.py",
            teacher,
            "Confirmed if addition ends below 5 % with squares as the loss.",
            FIRST,
        ),
        Claim(
            4,
            "A small number of units is enough",
            "abstract",
            "3 x 256",
            "learners/perceptron.py",
            units,
            "Confirmed if fewer than 256 units a layer reach 1.9 % with the same recipe and epochs; refined if just "
            "256 do; refuted if they do not.",
            AGAIN,
            before=True,
        ),
        Claim(
            5,
            "150,000 pairs, a tiny share of all, are enough",
            "2.1",
            "150,000",
            "data/task.py",
            examples,
            "Confirmed if a tenth of the pairs reaches 1.9 % in as many steps; refined if just 150,000 do; refuted if "
            "they do not.",
            AGAIN,
            before=True,
        ),
    ),
    plates=(Plate("fig1-examples", "Fig. 1: examples of addition", examples_figure),),
    tables=(how_much,),
)
