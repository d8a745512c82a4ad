"""How the claims beside Table 1 are decided: a rule on measured figures, never a stored answer."""

from visarith.evaluation import percent
from visarith.notation.roman import Roman
from visarith.report.evidence import Evidence
from visarith.report.verdict import LEARNED, Verdict, Word, decided, errors, of_cells


def unary(evidence: Evidence) -> Verdict:
    halve = evidence["halve"]
    return decided(errors(halve), halve.digits.mean < LEARNED, "Halving is learned.", "Halving is not learned.")


def permutation(evidence: Evidence) -> Verdict:
    plain, permuted = evidence["add"], evidence["permuted"]
    measured = f"permuted {permuted.digits}, plain {plain.digits}"
    good = permuted.digits.mean < LEARNED and abs(permuted.digits.mean - plain.digits.mean) < 0.005
    why = "To a fully connected network the order of its inputs means nothing; what differs is the random start."
    return decided(measured, good, why, "The permutation changes the error.")


def displacement(evidence: Evidence) -> Verdict:
    moved, after, before = (evidence[n].digits.mean for n in ("displaced", "displaced-permuted", "permuted-displaced"))
    sees, blind = evidence["convolutional"].digits.mean, evidence["convolutional-permuted"].digits.mean
    measured = f"displaced {percent(moved)}, then permuted {percent(after)}, permuted before {percent(before)}; "
    measured += f"convolutional {percent(sees)}, permuted {percent(blind)}"
    if before > 1.5 * moved and blind > 1.5 * sees:
        why = "True of convolution, and of displacement after the permutation; before it, nothing changes."
        return Verdict(measured, "refined", why)
    word: Word = "refined" if before > 1.5 * moved or blind > 1.5 * sees else "refuted"
    return Verdict(measured, word, "Only one of the two breaks it clearly at this length of training.")


def sigmoid(evidence: Evidence) -> Verdict:
    relu, other = evidence["add"], evidence["sigmoid"]
    epochs = [found.first_epoch_below(0.1) for found in (relu, other)]
    said = [str(epoch) if epoch else "never" for epoch in epochs]
    measured = f"{errors(other)}, below 10 % after {said[1]} epochs (ReLU: {percent(relu.digits.mean)}, {said[0]})"
    slower = epochs[0] is not None and (epochs[1] is None or epochs[1] >= 2 * epochs[0])
    if slower and other.digits.mean < LEARNED:
        return Verdict(measured, "confirmed", "It gets there, and takes several times as long.")
    why = "Slower it is; with this recipe so much that 50 epochs do not show whether it would get there."
    return Verdict(measured, "refined" if slower else "refuted", why if slower else "It is not slower.")


def lstm(evidence: Evidence) -> Verdict:
    recurrent, perceptron = evidence["multiply-lstm"], evidence["multiply-better"]
    epochs = [found.entry.recipe.epochs for found in (recurrent, perceptron)]
    measured = f"LSTM {errors(recurrent)}, after {epochs[0]} epochs; "
    measured += f"perceptron {percent(perceptron.digits.mean)} after {epochs[1]}"
    good = recurrent.digits.mean < perceptron.digits.mean
    why = "Reading strip by strip from the right, it makes fewer errors, far though it is from multiplying."
    if recurrent.digits.mean < LEARNED:
        why = "Reading strip by strip from the right, it learns to multiply."
    return decided(measured, good, why, "At this size and length of training it makes more errors than the perceptron.")


def symbols(evidence: Evidence) -> Verdict:
    first, end_to_end = evidence["roman-symbols"], evidence["roman"]
    measured = f"{of_cells(first)}; end to end {percent(end_to_end.digits.mean)}"
    good = first.digits.mean < end_to_end.digits.mean / 2
    why = "Clusters of cells are as good as labels: from there it is the one-hot task."
    return decided(measured, good, why, "It does not help much.")


def more_pictures(evidence: Evidence) -> Verdict:
    three, two = evidence["add-three"], evidence["add-subtract"]
    measured = f"three operands {errors(three)}; sum and difference at once {errors(two)}"
    good = max(three.digits.mean, two.digits.mean) < LEARNED
    word: Word = "confirmed" if good else "refined" if min(three.digits.mean, two.digits.mean) < 0.2 else "refuted"
    return Verdict(measured, word, "The same network takes more pictures in and out; more to learn takes longer.")


def association(evidence: Evidence) -> Verdict:
    found = evidence["associate"]
    good = found.digits.mean < 0.001
    why = "Each digit's partner, fixed at random, is drawn at its place."
    return decided(errors(found), good, why, "Some partners are drawn wrong.")


def numerals(evidence: Evidence) -> Verdict:  # noqa: ARG001
    roman = Roman(7)
    written = int((roman.write([roman.limit]) != len(roman.alphabet) - 1).sum())
    kinds = len(roman.alphabet) - 1
    measured = f"{roman.limit:,} is written with {written} numerals; {kinds} kinds"
    return decided(measured, (written, kinds) == (35, 14), "Counted by writing it.", "The count differs.")


def perception(evidence: Evidence) -> Verdict:
    parts = {name: evidence[name] for name in ("perceive", "draw", "perceive-roman", "draw-roman")}
    joined = evidence["roman-joined"]
    measured = ", ".join(f"{name} {percent(found.digits.mean)}" for name, found in parts.items())
    measured += f"; joined {of_cells(joined)}"
    good = max(found.digits.mean for found in parts.values()) < 0.001 and joined.digits.mean < LEARNED
    why = "Each part is learned by itself, and the joined network adds Roman numerals in pictures."
    return decided(measured, good, why, "Not every part is learned well enough.")
