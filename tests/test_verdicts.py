"""Verdicts follow the figures: each branch of each rule says what is so in it."""

import json
from pathlib import Path

import pytest

from stored_results import keep_readers, keep_seeds, score, verdicts
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence
from visarith.studies import experiments
from visarith.studies.catalogue import CATALOGUE, ENTRIES
from visarith.studies.results import Results


def test_verdicts_follow_the_figures(stored: Results) -> None:
    words = verdicts(stored)
    assert (words[1], words[2], words[6], words[10], words[21]) == (*["confirmed"] * 3, "refuted", "confirmed")
    for name, error in (("add", 0.03), ("multiply-better", 0.1), ("roman-better", 0.7), ("halve", 0.5)):
        keep_seeds(stored, name, error)
    keep_seeds(stored, "roman", 0.74)
    words = verdicts(stored)
    assert (words[1], words[6], words[10], words[21]) == ("refuted", "refuted", "confirmed", "refuted")


NARROW = {f"add-width-{width}": 0.5 for width in (32, 64, 128)}
WORLDS = [  # claim, what is measured instead of 1 % (60 % in products), the word, and what its sentence must say
    (1, {"add": 0.03}, "refuted", "not below"),
    (2, {"add": 0.001, "subtract": 0.049}, "refined", "several times"),
    (2, {"subtract": 0.2}, "refuted", "not learned"),
    (4, {"add-width-32": 0.5, "add-width-64": 0.5}, "confirmed", "128 a layer"),
    (4, NARROW, "refined", "half as many are not"),
    (4, NARROW | {"add": 0.02}, "refuted", "do not reach"),
    (5, {}, "confirmed", "a tenth"),
    (5, {"add-15000-examples": 0.5}, "refined", "too few"),
    (5, {"add": 0.5}, "refuted", "do not reach"),
    (6, {}, "confirmed", "Neither"),
    (6, {"multiply-better": 0.1}, "refuted", "most digits are learned"),
    (7, {}, "confirmed", "never halved"),
    (7, {"multiply-7-layers-better": 0.2}, "refined", "help much"),
    (7, {"multiply-3-layers": 0.01}, "refuted", "learns it"),
    (8, {}, "refuted", "not in the middle"),
    (10, {"roman": 0.04, "roman-better": 0.06}, "refuted", "learns it"),
    (10, {"roman": 0.7}, "refined", "learns it with another"),
    (10, {"roman": 0.7, "roman-better": 0.2}, "refined", "most cells"),
    (10, {"roman": 0.7, "roman-better": 0.6}, "confirmed", "Neither"),
    (11, {"roman-one-hot": 0.005}, "confirmed", "printed recipe"),
    (11, {"roman-one-hot-better": 0.005}, "refined", "another recipe does"),
    (11, {}, "refined", "no recipe here does"),
    (11, {"roman-one-hot-better": 0.3, "roman-one-hot": 0.3}, "refuted", "not learned"),
    (12, {}, "refuted", "neither"),
    (12, {"roman": 0.7}, "refined", "length"),
    (12, {"roman-large-cells": 0.7}, "confirmed", "larger pictures"),
    (13, {}, "confirmed", "neither medium"),
    (13, {"add-one-hot": 0.5, "add-one-hot-better": 0.5}, "refuted", "does not reach"),
    (13, {"add": 0.001, "add-one-hot": 0.02}, "refined", "do better still"),
    (14, {"multiply-one-hot-better": 0.1}, "refuted", "largely learned"),
    (15, {}, "confirmed", "most are right"),
    (15, {"noise": 0.3}, "refined", "another recipe"),
    (15, {"noise": 0.3, "noise-better": 0.3}, "refined", "fewer are right"),
    (22, {"permuted": 0.04}, "refuted", "changes the error"),
    (23, {}, "refuted", "Neither"),
    (23, {"permuted-displaced": 0.5}, "refined", "Broken by displacement after a permutation; displacement before"),
    (23, {"convolutional-permuted": 0.5}, "refined", "Broken by convolution"),
    (24, {}, "confirmed", "twice as long"),
    (24, {"sigmoid-long": 0.5}, "refined", "another recipe"),
    (24, {"sigmoid-long": 0.5, "sigmoid-better": 0.5}, "open", "three times"),
    (24, {"add": 0.5}, "refuted", "not slower"),
    (25, {}, "open", "overlap"),
    (25, {"multiply-lstm": 0.7, "multiply-lstm-2-layers": 0.7}, "refuted", "more errors"),
    (25, {"multiply-lstm": 0.5}, "confirmed", "far though it is"),
    (25, {"multiply-lstm": 0.01}, "confirmed", "fewer errors."),
    (26, {}, "open", "overlap"),
    (26, {"roman-symbols": 0.005}, "confirmed", "better than from pixels"),
    (26, {"roman": 0.12, "roman-symbols": 0.06}, "refined", "printed recipe it does"),
    (26, {"roman-symbols": 0.5}, "refuted", "not help"),
    (33, {}, "confirmed", "more pictures"),
    (33, {"add-three": 0.9}, "refined", "more epochs"),
    (33, {"add-three": 0.9, "add-three-long": 0.9}, "refined", "One of the two"),
    (33, {"add-three": 0.9, "add-three-long": 0.9, "add-subtract": 0.9}, "refuted", "Neither"),
    (36, {"draw": 0.5, "perceive": 0.0}, "refuted", "Not every part"),
]


@pytest.mark.parametrize(("number", "world", "word", "says"), WORLDS)
def test_each_branch_says_what_is_so(number, world, word, says, stored) -> None:  # type: ignore[no-untyped-def]
    for name, error in world.items():
        keep_seeds(stored, name, error)
    verdict = CLAIMS[number - 1].verdict(Evidence(stored))
    assert (verdict.word, says in verdict.why) == (word, True), verdict


def test_the_middle_of_products(stored: Results) -> None:
    for positions, word in (
        ([0, 0.05, 0.8, 0.9, 0.9, 0.8, 0], "confirmed"),
        ([0, 0.15, 0.8, 0.9, 0.9, 0.8, 0], "refined"),
        ([0, 0.05, 0.8, 0.9, 0.9, 0.3, 0], "refined"),
    ):
        for name in ("multiply", "multiply-better"):
            keep_seeds(stored, name, 0.5, score=score(0.5, positions=positions))
        assert verdicts(stored)[8] == word


def test_products_that_are_fitted_but_not_learned(stored: Results) -> None:
    keep_seeds(stored, "multiply-better", 0.6, train_digit_error=0.1)
    assert verdicts(stored)[6] == "refined"


def test_answers_that_are_not_clean(stored: Results) -> None:
    keep_seeds(stored, "noise", 0.01, distance=0.2)
    assert verdicts(stored)[15] == "refined"
    keep_seeds(stored, "noise-better", 0.01, distance=0.2)
    assert verdicts(stored)[15] == "refuted"


@pytest.mark.parametrize(
    ("unread", "word"), [((0.5, 0.5, 0.5), "confirmed"), ((0.5, 0.1, 0.5), "refined"), ((0.1, 0.1, 0.1), "refuted")]
)
def test_unreadable_products(unread: tuple[float, ...], word: str, stored: Results) -> None:
    names = ("tesseract", "open", "sure")
    keep_readers(
        stored, "multiply", {"templates": (0.6, 0.0)} | {n: (0.6, u) for n, u in zip(names, unread, strict=True)}
    )
    assert verdicts(stored)[9] == "open"  # nothing is known of sums
    keep_readers(stored, "add", dict.fromkeys(("templates", *names), (0.0, 0.0)))
    assert verdicts(stored)[9] == word


def test_people_decide_who_reads_better(stored: Results) -> None:
    keep_readers(stored, "noise", dict.fromkeys(("templates", "tesseract", "open", "sure"), (0.1, 0.0)))
    claim = CLAIMS[15]
    assert (claim.verdict(Evidence(stored)).word, "visarith read" in claim.verdict(Evidence(stored)).why) == (
        "open",
        True,
    )
    (stored.folder / "people").mkdir()
    experiment = ENTRIES["noise"].experiment(0).to_json()
    for person, machine, word in ((0.03, 0.1, "confirmed"), (0.1, 0.03, "refuted"), (0.1, 0.1, "open")):
        scores = {
            name: score(error) for name, error in (("person", person), ("templates", 0.1), ("tesseract", machine))
        }
        file = stored.folder / "people" / "anna.json"
        file.write_text(json.dumps({"experiment": experiment, "typed": [], "scores": scores}))
        assert claim.verdict(Evidence(stored)).word == word
    file.write_text("{")
    damaged = Evidence(stored)
    assert claim.verdict(damaged).word == "open"
    assert any("anna.json is damaged" in complaint for complaint in damaged.complaints)


def test_fewer_than_three_seeds_decide_no_difference(stored: Results) -> None:
    stored.file(experiments.job(ENTRIES["multiply-lstm"], 2)).unlink()
    verdict = CLAIMS[24].verdict(Evidence(stored))
    assert verdict.word == "open"
    assert "`visarith reproduce --only multiply-lstm --seeds 3` makes it" in verdict.why


def test_every_measured_claim_can_be_refuted_or_refined(tmp_path: Path) -> None:
    """No rule says yes whatever the figures are: each claim has a world in which it does not hold."""
    not_confirmed = {29, 35}  # these two are counted, whatever was measured
    for level in (0.0, 0.004, 0.02, 0.9):
        results = Results(tmp_path / str(level))
        for i, entry in enumerate(CATALOGUE):
            error = level if level in (0.0, 0.9) else level + 0.1 * (i % 3)
            tesseract = score(max(0.0, error - 0.01), "tesseract") if entry.tesseract() else None
            keep_seeds(results, entry.name, error, tesseract=tesseract)
        not_confirmed |= {number for number, word in verdicts(results).items() if word != "confirmed"}
    assert not_confirmed == set(range(1, 38))
