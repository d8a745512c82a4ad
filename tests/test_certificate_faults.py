"""Certificates of faulty learners: whatever is not finite, skipped, unclear or left to rounding is refused."""

import json
import shutil
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from conftest import resign
from visarith.learners.certificate import Certificate, NoCertificateError, certify, tried
from visarith.learners.columns import certificate as of_columns
from visarith.learners.columns import witnesses
from visarith.learners.columns.cases import Cases, cases
from visarith.learners.columns.machine import machine_of
from visarith.learners.columns.network import Columns
from visarith.learners.tally import Tally
from visarith.learners.vectors import NotFiniteError, found, within
from visarith.notation.arabic import Arabic
from visarith.operations import OPERATIONS
from visarith.runs.pretrained import FOLDER

NAN, INF = float("nan"), float("inf")


def flipped(folder: Path, tensor: str) -> va.Run:
    """The pretrained adder in which the highest bit of the exponent of one stored weight is flipped."""
    shutil.copytree(FOLDER / "columns-add", folder)
    weights = folder / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    (length,) = struct.unpack_from("<Q", data)  # a header in JSON, then the tensors
    at = 8 + length + json.loads(data[8 : 8 + length])[tensor]["data_offsets"][0]
    data[at + 3] ^= 64  # of the first number: little-endian, 32 bits
    weights.write_bytes(bytes(data))
    resign(folder)
    return va.load(folder)


def changed(run: va.Run, change: Callable[[Columns], object]) -> Certificate:
    """The certificate of a run after a change to its learner."""
    other = va.load(run.path)
    assert isinstance(other.learner, Columns)
    with torch.no_grad():
        change(other.learner)
    return certify(other.learner, other.task)


def put(place: Callable[[Columns], torch.Tensor], value: float) -> Callable[[Columns], object]:
    """A change that sets one weight."""
    return lambda learner: place(learner).view(-1)[:1].fill_(value)


def test_a_bit_that_makes_distances_infinite_is_found(tmp_path: Path) -> None:
    """Every weight is finite, but what is carried is so large that no state is nearest."""
    run = flipped(tmp_path / "run", "hands.0.2.bias")
    assert all(bool(weight.isfinite().all()) for weight in run.learner.parameters())
    assert run.evaluate(pairs=300).digit_error > 0.3
    certificate = certify(run.learner, run.task)
    assert not certificate.certified
    assert certificate.why == "some distances between states are infinite or not a number"


PLACES: dict[str, Callable[[Columns], torch.Tensor]] = {
    "reader": lambda learner: learner.meeting.reader[0].weight,
    "pairs": lambda learner: learner.meeting.meet["aligned"][-1].bias,
    "carry": lambda learner: learner.hands[0][-1].bias,
    "painter": lambda learner: learner.painter[-1].bias,
    "start": lambda learner: learner.starts[0],
    "states": lambda learner: learner.states,
    "glyphs": lambda learner: learner.glyphs,
    "ground": lambda learner: learner.ground,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [NAN, INF])
def test_whatever_is_not_finite_is_refused(adder: va.Run, place: str, value: float) -> None:
    certificate = changed(adder, put(PLACES[place], value))
    assert not certificate.certified
    assert certificate.why


@pytest.mark.parametrize("place", ["pairs", "carry", "start", "states", "glyphs"])
def test_what_is_so_large_that_distances_overflow_is_refused(adder: va.Run, place: str) -> None:
    assert not changed(adder, put(PLACES[place], 1e38)).certified


def test_weights_that_are_not_used_may_be_anything(adder: va.Run) -> None:
    assert changed(adder, lambda learner: learner.hands[1][0].weight.fill_(NAN)).certified


def test_no_vector_is_without_a_nearest() -> None:
    choices = torch.eye(2)
    assert within(0.02, torch.tensor([[0.9, 0.0], [0.5, 0.5]]), choices) == [[0], [0, 1]]
    for bad in (NAN, INF, 1e30):
        with pytest.raises(NotFiniteError, match="distances"):
            within(0.02, torch.tensor([[bad, 0.0]]), choices)


def test_cases_that_rounding_decides_are_refused(adder: va.Run) -> None:
    """Large weights that cancel: what is left of them depends on the order of additions."""

    def cancel(learner: Columns) -> None:
        painter = learner.painter[-1]
        painter.weight[:, 0], painter.bias[:] = 1e9, painter.bias - 1e9
        learner.painter[-3].weight[0], learner.painter[-3].bias[0] = 0, 1

    certificate = changed(adder, cancel)
    assert not certificate.certified
    assert "rounding decides" in certificate.why


def test_a_glyph_that_is_hardly_recognised_is_refused(adder: va.Run) -> None:
    def blur(learner: Columns) -> None:
        glyphs = found(learner.glyphs)
        learner.glyphs[0] = 0.505 * glyphs[1] + 0.495 * glyphs[0]

    assert not changed(adder, blur).certified


def test_a_mean_that_is_subtracted_is_refused(adder: va.Run) -> None:
    assert "differs from place to place" in changed(adder, put(lambda learner: learner.mean, 0.5)).why


def test_a_transition_that_is_skipped_is_noticed(adder: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_carries(learner: Columns, task: va.Task) -> Cases:
        made = cases(learner, task)
        (zero,) = made.starts
        return replace(made, following=[[[zero] for _ in row] for row in made.following])

    def with_none(learner: Columns, task: va.Task) -> Cases:
        made = cases(learner, task)
        return replace(made, following=[[[] for _ in row] for row in made.following])

    for wrong, said in (
        (without_carries, "some columns are wrong"),
        (with_none, "100 of 200 transitions were visited"),
    ):
        monkeypatch.setattr(of_columns, "cases", wrong)
        assert said in certify(adder.learner, adder.task).why


def test_every_case_has_a_picture(adder: va.Run) -> None:
    """The operands that are shown contain each column with each carry, by Python's arithmetic."""
    truth = machine_of(OPERATIONS["add"], Arabic(4), "right")
    assert isinstance(adder.learner, Columns)
    words = of_columns.reached(cases(adder.learner, adder.task), truth)
    every = [[*word, column] for word in words.values() for column in range(100)]
    seen = set()
    for word in witnesses.completed(truth, every, 4):
        assert len(word) == 4
        carry = 0
        for code in word:
            one, other = truth.columns[code]
            seen.add((one, other, carry))
            carry = (one + other + carry) // 10
        assert carry == 0
    assert len(seen) == 200


def test_pictures_are_shown_to_the_whole_learner(adder: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault outside the tables, in the learner's own way from pictures to pictures, is found."""

    def without_carries(self: Columns, columns: torch.Tensor, *_: object) -> Iterator[torch.Tensor]:
        return (self.seen(column + self.starts[0]) for column in columns.flip(1).unbind(1))

    monkeypatch.setattr(Columns, "walk", without_carries)
    certificate = certify(adder.learner, adder.task)
    assert not certificate.certified
    assert certificate.why == "some pictures that show every case are answered wrong"
    assert certificate.pictures == 200


def test_cases_that_need_more_cells_are_shown_in_longer_pictures(adder: va.Run) -> None:
    assert isinstance(adder.learner, Columns)
    truth = machine_of(OPERATIONS["add"], Arabic(4), "right")
    assert witnesses.try_all(adder.learner, adder.task, truth, [[99] * 6, [55]])[0] == 0
    assert [len(word) for word in witnesses.completed(truth, [[99] * 6, [55]], 4)] == [7, 4]


def test_answers_that_are_not_finite_are_not_read(adder: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(adder.learner), "drawn", lambda *_: np.full((1, 1, *adder.task.shape), np.nan, np.float32))
    with pytest.raises(NotFiniteError, match="pixels"):
        tried(adder.learner, adder.task, np.array([[1, 2]]))


@pytest.mark.parametrize("value", [NAN, INF, 1e38])
def test_a_tally_that_is_not_finite_is_refused(roman: va.Run, value: float) -> None:
    for place in ("painter", "hands", "centres", "states"):
        run = va.load(roman.path)
        assert isinstance(run.learner, Tally)
        calculator = run.learner.calculator
        tensors = {
            "painter": calculator.painter[-1].bias,
            "hands": calculator.hands[0][-1].bias,
            "centres": run.learner.centres,
            "states": calculator.states,
        }
        with torch.no_grad():
            tensors[place].view(-1)[-1 if place == "painter" else 0] = value
        assert not certify(run.learner, run.task).certified, place


def test_a_tally_says_for_which_operands(roman: va.Run) -> None:
    certificate = certify(roman.learner, roman.task)
    assert certificate.domain == "operands in 0..499, in additive Roman numerals"
    assert certificate.pictures == certificate.enumerated > 100


def test_the_refusal_of_a_certificate_is_no_certificate(adder: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Certificate:
        raise NoCertificateError("because")

    monkeypatch.setattr(Columns, "certify", refuse)
    assert certify(adder.learner, adder.task) == Certificate(False, 0, False, 0, 0, 0.0, "because")
