"""Variations of Table 1, and what the paper leaves to later work: claims 21 to 26 and 33 to 36."""

from visarith.evaluation import percent
from visarith.notation.roman import Roman
from visarith.report.evidence import Evidence
from visarith.report.parts import LEARNED, Verdict, decided, errors, of_cells, refined


def unary(evidence: Evidence) -> Verdict:
    """Claim 21."""
    halve = evidence["halve"]
    return decided(errors(halve), halve.mean < LEARNED, "Halving is learned.", "Halving is not learned.")


def permutation(evidence: Evidence) -> Verdict:
    """Claim 22."""
    plain, permuted = evidence["add"], evidence["permuted"]
    epochs = permuted.entry.recipe.epochs
    measured = f"permuted {permuted.digits} after {epochs} epochs, plain {percent(plain.after(epochs))} after as many, "
    measured += f"{percent(plain.mean)} in the end"
    good = permuted.mean < LEARNED and abs(permuted.mean - plain.mean) < 0.005
    why = "To a fully connected network the order of its inputs means nothing; the random start differs."
    return decided(measured, good, why, "The permutation changes the error.")


def displacement(evidence: Evidence) -> Verdict:
    """Claim 23."""
    moved, after, before = (evidence[n].mean for n in ("displaced", "displaced-permuted", "permuted-displaced"))
    sees, blind = evidence["convolutional"].mean, evidence["convolutional-permuted"].mean
    measured = f"displaced {percent(moved)}, then permuted {percent(after)}, permuted before {percent(before)}; "
    measured += f"convolutional {percent(sees)}, permuted {percent(blind)}"
    by_moving, by_order, by_convolution = before > 1.5 * moved, after > 1.5 * moved, blind > 1.5 * sees
    if by_moving and by_order and by_convolution:
        return Verdict(measured, "confirmed", "Each of them makes permuted pictures harder than plain ones.")
    found = {"displacement after a permutation": by_moving, "convolution": by_convolution}
    broken = [name for name, breaks in found.items() if breaks]
    if not broken:
        return Verdict(measured, "refuted", "Neither makes permuted pictures clearly harder than plain ones.")
    rest = "" if by_order else "; displacement before a permutation does not"
    return refined(measured, f"Broken by {' and by '.join(broken)}{rest}.")


def sigmoid(evidence: Evidence) -> Verdict:
    """Claim 24."""
    relu, other, better = evidence["add"], evidence["sigmoid"], evidence["sigmoid-better"]
    epochs = [found.first_epoch_below(0.1) for found in (relu, other)]
    said = [str(epoch) if epoch else "never" for epoch in epochs]
    measured = f"{errors(other)} after {other.entry.recipe.epochs} epochs, below 10 % at epoch {said[1]} "
    measured += f"(ReLU: {percent(relu.mean)}, epoch {said[0]}); better recipe {percent(better.mean)}"
    if epochs[0] is None or (epochs[1] is not None and epochs[1] <= epochs[0]):
        return Verdict(measured, "refuted", "It is not slower.")
    if other.mean >= LEARNED > better.mean:
        return refined(measured, "Much slower it is: it gets there with a better recipe, but not with the paper's.")
    if other.mean >= LEARNED:
        return refined(measured, "Slower it is, so much that this training does not show whether it would get there.")
    if epochs[1] is not None and epochs[1] < 2 * epochs[0]:
        return refined(measured, "It gets there, only a little later.")
    return Verdict(measured, "confirmed", "It gets there, and takes at least twice as long.")


def lstm(evidence: Evidence) -> Verdict:
    """Claim 25."""
    recurrent, perceptron = evidence["multiply-lstm"], evidence["multiply-better"]
    epochs = [found.entry.recipe.epochs for found in (recurrent, perceptron)]
    measured = f"LSTM {errors(recurrent)}, after {epochs[0]} epochs; "
    measured += f"perceptron {percent(perceptron.mean)} after {epochs[1]}"
    if recurrent.mean < LEARNED:
        return Verdict(measured, "confirmed", "Reading strip by strip from the right, it learns to multiply.")
    if recurrent.digits.high < perceptron.digits.low:
        why = "Reading strip by strip from the right, it makes fewer errors, far though it is from multiplying."
        return Verdict(measured, "confirmed", why)
    return Verdict(measured, "open", "It makes no fewer errors, but it was also trained for fewer epochs.")


def symbols(evidence: Evidence) -> Verdict:
    """Claim 26."""
    first, taught = evidence["roman-symbols"], evidence["roman-one-hot-better"]
    paper, better = evidence["roman"], evidence["roman-better"]
    measured = f"{of_cells(first)}; end to end {percent(paper.mean)}, better recipe {percent(better.mean)}; "
    measured += f"with true symbols {percent(taught.mean)}"
    if first.mean < better.mean:
        why = "With clusters of cells for symbols it is learned better than from pixels."
        return Verdict(measured, "confirmed", why)
    if first.mean < paper.mean:
        why = "It helps against the paper's recipe; a better recipe on pixels does as well or better."
        return refined(measured, why)
    return Verdict(measured, "refuted", "It does not help.")


def more_pictures(evidence: Evidence) -> Verdict:
    """Claim 33."""
    three, better, two = evidence["add-three"], evidence["add-three-better"], evidence["add-subtract"]
    measured = f"three operands {errors(three)}, better recipe {percent(better.mean)}; "
    measured += f"sum and difference at once {errors(two)}"
    learned = [found.mean < LEARNED for found in (three, two)]
    if learned == [False, True] and better.mean < LEARNED:
        return refined(measured, "Two answers are learned as they are, three operands with a better recipe.")
    if all(learned):
        return Verdict(measured, "confirmed", "The same network learns with more pictures in and out.")
    if any(learned):
        return refined(measured, "One of the two is learned in as many epochs, the other is not.")
    return Verdict(measured, "refuted", "Neither is learned with the paper's recipe in as many epochs.")


def association(evidence: Evidence) -> Verdict:
    """Claim 34."""
    found = evidence["associate"]
    why = "Each digit's partner, fixed without arithmetic, is drawn at its place."
    return decided(errors(found), found.mean < 0.001, why, "Some partners are drawn wrong.")


def numerals(evidence: Evidence) -> Verdict:  # noqa: ARG001
    """Claim 35."""
    roman = Roman(7)
    written = int((roman.write([roman.limit]) != len(roman.alphabet) - 1).sum())
    kinds = len(roman.alphabet) - 1
    measured = f"{roman.limit:,} is written with {written} numerals; {kinds} kinds"
    return decided(measured, (written, kinds) == (35, 14), "Counted by writing it.", "The count differs.")


def perception(evidence: Evidence) -> Verdict:
    """Claim 36."""
    parts = {name: evidence[name] for name in ("perceive", "draw", "perceive-roman", "draw-roman")}
    joined = evidence["roman-joined"]
    measured = ", ".join(f"{name} {percent(found.mean)}" for name, found in parts.items())
    measured += f"; joined {of_cells(joined)}"
    if max(found.mean for found in parts.values()) >= 0.001:
        return Verdict(measured, "refuted", "Not every part is learned by itself.")
    if joined.mean >= LEARNED:
        return refined(measured, "Each part is learned by itself, but joined they do not add.")
    return Verdict(measured, "confirmed", "Each part is learned by itself, and joined they add Roman numerals.")
