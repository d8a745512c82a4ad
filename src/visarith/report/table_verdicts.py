"""How the claims on Table 1 and on noise are decided: a rule on measured figures, never a stored answer."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence
from visarith.report.verdict import FAILED, LEARNED, Verdict, Word, decided, errors, of_cells


def addition(evidence: Evidence) -> Verdict:
    add = evidence["add"]
    good = add.digits.mean <= 0.019
    why = "The recipe as printed, with centring and a start that draws the mean picture, goes below the paper's error."
    return decided(errors(add), good, why, "The error is above the paper's 1.9 %.")


def subtraction(evidence: Evidence) -> Verdict:
    add, subtract = evidence["add"], evidence["subtract"]
    good = max(add.digits.mean, subtract.digits.mean) < LEARNED
    measured = f"{errors(subtract)}; addition {percent(add.digits.mean)}"
    why = "Both are learned by the same network in the same time, and neither is much harder."
    return decided(measured, good, why, "One of the two is not learned.")


def teacher(evidence: Evidence) -> Verdict:
    add = evidence["add"]
    good = add.digits.mean < LEARNED and add.entry.recipe.loss == "squares"
    why = "Nothing but squared differences of pixels enters the loss; a test compares it with the plain computation."
    return decided(f"addition to {percent(add.digits.mean)}", good, why, "Addition was not learned that way.")


def units(evidence: Evidence) -> Verdict:
    widths = {width: evidence[f"add-width-{width}"] for width in (32, 64, 128)} | {256: evidence["add"]}
    measured = ", ".join(f"{width}: {percent(found.digits.mean)}" for width, found in widths.items())
    enough = [width for width, found in widths.items() if found.digits.mean <= 0.019]
    why = f"Three layers of {min(enough or [256])} units are the fewest of these that stay below the paper's 1.9 %."
    return decided(measured, bool(enough), why, "None of these widths reaches the paper's 1.9 %.")


def examples(evidence: Evidence) -> Verdict:
    counts = {15_000: evidence["add-15000-examples"], 50_000: evidence["add-50000-examples"], 150_000: evidence["add"]}
    measured = ", ".join(f"{count:,}: {percent(found.digits.mean)}" for count, found in counts.items())
    seen = counts[150_000].runs[0].seen or {}
    share = f"; {percent(seen.get('operands', 0))} of test operands and {percent(seen.get('answers', 0))} of answers"
    enough = [count for count, found in counts.items() if found.digits.mean <= 0.019]
    why = f"{min(enough or [0]):,} pairs of 25 million million stay below 1.9 % when trained for as many steps."
    return decided(f"{measured}{share} occur in training", bool(enough), why, "None of these counts reaches 1.9 %.")


def product(evidence: Evidence) -> Verdict:
    paper, better = evidence["multiply"], evidence["multiply-better"]
    measured = f"{errors(paper)}, training {percent(paper.training)}; better recipe {percent(better.digits.mean)}"
    good = min(paper.digits.mean, paper.training, better.digits.mean) > FAILED
    why = "Large errors on training pairs too, whatever the recipe: the network does not find it, not the optimizer."
    return decided(measured, good, why, "With one of the recipes most digits are learned.")


def depth(evidence: Evidence) -> Verdict:
    depths = {3: evidence["multiply-3-layers"], 5: evidence["multiply"], 7: evidence["multiply-7-layers"]}
    measured = ", ".join(f"{layers} layers: {percent(found.digits.mean)}" for layers, found in depths.items())
    good = min(found.digits.mean for found in depths.values()) > FAILED
    return decided(measured, good, "No depth from 3 to 7 learns it.", "A deeper network does learn it.")


def middle(evidence: Evidence) -> Verdict:
    positions = evidence["multiply-better"].positions
    ends, centre = max(positions[0], positions[1], positions[6]), min(positions[2:6])
    measured = "by digit, better recipe: " + ", ".join(percent(share) for share in positions)
    if ends < 0.2 and centre > 0.5:
        return Verdict(measured, "confirmed", "The outer digits can be listed case by case, the central four cannot.")
    why = "The last digit and the first are right; how many of the middle are uncertain is a matter of degree."
    return Verdict(measured, "refined" if positions[6] < 0.2 and max(positions[2:6]) > 0.5 else "refuted", why)


def blurred(evidence: Evidence) -> Verdict:
    product, total = evidence["multiply"], evidence["add"]
    measured = f"unreadable to Tesseract: {percent(product.tesseract_unreadable)} of products, "
    measured += f"{percent(total.tesseract_unreadable)} of sums"
    good = product.tesseract_unreadable > 0.2 and product.tesseract_unreadable > 10 * total.tesseract_unreadable
    why = "Answers with blurred digits come back with fewer symbols than there are cells, and count as wrong."
    return decided(measured, good, why, "Tesseract reads something in most products.")


def roman(evidence: Evidence) -> Verdict:
    paper, better = evidence["roman"], evidence["roman-better"]
    measured = f"{of_cells(paper)}; better recipe {of_cells(better)}"
    if better.digits.mean < LEARNED:
        why = "The same network learns it with another optimizer: what failed was the training, not the pictures."
        return Verdict(measured, "refuted", why)
    if better.digits.mean < paper.digits.mean / 2:
        why = "A better recipe takes away most of the error, so much of the failure was the optimizer's."
        return Verdict(measured, "refined", why)
    return Verdict(measured, "confirmed", "Neither recipe learns it from pictures.")


def roman_one_hot(evidence: Evidence) -> Verdict:
    paper, better = evidence["roman-one-hot"], evidence["roman-one-hot-better"]
    measured = f"{of_cells(paper)}; better recipe {of_cells(better)}"
    good = min(paper.digits.mean, better.digits.mean) <= 0.007
    why = "Table 1's network of three layers goes below 0.7 % of cells, which counts the blank ones."
    return decided(measured, good, why, "Table 1's network stays above 0.7 % of cells with these recipes.")


def cells(evidence: Evidence) -> Verdict:
    lengths = {15: evidence["roman-3-digits"], 25: evidence["roman-5-digits"], 35: evidence["roman"]}
    measured = ", ".join(f"{count} cells: {percent(found.digits.mean)}" for count, found in lengths.items())
    symbols, better = evidence["roman-symbols"], evidence["roman-better"]
    measured += f"; 35 cells without pictures (symbols first): {percent(symbols.digits.mean)}"
    errors = [found.digits.mean for found in lengths.values()]
    if errors == sorted(errors) and better.digits.mean > LEARNED:
        return Verdict(measured, "confirmed", "The more cells, the larger the error, with either recipe.")
    why = "Length makes it harder, but pictures of the same size are learned far better with another recipe."
    return Verdict(measured, "refined" if errors == sorted(errors) else "refuted", why)


def one_hot(evidence: Evidence) -> Verdict:
    names = {"addition": "add-one-hot", "subtraction": "subtract-one-hot"}
    measured = "; ".join(
        f"{word} {percent(evidence[name].digits.mean)}, better recipe {percent(evidence[f'{name}-better'].digits.mean)}"
        for word, name in names.items()
    )
    good = evidence["add-one-hot-better"].digits.mean <= 0.017
    good &= evidence["subtract-one-hot-better"].digits.mean <= 0.021
    why = "With cross-entropy and Adam the single hidden layer is below the paper's figures; pictures do better still."
    return decided(measured, good, why, "A single hidden layer does not reach the paper's figures here.")


def product_one_hot(evidence: Evidence) -> Verdict:
    paper, better = evidence["multiply-one-hot"], evidence["multiply-one-hot-better"]
    measured = f"{errors(paper)}; better recipe {percent(better.digits.mean)}"
    good = min(paper.digits.mean, better.digits.mean) > 0.2
    why = "Without perception most middle digits are wrong still, so it is the arithmetic that is hard."
    return decided(measured, good, why, "Without perception it is largely learned.")


def noise(evidence: Evidence) -> Verdict:
    paper, better = evidence["noise"], evidence["noise-better"]
    left = better.distance
    measured = f"{errors(paper)}; better recipe {errors(better)}; right answers are "
    measured += f"{left:.3f} from clean pictures, root mean square" if left is not None else "none"
    smooth = evidence["noise-smooth-better"]
    measured += f" (noise 0.3); anti-aliased ink {percent(smooth.digits.mean)}"
    tolerated, clean = better.digits.mean <= 0.098, left is not None and left < 0.1
    if tolerated and clean:
        return Verdict(measured, "confirmed", "The answers have no noise in them, and most are right.")
    word: Word = "refined" if clean else "refuted"
    return Verdict(measured, word, "Answers come out clean, but fewer are right than the paper says.")


def noise_readers(evidence: Evidence) -> Verdict:
    better = evidence["noise-better"]
    assert better.tesseract
    measured = f"templates {better.digits}, Tesseract {better.tesseract}"
    good = better.tesseract.mean > better.digits.mean
    why = (
        "A reader that knows the glyphs, as people do, sees through mixtures that stop Tesseract; no people were asked."
    )
    return decided(measured, good, why, "Tesseract reads these answers as well as the templates do.")
