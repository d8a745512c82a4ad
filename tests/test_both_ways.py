"""Certificates of learners that walk from the right and back: every case is tried, and mutants that err are refused."""

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from visarith.learners.certificate import Certificate, attempt, certify
from visarith.learners.columns import certificate_both_ways as of_both
from visarith.learners.columns.both_ways import walks
from visarith.learners.columns.cases_both_ways import Passes, passes
from visarith.learners.columns.network import Columns
from visarith.learners.columns.quantising import failing, quantise, unquantise
from visarith.learners.columns.relation import relation_of
from visarith.learners.vectors import found, means
from visarith.operations.expression import from_text
from visarith.studies.mutants import shown

BASE, DIGITS = 3, 4
NAN, INF = float("nan"), float("inf")
ALL = np.array(list(itertools.product(range(BASE**2), repeat=2)))  # pairs of up to two digits


@pytest.fixture(scope="module")
def distance() -> va.Run:
    """abs(a - b) of four digits in base 3, learned from 3,000 of 6,561 pairs in 700 steps; 24 wide, seed 5000."""
    return va.load(Path(__file__).parent / "runs" / "distance")


def columns(run: va.Run) -> Columns:
    assert isinstance(run.learner, Columns)
    return copy.deepcopy(run.learner).eval()


def changed(run: va.Run, change: Callable[[Columns], object]) -> Certificate:
    learner = columns(run)
    with torch.no_grad():
        change(learner)
    return attempt(learner, run.task)


def truth(run: va.Run) -> bool:
    """Whether all pairs are right at the length of training, by Python's arithmetic."""
    numbers = np.arange(BASE**DIGITS)
    pairs = np.stack(np.meshgrid(numbers, numbers), -1).reshape(-1, 2)
    return bool(shown(run.learner, run.task, pairs).all())


def test_a_learner_that_walks_both_ways_is_certified(distance: va.Run) -> None:
    assert columns(distance).scan == "right-left"
    certificate = certify(distance.learner, distance.task)
    assert certificate.certified
    assert certificate.control_failed
    assert (certificate.exact_up_to_digits, certificate.every_length) == (6, False)  # not proved, but compared
    assert certificate.enumerated == certificate.pictures >= 3 * BASE**2  # a digit needs to know which is larger so far
    assert "up to 6 digits in base 3" in certificate.domain
    assert "automaton of 6 states" in certificate.rule
    assert truth(distance)


@pytest.mark.parametrize("digits", [6, 40])
def test_what_is_certified_holds_at_other_lengths(distance: va.Run, digits: int) -> None:
    longer = distance.at(digits)
    assert longer.evaluate(pairs=100).number_error == 0
    power = BASE ** (digits - 1)
    for a, b in ((power, 1), (1, power), (power, power), (power, power - 1), (power + 1, 2 * power)):
        assert longer.calculate(a, b) == abs(a - b)


def test_both_passes_are_quantised(distance: va.Run) -> None:
    learner, view = columns(distance), distance.task.split(3_000, 10, seed=5000)[0].view()
    unquantise(learner)
    assert not learner.quantised
    quantise(learner, view)
    assert len(found(learner.states)) >= 3  # the digits to the right of a: larger, smaller or equal
    assert len(found(learner.states_back)) >= 2
    assert view.codebook is not None
    assert len(failing(learner, view.codebook)) == 0
    assert attempt(learner, distance.task).certified
    learner.states_back.fill_(NAN)
    assert "are not quantised" in column_machine_error(learner, distance.task)


def column_machine_error(learner: Columns, task: va.Task) -> str:
    from visarith.learners.columns.certificate import column_machine
    from visarith.learners.columns.machine import NoMachineError

    with pytest.raises(NoMachineError) as caught:
        column_machine(learner, task)
    return str(caught.value)


def test_means_are_those_of_the_nearest() -> None:
    vectors = torch.tensor([[0.0], [1.0], [2.0], [10.0], [12.0]])
    assert means(vectors, torch.tensor([[0.0], [12.0], [99.0]])).tolist() == [[1.0], [11.0], [99.0]]


def mutants(run: va.Run, count: int) -> Iterator[Columns]:
    """Learners with one number changed, in the weights of all networks, the states and the glyphs."""
    rng = np.random.default_rng(5000)
    for _ in range(count):
        learner = columns(run)
        rows = [getattr(learner, name) for name in ("states", "states_back", "glyphs")]
        places = [*(each.data for each in learner.trained_weights()), *(each[: len(found(each))] for each in rows)]
        numbers = places[int(rng.integers(len(places)))].view(-1)
        numbers[int(rng.integers(len(numbers)))] += float(rng.choice([-1, 1]) * 10 ** rng.uniform(-1, 2))
        yield learner


def test_every_mutant_that_errs_is_refused(distance: va.Run) -> None:
    erring = harmless = 0
    for mutant in mutants(distance, 40):
        certified = attempt(mutant, distance.task).certified
        if shown(mutant, distance.task, ALL).all():
            harmless += certified
        else:
            erring += 1
            assert not certified
    assert erring >= 5
    assert harmless >= 5


@pytest.mark.parametrize("place", ["hands.1.2.bias", "turn.2.bias", "starts", "states_back"])
@pytest.mark.parametrize("value", [NAN, INF, 1e38])
def test_whatever_is_not_finite_is_refused(distance: va.Run, place: str, value: float) -> None:
    certificate = changed(distance, lambda learner: learner.state_dict()[place].view(-1)[:1].fill_(value))
    assert not certificate.certified
    assert certificate.why


def test_a_second_pass_that_starts_elsewhere_is_refused(distance: va.Run) -> None:
    assert not changed(distance, lambda learner: learner.starts[1].copy_(found(learner.states_back)[-1])).certified


def test_a_step_that_is_skipped_is_noticed(distance: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that stops in one case leaves cases that nobody has seen: right answers of the relation are missing."""
    for pass_ in ("first", "second"):

        def skipping(learner: Columns, task: va.Task, pass_: str = pass_) -> Passes:
            made = passes(learner, task)
            if pass_ == "first":
                return replace(made, following=[[[] if c == 1 else x for c, x in enumerate(r)] for r in made.following])
            back = [[[[] if c == 1 else x for x in y] for c, y in enumerate(r)] for r in made.following_back]
            return replace(made, following_back=back)

        monkeypatch.setattr(of_both, "passes", skipping)
        certificate = attempt(columns(distance), distance.task)
        assert not certificate.certified
        assert "were visited" in certificate.why


def test_every_case_has_a_picture(distance: va.Run) -> None:
    """Brute force: all pairs of up to four digits, walked through the tables, meet no case that is not shown."""
    learner, task = columns(distance), distance.task
    tables, relation = passes(learner, task), relation_of(task.operation, task.notation)
    every = walks(tables, relation)
    cases = {tuple(case) for case in every.cases[every.occurring].tolist()}

    def met(word: list[int]) -> set[tuple[int, ...]]:
        states, back = [tables.starts[0]], tables.starts_back[0]
        for column in word:
            states.append(tables.following[states[-1]][column][0])
        seen = set[tuple[int, ...]]()
        for column, state in zip(reversed(word), reversed(states[:-1]), strict=True):
            seen.add((state, column, back))
            back = tables.following_back[state][column][back][0]
        return seen

    words = list(every.witnesses(DIGITS))
    assert {len(word) for word in words} == {DIGITS}
    assert set.union(*map(met, words)) == cases
    numbers = itertools.product(range(BASE**2), repeat=DIGITS)
    assert set.union(*(met(list(word)) for word in numbers)) == cases


def test_pictures_are_shown_to_the_whole_learner(distance: va.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault outside the tables is found: the second pass starts anew in each column."""
    walk = Columns.walk

    def forgetful(self: Columns, columns: torch.Tensor, number: int, way: str) -> Iterator[torch.Tensor]:
        if number == 0:
            return walk(self, columns, number, way)
        return (self.seen(column + self.starts[1]) for column in columns.unbind(1))

    monkeypatch.setattr(Columns, "walk", forgetful)
    certificate = attempt(columns(distance), distance.task)
    assert not certificate.certified
    assert certificate.why == "some pictures that show every case are answered wrong"


def test_another_operation_on_the_same_weights_is_not_certified(distance: va.Run) -> None:
    larger = va.Task(from_text("max(a, b)", base=BASE, digits=DIGITS), base=BASE, digits=DIGITS)
    certificate = attempt(columns(distance), larger)
    assert (certificate.certified, certificate.exact_up_to_digits, certificate.wrong > 0) == (False, 0, True)
    difference = va.Task(from_text("a - b", base=BASE, digits=DIGITS), base=BASE, digits=DIGITS)
    certificate = attempt(columns(distance), difference)  # where a is at least b, they are the same
    assert certificate.certified
    assert certificate.every_length


def test_a_rule_without_an_automaton_says_so(distance: va.Run) -> None:
    task = va.Task(from_text("a * b", base=BASE, digits=8), base=BASE, digits=8)
    learner = distance.at(8).learner
    assert isinstance(learner, Columns)
    assert "no finite automaton that checks it" in column_machine_error(learner, task)


@pytest.mark.long
def test_differences_in_base_ten_are_learned_and_certified(tmp_path: Path) -> None:
    spec = va.learner_config("columns", path="aligned", scan="right-left")
    run = va.learn("abs(a - b)", spec, seed=5001, test_pairs=5_000, out=tmp_path / "run", threads=1)
    assert run.score is not None
    assert run.score.number_error == 0
    certificate = certify(run.learner, run.task)
    assert certificate.certified
    assert certificate.enumerated >= 600
