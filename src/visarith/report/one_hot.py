"""Perception and cognition apart: numbers as one-hot tables, and parts trained apart. Claims 11, 13, 14 and 36."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence
from visarith.report.parts import FAILED, FIRST, LEARNED, Claim, Topic, Verdict, decided, errors, of_cells, refined

ROMAN = 0.007  # the paper's errors
SUMS = {"addition": ("add", 0.017), "subtraction": ("subtract", 0.021)}
PARTS = ("perceive", "draw", "perceive-roman", "draw-roman")


def roman(evidence: Evidence) -> Verdict:
    """Claim 11."""
    paper, better = evidence["roman-one-hot"], evidence["roman-one-hot-better"]
    measured = f"{of_cells(paper)}; better recipe {of_cells(better)}"
    if paper.mean <= ROMAN:
        return Verdict(measured, "confirmed", "The printed recipe goes below 0.7 % of cells, which counts blank ones.")
    if min(paper.mean, better.mean) < LEARNED:
        reached = "another recipe does" if better.mean <= ROMAN else "no recipe here does"
        why = f"It is learned; the printed recipe, as we read it, does not reach 0.7 %, {reached}."
        return refined(measured, why)
    return Verdict(measured, "refuted", "It is not learned with these recipes.")


def sums(evidence: Evidence) -> Verdict:
    """Claim 13."""
    measured, reached, alike = [], [], []
    for word, (name, bar) in SUMS.items():
        paper, better, pictures = evidence[f"{name}-one-hot"], evidence[f"{name}-one-hot-better"], evidence[name]
        measured.append(
            f"{word} {percent(paper.mean)}, better recipe {percent(better.mean)}, pictures {percent(pictures.mean)}"
        )
        reached.append(min(paper.mean, better.mean) <= bar)
        alike.append(paper.mean <= max(2 * pictures.mean, bar) and pictures.mean <= max(2 * paper.mean, bar))
    said = "; ".join(measured)
    if all(alike):
        return Verdict(said, "confirmed", "With the printed recipe neither medium is more than twice as bad.")
    if all(reached):
        return refined(said, "The paper's figures are reached, by another recipe, and pictures do better still.")
    return Verdict(said, "refuted", "A single hidden layer does not reach the paper's figures with these recipes.")


def products(evidence: Evidence) -> Verdict:
    """Claim 14."""
    paper, better = evidence["multiply-one-hot"], evidence["multiply-one-hot-better"]
    measured = f"{errors(paper)}; better recipe {percent(better.mean)}"
    good = min(paper.mean, better.mean) > FAILED
    why = "Without perception it is not learned either, with neither recipe, so the arithmetic itself is hard."
    return decided(measured, good, why, "Without perception it is largely learned.")


def apart(evidence: Evidence) -> Verdict:
    """Claim 36."""
    parts, joined = {name: evidence[name] for name in PARTS}, evidence["roman-joined"]
    measured = ", ".join(f"{name} {percent(found.mean)}" for name, found in parts.items())
    measured += f"; joined {of_cells(joined)}"
    if max(found.mean for found in parts.values()) >= 0.001:
        return Verdict(measured, "refuted", "Not every part is learned by itself.")
    if joined.mean >= LEARNED:
        return refined(measured, "Each part is learned by itself, but joined they do not add.")
    return Verdict(measured, "confirmed", "Each part is learned by itself, and joined they add Roman numerals.")


TOPIC = Topic(
    "Perception and cognition",
    "The same operations on one-hot tables of symbols, without any picture, with two hidden layers fewer; and three "
    "networks that perceive, calculate and draw, trained apart and then joined.",
    claims=(
        Claim(
            11,
            "From one-hot vectors Roman addition is learned",
            "4, 5",
            "0.7 %",
            "studies/catalogue.py",
            roman,
            "Confirmed if the printed recipe ends at or below 0.7 % of cells; refined if any recipe is below 5 %; else "
            "refuted.",
        ),
        Claim(
            13,
            "One-hot addition and subtraction are as accurate as in pictures",
            "5",
            "1.7 %, 2.1 %",
            "studies/catalogue.py",
            sums,
            "Confirmed if, with the printed recipe, neither medium has more than twice the error of the other, or both "
            "are below the paper's one-hot figure; refined if any recipe reaches those figures; else refuted.",
        ),
        Claim(
            14,
            "One-hot multiplication fails too, so arithmetic is the obstacle",
            "5",
            "37.6 %",
            "studies/catalogue.py",
            products,
            "Confirmed if both recipes stay above 30 %, else refuted.",
        ),
        Claim(
            36,
            "Perception alone is learnable; three parts trained apart add Roman numerals",
            "5",
            "",
            "learners/symbols.py",
            apart,
            "Refuted if a part has 0.1 % or more wrong; confirmed if the joined network is below 5 %; else refined.",
            FIRST,
        ),
    ),
)
