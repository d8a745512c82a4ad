"""Verdicts follow the figures: each branch of each rule says what is so in it."""

from pathlib import Path

import pytest

from stored_results import keep, score, verdicts
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence
from visarith.studies.catalogue import CATALOGUE
from visarith.studies.results import Results


def test_verdicts_follow_the_figures(stored: Results) -> None:
    words = verdicts(stored)
    assert (words[1], words[2], words[6], words[10], words[21]) == (*["confirmed"] * 3, "refuted", "confirmed")
    for name, error in (("add", 0.03), ("multiply-better", 0.1), ("roman-better", 0.7), ("halve", 0.5)):
        keep(stored, name, error)
    keep(stored, "roman", 0.74)
    words = verdicts(stored)
    assert (words[1], words[6], words[10], words[21]) == ("refuted", "refuted", "confirmed", "refuted")


WORLDS = [  # claim, what is measured instead of 1 % (60 % in products), the word, and what its sentence must say
    (1, {"add": 0.03}, "refuted", "not below"),
    (2, {"add": 0.001, "subtract": 0.049}, "refined", "several times"),
    (2, {"subtract": 0.2}, "refuted", "not learned"),
    (4, {"add-width-32": 0.5}, "confirmed", "layers of 64 units"),
    (5, {"add-15000-examples": 0.5}, "confirmed", "150,000 pairs"),
    (6, {"multiply-better": 0.1}, "refuted", "most digits are learned"),
    (7, {"multiply-3-layers": 0.1}, "refuted", "One of these depths"),
    (8, {}, "refuted", "not in the middle"),
    (10, {"roman": 0.04, "roman-better": 0.06}, "refuted", "learns it"),
    (10, {"roman": 0.7, "roman-better": 0.2}, "refined", "Most cells"),
    (10, {"roman": 0.7, "roman-better": 0.6}, "confirmed", "Neither"),
    (11, {"roman-one-hot-better": 0.02, "roman-one-hot": 0.3}, "refined", "not to the paper's"),
    (12, {"roman": 0.001}, "refuted", "does not grow"),
    (12, {"roman": 0.7, "roman-4-digits": 0.4}, "refined", "with another recipe"),
    (13, {"add-one-hot": 0.5, "add-one-hot-better": 0.5}, "refuted", "does not reach"),
    (13, {"add": 0.001}, "refined", "do better still"),
    (14, {"multiply-one-hot-better": 0.1}, "refuted", "largely learned"),
    (15, {"noise-better": 0.5}, "refined", "fewer are right"),
    (16, {}, "open", "people were not asked"),
    (22, {"permuted": 0.04}, "refuted", "changes the error"),
    (23, {}, "refuted", "Neither"),
    (23, {"permuted-displaced": 0.5}, "refined", "Broken by displacement after a permutation; displacement before"),
    (23, {"convolutional-permuted": 0.5}, "refined", "Broken by convolution"),
    (24, {"sigmoid": 0.5, "sigmoid-better": 0.5}, "refined", "does not show"),
    (24, {"sigmoid": 0.5}, "refined", "with a better recipe, but not"),
    (25, {"multiply-lstm": 0.7}, "open", "fewer epochs"),
    (25, {"multiply-lstm": 0.5}, "confirmed", "far though it is"),
    (25, {"multiply-lstm": 0.01}, "confirmed", "learns to multiply"),
    (26, {"roman": 0.12, "roman-better": 0.01, "roman-symbols": 0.06}, "refined", "as well or better"),
    (26, {"roman-symbols": 0.5}, "refuted", "not help"),
    (33, {"add-three": 0.9, "add-subtract": 0.9}, "refuted", "Neither"),
    (33, {"add-three": 0.9, "add-three-better": 0.9}, "refined", "One of the two"),
    (33, {"add-three": 0.9}, "refined", "with a better recipe"),
    (36, {"draw": 0.5, "perceive": 0.0}, "refuted", "Not every part"),
]


@pytest.mark.parametrize(("number", "world", "word", "says"), WORLDS)
def test_each_branch_says_what_is_so(number, world, word, says, stored) -> None:  # type: ignore[no-untyped-def]
    for name, error in world.items():
        keep(stored, name, error)
    verdict = CLAIMS[number - 1].verdict(Evidence(stored))
    assert (verdict.word, says in verdict.why) == (word, True), verdict


def test_the_middle_of_products(stored: Results) -> None:
    for positions, word in (
        ([0, 0.1, 0.8, 0.9, 0.9, 0.8, 0], "confirmed"),
        ([0, 0.1, 0.8, 0.9, 0.9, 0.1, 0], "refined"),
    ):
        keep(stored, "multiply-better", 0.5, score=score(0.5, positions=positions))
        assert verdicts(stored)[8] == word


def test_unreadable_products(stored: Results) -> None:
    for share, word in ((0.5, "confirmed"), (0.1, "refuted")):
        read = score(0.7, "tesseract", unreadable=int(share * 2_000))
        keep(stored, "multiply", 0.7, tesseract=read)
        assert verdicts(stored)[9] == word


def test_every_measured_claim_can_be_refuted_or_refined(tmp_path: Path) -> None:
    """No rule says yes whatever the figures are: each claim has a world in which it does not hold."""
    not_confirmed = {29, 35}  # these two are counted, whatever was measured
    for level in (0.0, 0.004, 0.02, 0.9):
        results = Results(tmp_path / str(level))
        for i, entry in enumerate(CATALOGUE):
            error = level if level in (0.0, 0.9) else level + 0.1 * (i % 3)
            tesseract = score(max(0.0, error - 0.01), "tesseract") if entry.tesseract() else None
            keep(results, entry.name, error, tesseract=tesseract)
        not_confirmed |= {number for number, word in verdicts(results).items() if word != "confirmed"}
    assert not_confirmed == set(range(1, 38))
