"""Multiplication in pictures, and what might rescue it: claims 6, 7, 8 and 25."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, Summary
from visarith.report.experiments import positions_figure
from visarith.report.parts import FAILED, LEARNED, Claim, Plate, Table, Topic, Verdict, errors, refined, seeds_needed

DEPTHS = {3: "multiply-3-layers", 5: "multiply", 7: "multiply-7-layers"}
LSTMS = {1: "multiply-lstm", 2: "multiply-lstm-2-layers"}
RIGHT, UNCERTAIN = 0.1, 0.5  # shares of wrong digits at one place: below the one, above the other
OUTER, CENTRAL = (0, 1, 6), (2, 3, 4, 5)  # places from the left


def product(evidence: Evidence) -> Verdict:
    """Claim 6."""
    paper, better = evidence["multiply"], evidence["multiply-better"]
    seeds_needed(paper, better)
    measured = f"{errors(paper)}, training {percent(paper.training)}; better recipe {errors(better)}, "
    measured += f"training {percent(better.training)}"
    if min(paper.mean, better.mean) <= FAILED:
        return Verdict(measured, "refuted", "With one of the recipes most digits are learned.")
    if min(paper.training, better.training) > FAILED:
        return Verdict(measured, "confirmed", "Neither recipe gets the training pairs right, let alone others.")
    return refined(measured, "Test pairs fail, as the paper says, but one of the recipes does fit its training pairs.")


def _depths(evidence: Evidence) -> dict[str, dict[int, Summary]]:
    return {
        "printed recipe": {depth: evidence[name] for depth, name in DEPTHS.items()},
        "better recipe": {depth: evidence[f"{name}-better"] for depth, name in DEPTHS.items()},
    }


def depth(evidence: Evidence) -> Verdict:
    """Claim 7."""
    found = _depths(evidence)
    measured = "; ".join(
        f"{recipe}: " + ", ".join(f"{layers} layers {percent(each.mean)}" for layers, each in by_depth.items())
        for recipe, by_depth in found.items()
    )
    if min(each.mean for by_depth in found.values() for each in by_depth.values()) < LEARNED:
        return Verdict(measured, "refuted", "One of these depths learns it.")
    if any(
        by_depth[5].mean < by_depth[3].mean / 2 or by_depth[7].mean < by_depth[3].mean / 2
        for by_depth in found.values()
    ):
        return refined(measured, "More layers help much, though none of these depths learns it.")
    return Verdict(measured, "confirmed", "From 3 layers to 7 the error is never halved, with either recipe.")


def depths(evidence: Evidence) -> Table:
    """Errors by depth and recipe."""
    rows = [
        [recipe, *(str(each.digits) for each in by_depth.values())] for recipe, by_depth in _depths(evidence).items()
    ]
    note = "Wrong digits of products, all trained for as many epochs."
    return Table("Products by depth", note, ["recipe", *(f"{layers} layers" for layers in DEPTHS)], rows)


def middle(evidence: Evidence) -> Verdict:
    """Claim 8."""
    found = {"printed recipe": evidence["multiply"].positions, "better recipe": evidence["multiply-better"].positions}
    measured = "; ".join(f"by digit, {recipe}: {', '.join(map(percent, places))}" for recipe, places in found.items())
    outer = [all(places[i] < RIGHT for i in OUTER) for places in found.values()]
    central = [all(places[i] > UNCERTAIN for i in CENTRAL) for places in found.values()]
    if all(outer) and all(central):
        return Verdict(measured, "confirmed", "The outer digits can be listed case by case, the central four cannot.")
    middle = [sum(places[i] for i in CENTRAL) / 4 > 2 * sum(places[i] for i in OUTER) / 3 for places in found.values()]
    if all(middle):
        why = "Errors are in the middle, but not as sharply: some outer digit is wrong in a tenth, or a central one is "
        return refined(measured, why + "mostly right.")
    return Verdict(measured, "refuted", "The errors are not in the middle.")


def lstm(evidence: Evidence) -> Verdict:
    """Claim 25."""
    perceptron, found = evidence["multiply-better"], {layers: evidence[name] for layers, name in LSTMS.items()}
    seeds_needed(perceptron, *found.values())
    measured = "; ".join(
        f"LSTM of {layers} layer{'s' if layers > 1 else ''} {each.digits} in {each.core_seconds:.0f} core seconds"
        for layers, each in found.items()
    )
    measured += f"; perceptron {perceptron.digits} in {perceptron.core_seconds:.0f}"
    best = min(found.values(), key=lambda each: each.mean)
    if best.digits.high < perceptron.digits.low:
        why = "In about the same time it makes fewer errors"
        why += "." if best.mean < LEARNED else ", far though it is from multiplying."
        return Verdict(measured, "confirmed", why)
    if best.digits.low > perceptron.digits.high:
        return Verdict(measured, "refuted", "In about the same time it makes more errors.")
    return Verdict(measured, "open", "The intervals overlap.")


TOPIC = Topic(
    "Multiplication",
    "Operands up to 3160, so that products have seven digits. The network has five hidden layers here. Deeper and "
    "shallower ones, another recipe and an LSTM are tried too.",
    claims=(
        Claim(
            6,
            "Multiplication is learned neither on training nor on test pairs",
            "3.2",
            "71.5 %",
            "studies/catalogue.py",
            product,
            "From three seeds with each of two recipes. Refuted if a test error is at most 30 %; "
            "confirmed if both training errors are above 30 % too; refined if one is not.",
            before=True,
        ),
        Claim(
            7,
            "More hidden layers do not rescue it",
            "3.2",
            "3 to 5",
            "learners/config.py",
            depth,
            "Refuted if a network of 3, 5 or 7 layers is below 5 % with either recipe; refined if 5 or 7 layers have "
            "less than half the error of 3; else confirmed.",
            before=True,
        ),
        Claim(
            8,
            "Of a product, the last digit and the first two are right, the middle is not",
            "3.2",
            "",
            "evaluation.py",
            middle,
            "With both recipes: confirmed if digits 1, 2 and 7 are wrong in less than 10 % and 3 to 6 in more than "
            "50 %; refined if the middle has at least twice the error of the ends; else refuted.",
        ),
        Claim(
            25,
            "An LSTM would multiply better (supposed)",
            "5",
            "",
            "learners/recurrent.py",
            lstm,
            "From three seeds of LSTMs of one and two layers that train for as long as the perceptron, which has its "
            "better recipe: confirmed or refuted if the intervals are apart, else open.",
            before=True,
        ),
    ),
    plates=(Plate("positions", "Where the errors are", positions_figure),),
    tables=(depths,),
)
