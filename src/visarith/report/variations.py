"""Other operations, permuted and displaced pictures, other units, more pictures: claims 21 to 24, 33 and 34."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, Summary
from visarith.report.parts import (
    FIRST,
    LEARNED,
    Claim,
    Topic,
    Verdict,
    decided,
    errors,
    refined,
    seeds_needed,
)


def unary(evidence: Evidence) -> Verdict:
    """Claim 21."""
    halve = evidence["halve"]
    return decided(errors(halve), halve.mean < LEARNED, "Halving is learned.", "Halving is not learned.")


def permutation(evidence: Evidence) -> Verdict:
    """Claim 22."""
    plain, permuted = evidence["add"], evidence["permuted"]
    measured = f"permuted {permuted.digits}, plain {plain.digits}, for as many epochs"
    good = permuted.mean < LEARNED and abs(permuted.mean - plain.mean) < 0.005
    why = "To a fully connected network the order of its inputs means nothing; the random start differs."
    return decided(measured, good, why, "The permutation changes the error.")


def displacement(evidence: Evidence) -> Verdict:
    """Claim 23."""
    moved, after, before = (evidence[name] for name in ("displaced", "displaced-permuted", "permuted-displaced"))
    sees, blind = evidence["convolutional"], evidence["convolutional-permuted"]
    seeds_needed(moved, after, before, sees, blind)
    measured = f"displaced {moved.digits}, then permuted {after.digits}, permuted before {before.digits}; "
    measured += f"convolutional {sees.digits}, permuted {blind.digits}"
    by_moving, by_order, by_convolution = _harder(before, moved), _harder(after, moved), _harder(blind, sees)
    if by_moving and by_order and by_convolution:
        return Verdict(measured, "confirmed", "Each of them makes permuted pictures harder than plain ones.")
    found = {"displacement after a permutation": by_moving, "convolution": by_convolution}
    broken = [name for name, breaks in found.items() if breaks]
    if not broken:
        return Verdict(measured, "refuted", "Neither makes permuted pictures harder than plain ones.")
    rest = "" if by_order else "; displacement before a permutation does not"
    return refined(measured, f"Broken by {' and by '.join(broken)}{rest}.")


def _harder(one: Summary, other: Summary) -> bool:
    return one.digits.low > other.digits.high


def sigmoid(evidence: Evidence) -> Verdict:
    """Claim 24."""
    relu, other, longer = evidence["add"], evidence["sigmoid"], evidence["sigmoid-long"]
    epochs = [found.first_epoch_below(0.1) for found in (relu, longer)]
    said = [str(epoch) if epoch else "none" for epoch in epochs]
    measured = f"sigmoid {errors(other)} after {other.entry.recipe.epochs} epochs, {errors(longer)} after "
    measured += f"{longer.entry.recipe.epochs}, first below 10 % at epoch {said[1]} (ReLU: {percent(relu.mean)}, epoch "
    measured += f"{said[0]})"
    if longer.mean >= LEARNED:
        better = evidence["sigmoid-better"]
        if better.mean < LEARNED:
            return refined(
                measured, "Slower it is: it gets there with another recipe, but not in 150 epochs of this one."
            )
        return Verdict(
            measured,
            "open",
            "In three times the epochs it does not get there, which does not show that it never would.",
        )
    if epochs[0] is None or epochs[1] is None or epochs[1] <= epochs[0]:
        return Verdict(measured, "refuted", "It is not slower.")
    if epochs[1] < 2 * epochs[0]:
        return refined(measured, "It gets there, only a little later.")
    return Verdict(measured, "confirmed", "It gets there, and takes at least twice as long.")


def more_pictures(evidence: Evidence) -> Verdict:
    """Claim 33."""
    three, longer, two = evidence["add-three"], evidence["add-three-long"], evidence["add-subtract"]
    measured = f"three operands {errors(three)}, three times the epochs {errors(longer)}; sum and difference at once "
    measured += errors(two)
    learned = [found.mean < LEARNED for found in (three, longer, two)]
    if learned[0] and learned[2]:
        return Verdict(measured, "confirmed", "The same network learns with more pictures in and out.")
    if learned[1] and learned[2]:
        return refined(measured, "Two answers are learned as they are, three operands in more epochs.")
    if learned[1] or learned[2]:
        return refined(measured, "One of the two is learned, the other is not, in three times the epochs either.")
    return Verdict(measured, "refuted", "Neither is learned, with three times the epochs for three operands.")


def association(evidence: Evidence) -> Verdict:
    """Claim 34."""
    found = evidence["associate"]
    why = "Each digit's partner, fixed without arithmetic, is drawn at its place."
    return decided(errors(found), found.mean < 0.001, why, "Some partners are drawn wrong.")


TOPIC = Topic(
    "Variations",
    "What the paper reports in passing, or leaves to later work: halving, pixels in another order, pictures that move, "
    "sigmoid units, three operands, two answers, and a task without arithmetic.",
    claims=(
        Claim(
            21,
            "Unary operations work, such as division by 2",
            "5",
            "",
            "operations/builtin.py",
            unary,
            "Confirmed if halving is below 5 %, else refuted.",
            FIRST,
        ),
        Claim(
            22,
            "A fixed permutation of the pixels changes nothing",
            "5",
            "",
            "pictures/corruption.py",
            permutation,
            "Confirmed if permuted addition is below 5 % and within 0.5 points of plain addition, else refuted.",
            FIRST,
        ),
        Claim(
            23,
            "Displacement or a convolutional network breaks that invariance",
            "5",
            "",
            "learners/convolutional.py",
            displacement,
            "From three seeds: a permutation makes it harder if the interval with it is above that without. Confirmed "
            "if it does for displacement before and after it, and for convolution; refined if for some; else refuted.",
            before=True,
        ),
        Claim(
            24,
            "Sigmoid hidden units give similar results, much more slowly",
            "6",
            "",
            "learners/perceptron.py",
            sigmoid,
            "In up to three times the epochs: confirmed if it ends below 5 % and reaches 10 % after at least twice the "
            "epochs of ReLUs; refined if sooner, or with another recipe only; refuted if no later; else open.",
            before=True,
        ),
        Claim(
            33,
            "The protocol extends to more pictures in and out",
            "7",
            "",
            "operations/builtin.py",
            more_pictures,
            "Confirmed if the sum of three and sum and difference at once are both below 5 %; refined if one is, or in "
            "three times the epochs; else refuted.",
            before=True,
        ),
        Claim(
            34,
            "It extends to concepts beside arithmetic, such as association",
            "7",
            "",
            "operations/builtin.py",
            association,
            "Confirmed if less than 0.1 % of partners are wrong, else refuted.",
            FIRST,
        ),
    ),
)
