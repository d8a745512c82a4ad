"""Certificates: what is enumerated is all there is, what is wrong is found, and rules are those of Python."""

import operator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import visarith as va
from conftest import ENOUGH, dice
from test_device import Nowhere
from visarith.learners.certificate import Certificate, certify, everything, shuffle
from visarith.learners.columns.network import Columns
from visarith.learners.learner import Learner
from visarith.learners.tally import Tally
from visarith.learners.vectors import found, nearest
from visarith.operations.expression import from_text
from visarith.runs.loop import loop


def columns(run: va.Run) -> Columns:
    assert isinstance(run.learner, Columns)
    return run.learner


def certificate_of(run: va.Run, task: va.Task | None = None) -> Certificate:
    """Of a run on its own task or on another one."""
    return certify(run.learner, task or run.task)


def test_a_quantised_adder_is_exact_at_every_length(adder: va.Run) -> None:
    certificate = certificate_of(adder)
    assert certificate.certified
    assert certificate.every_length
    assert certificate.exact_up_to_digits == 10_000
    assert (certificate.enumerated, certificate.wrong, certificate.states) == (2 * 100, 0, 2)
    assert 0 < certificate.smallest_margin <= 1
    assert certificate.control_failed
    assert certificate.pictures == 200
    assert "any length in base 10, written with leading zeros" in certificate.domain
    assert "all operands of up to 3 digits" in certificate.rule
    assert "since the operation is linear" in certificate.rule


@pytest.mark.parametrize("digits", [5, 60, 300])
def test_what_is_certified_holds(adder: va.Run, digits: int) -> None:
    longer = adder.at(digits)
    assert longer.task.notation.digits == digits
    assert longer.evaluate(pairs=40).number_error == 0
    nines = 10 ** (digits - 1) - 1
    assert longer.calculate(nines, 1) == nines + 1
    assert longer.calculate(1, nines) == nines + 1


def test_a_fault_that_shows_only_after_a_carry_is_found(adder: va.Run) -> None:
    """The state that stands for a carry is put where nothing is carried: 5 + 5 is right, and what follows is not."""
    run = va.load(adder.path)
    learner = columns(run)
    states = found(learner.states)
    learner.states[: len(states)] = states[:1]
    certificate = certificate_of(run)
    assert not certificate.certified
    assert certificate.exact_up_to_digits == 1
    assert certificate.wrong > 0
    assert certificate.control_failed is None


def test_shuffled_weights_keep_their_values(adder: va.Run) -> None:
    run = va.load(adder.path)
    before = [weight.detach().clone() for weight in run.learner.parameters()]
    shuffle(run.learner, seed=0)
    for old, new in zip(before, run.learner.parameters(), strict=True):
        assert torch.equal(old.flatten().sort().values, new.detach().flatten().sort().values)
    assert run.evaluate(pairs=100).number_error > 0.9


def test_roman_numerals_are_certified(roman: va.Run) -> None:
    assert roman.score.number_error == 0
    certificate = certificate_of(roman)
    assert certificate.certified
    assert (certificate.exact_up_to_digits, certificate.every_length) == (3, False)
    assert certificate.control_failed


def test_symbols_in_another_order_are_not_certified(roman: va.Run) -> None:
    run = va.load(roman.path)
    assert isinstance(run.learner, Tally)
    run.learner.centres[:2] = run.learner.centres[:2].flip(0)
    assert "not the numerals" in certificate_of(run).why


class Right(Learner):
    """Draws the truth, but for one pair; it has no weights."""

    def __init__(self, task: va.Task, wrong: tuple[int, int] | None = None) -> None:
        super().__init__(1, task.shape, task.answer_shape)
        self.task, self.wrong = task, wrong

    def forward(self, pictures: Tensor) -> Tensor:
        reader = self.task.legend.reader("templates")
        numbers = [self.task.notation.parse(reader.read(pictures[:, i].numpy()).symbols) for i in range(2)]
        sums = [a + b + ((a, b) == self.wrong) for a, b in zip(*numbers, strict=True)]
        drawn = self.task.layout.typeset(self.task.notation.write(sums))
        return torch.from_numpy(drawn).float()[:, None] / 255


@pytest.mark.parametrize(("fault", "wrong"), [(None, 0), ((7, 12), 1)])
def test_small_domains_are_tried_whole(fault: tuple[int, int] | None, wrong: int) -> None:
    task = va.Task("add", digits=2)
    certificate = everything(Right(task, fault), task)
    assert (certificate.enumerated, certificate.wrong) == (2_500, wrong)
    assert certificate.certified == (wrong == 0)


def test_no_certificate_where_there_is_no_end_of_cases(small_run: va.Run, tmp_path: Path) -> None:
    run = va.learn(
        "add", va.learner_config(hidden_layers=1, width=8), examples=100, test_pairs=20, epochs=1, out=tmp_path
    )
    certificate = certificate_of(run)
    assert (certificate.certified, certificate.enumerated) == (False, 0)
    assert "only columns form a finite-state machine" in certificate.why
    assert certificate_of(small_run).enumerated == 2_500  # few enough pairs to try them all


def test_products_are_exact_at_every_length(multiplier: va.Run) -> None:
    assert multiplier.score.number_error == 0
    certificate = certificate_of(multiplier)
    assert certificate.certified
    assert certificate.every_length
    assert certificate.enumerated == 4 * 5 * (2 + 3 + 4 + 5)  # a, written, and b with nothing or up to b carried
    assert certificate.pictures == 64**2 + 2_000
    assert certificate.control_failed
    longer = multiplier.at(40)
    assert longer.evaluate(pairs=30).number_error == 0
    assert longer.calculate(4**20 - 1, 4**20 - 1) == (4**20 - 1) ** 2
    assert loop(multiplier, steps=30).first_error is None


def test_a_wrong_product_is_found(multiplier: va.Run) -> None:
    """Two glyphs that it is quantised to change places: what it calls 2 is now a 3."""
    run = va.load(multiplier.path)
    learner = columns(run)
    learner.glyphs[2:4] = learner.glyphs[2:4].flip(0)
    assert certificate_of(run).certified  # which number a glyph has does not matter
    learner.glyphs[2] = learner.glyphs[3]
    assert "not the digits" in certificate_of(run).why


def test_a_wrong_sum_is_found(multiplier: va.Run) -> None:
    """The carried state is halved: digits are drawn as before, carries are not."""
    run = va.load(multiplier.path)
    for weight in columns(run).hands[0].parameters():
        weight.data.mul_(0.5)
    certificate = certificate_of(run)
    assert not certificate.certified
    assert certificate.wrong > 0


def test_a_glyph_that_is_missing_or_taken_twice_is_found(adder: va.Run) -> None:
    patterns = torch.from_numpy(adder.task.layout.patterns)
    for change in (3, 7):
        run = va.load(adder.path)
        glyphs = columns(run).glyphs
        number_of = nearest(patterns, found(glyphs))[0].tolist()  # glyphs are numbered by how they look
        glyphs[number_of[change]] = glyphs[number_of[4]] if change == 3 else torch.nan
        assert run.calculate(change, 0) != change
        assert not certificate_of(run).certified


def test_another_operation_on_the_same_weights_is_not_certified(adder: va.Run, multiplier: va.Run) -> None:
    nearly = va.Operation("nearly", lambda a, b: a * b + (a == 7 and b == 9), digits=6, largest=lambda _: 63)
    other = certificate_of(multiplier, va.Task(nearly, digits=6, base=4))
    assert other.wrong == 1  # of all pairs, which are few enough to be tried
    either = certificate_of(adder, va.Task(va.Operation("or", int.__or__, digits=4)))
    assert "has no column machine from the right" in either.why
    more = va.Operation("more", lambda a, b: a + b + 100 * (a % 100 == b % 100 == 99), digits=4)
    assert certificate_of(adder, va.Task(more)).wrong > 0  # it has a machine, of which the learner knows a part


def test_roman_certificates_say_for_which_operands(roman: va.Run) -> None:
    assert certificate_of(roman).operands_up_to == 499
    assert roman.task.domain.largest == 499
    less = va.Operation("less", operator.sub, digits=3, descending=True, largest=lambda _: 30)
    assert not certificate_of(roman, va.Task(less, notation="roman")).certified


def test_quantising_says_on_which_device_tensors_are(adder: va.Run, multiplier: va.Run) -> None:
    with Nowhere() as watch:
        for learned in (adder, multiplier):
            view = learned.task.split(50, 10, seed=0)[0].view()
            again = learned.learner.unquantised()
            again.finish(view)
            again.drawn(view.inputs(np.arange(4), dice()))
    assert not watch.found


def test_a_rule_of_the_users_own_is_certified(tmp_path: Path) -> None:
    task = va.Task(from_text("a + 2*b", digits=4))
    spec = va.learner_config("columns", path="aligned", scan="right")
    certificate = certificate_of(va.learn(task, spec, seed=5000, out=tmp_path / "run", threads=1, **ENOUGH))
    assert certificate.certified
    assert certificate.every_length
    assert (certificate.enumerated, certificate.pictures) == (300, 300)  # carries are 0, 1 and 2
