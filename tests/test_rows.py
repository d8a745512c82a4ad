"""Rows: long multiplication in cells, against Python's integers and against a loop from cell to cell."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import visarith as va
from conftest import dice
from visarith.learners.columns.network import Columns
from visarith.learners.columns.rows import (
    Cases,
    calculated,
    cases,
    drawings,
    hybrid,
    multiplied,
    read_back,
    waves,
    worked_out,
)
from visarith.learners.columns.scan import ALL_WEIGHTS, READ_AGAIN
from visarith.learners.columns.tabled import Tabled
from visarith.learners.vectors import nearest
from visarith.training.computation import Dense
from visarith.training.recipe import COLUMNS

CELLS = 5
TASK = va.Task("multiply", digits=CELLS)
Case = tuple[int, int, int, int]  # two digits, what is written and what is carried


# In integers: cases that are right by Python's arithmetic


@pytest.fixture(scope="module")
def ideal() -> Cases:
    """What a cell should write and carry, of 10 glyphs; 0 is nothing yet, and n + 1 is the digit n."""
    written, carried = (torch.zeros(10, 10, 11, 11, dtype=torch.long) for _ in range(2))
    for a, b, w, c in product(range(10), range(10), range(11), range(11)):
        carried[a, b, w, c], written[a, b, w, c] = divmod(a * b + max(w - 1, 0) + max(c - 1, 0), 10)
    return Cases(written, carried, torch.ones(10, 10, 11, 11), torch.zeros(10, 10, 11, 11, 1))


def shown(pairs: list[tuple[int, int]], cells: int) -> Tensor:
    """The digits of both numbers: (pairs, 2, cells)."""
    return torch.tensor([[[int(digit) for digit in f"{number:0{cells}}"] for number in pair] for pair in pairs])


def numbers(answers: Tensor) -> list[int]:
    return [int("".join(map(str, row))) for row in answers.tolist()]


def operands(cells: int) -> list[tuple[int, int]]:
    """Hard operands whose products fit, and random ones of every length whose products need not."""
    rng, half = np.random.default_rng(cells), cells // 2
    nines, ones, two = 10**half - 1, 10 ** (half - 1) + 1, 2
    hard = [nines, ones, two, 0, 10**half]
    lengths = rng.integers(1, cells + 1, (40, 2)).tolist()
    some = [tuple(int("".join(map(str, rng.integers(0, 10, each)))) for each in pair) for pair in lengths]
    return [*product(hard, hard), *some]  # type: ignore[list-item]


def visited(known: Cases, left: list[int], right: list[int]) -> list[tuple[int, Case]]:
    """The places and cases of long multiplication, row by row, from the digits of two numbers, last first."""
    written, seen = [0] * len(left), list[tuple[int, Case]]()
    for row in range(len(left)):
        carried = 0
        for column in range(len(left) - row):
            place, case = row + column, (left[column], right[row], written[row + column], carried)
            written[place], carried = int(known.written[case]) + 1, int(known.carried[case]) + 1
            seen.append((place, case))
    return seen


@pytest.mark.parametrize("places", range(1, 9))
def test_waves_yield_every_cell_once_and_after_what_it_needs(places: int) -> None:
    done: set[tuple[int, int]] = set()
    for columns, rows, at in waves(places):
        cells = list(zip(columns.tolist(), rows.tolist(), strict=True))
        assert at.tolist() == [column + row for column, row in cells]
        for column, row in cells:
            assert (column, row) not in done
            assert column == 0 or (column - 1, row) in done  # which carries to it
            assert row == 0 or (column + 1, row - 1) in done  # which wrote at its place
        assert len(set(at.tolist())) == len(cells) == len(set(rows.tolist()))  # no two write or carry to one place
        done |= set(cells)
    assert done == {(column, row) for column in range(places) for row in range(places) if column + row < places}


@pytest.mark.parametrize("cells", [7, 20, 100])
def test_right_cases_give_pythons_products(ideal: Cases, cells: int) -> None:
    pairs = operands(cells)
    answers, last, margin = calculated(ideal, shown(pairs, cells))
    assert numbers(answers) == [a * b % 10**cells for a, b in pairs]
    assert torch.equal(ideal.written[last.unbind()], answers)  # what stands last is the answer
    assert margin.tolist() == [1.0] * len(pairs)


@pytest.mark.parametrize("cells", [7, 20])
def test_a_case_that_is_wrong_spoils_the_products_that_need_it(ideal: Cases, cells: int) -> None:
    spoilt = replace(ideal, written=ideal.written.clone(), margin=ideal.margin.clone())
    spoilt.written[7, 8, 0, 0], spoilt.margin[7, 8, 0, 0] = 5, 0.25  # the last digit of 7 x 8, where nothing is written
    pairs = [*operands(cells), (7, 8), (8, 7), (17, 28)]
    answers, _, margin = calculated(spoilt, shown(pairs, cells))
    wrong = [found != a * b % 10**cells for found, (a, b) in zip(numbers(answers), pairs, strict=True)]
    needed = [(a % 10, b % 10) == (7, 8) for a, b in pairs]
    assert wrong == needed
    assert wrong[-3:] == [True, False, True]
    assert margin.tolist() == [0.25 if each else 1.0 for each in needed]


def test_the_case_that_stands_last_and_the_smallest_margin_are_those_of_the_loop(ideal: Cases) -> None:
    known = replace(ideal, margin=torch.rand(10, 10, 11, 11, generator=dice()))
    digits = shown(operands(7), 7)
    _, last, margin = calculated(known, digits)
    for number, (left, right) in enumerate(digits.flip(2).tolist()):
        seen = visited(known, left, right)
        assert float(margin[number]) == min(float(known.margin[case]) for _, case in seen)
        at = dict(seen)  # the last case of each place
        assert [tuple(case) for case in last[:, number].T.tolist()] == [at[place] for place in reversed(range(7))]


# In pictures: networks with random weights


@pytest.fixture
def network() -> Columns:
    """A network of random weights that reads, writes and carries something."""
    made = va.learner_config("columns", path="rows", scan="right", width=24).build(TASK)
    assert isinstance(made, Columns)
    made.initialise("he", "he", dice())
    with torch.no_grad():
        for number, each in enumerate((made.hands[0][-1].weight, made.starts, made.again.empty)):
            each.normal_(std=0.3, generator=dice(number + 1))
    return made


@pytest.fixture
def precise(network: Columns) -> Columns:
    """The same in double precision: an error that is drawn and read again and again grows."""
    return network.double().eval()


@pytest.fixture
def glyphs(network: Columns) -> Tensor:
    """The cells of the ten digits."""
    pictures = TASK.layout.typeset(np.repeat(np.arange(10)[:, None], CELLS, 1))
    return torch.from_numpy(pictures).double().div(255).flatten(1)[:, network.places[0]]


def cell_by_cell(
    network: Columns, pairs: Tensor, places: int, glyphs: Tensor | None = None, *, last: bool = False
) -> tuple[list[Tensor], Tensor]:
    """Long multiplication of one pair of numbers (cells, cells, SUM), last first: a cell after the other, row by row.

    With `glyphs` each drawing is taken for the nearest one; what the last cell of a place reads too, if `last`. Returns
    the answer's logits from the right, and the first state with what all rows carry to the next place, read as pairs.
    """
    again, start = network.again, network.starts[0]
    nothing = torch.zeros_like(start)
    written, shown, answers, passed = [nothing] * places, [nothing] * places, [nothing] * places, start

    def draw(column: Tensor, reader: nn.Module) -> tuple[Tensor, Tensor, Tensor]:
        """The logits, what is read as a pair from their pixels, and what from the picture that they are taken for."""
        logits = network.painter(torch.cat([column, (3 * column).sin(), (3 * column).cos()]))
        pixels = 1 / (1 + (-logits).exp())
        taken = pixels if glyphs is None else glyphs[((glyphs - pixels) ** 2).sum(1).argmin()]
        return logits, again.written(pixels), reader(taken)

    for row in range(places):
        carried, leaves = start, nothing
        for column in range(places - row):
            place = row + column
            before = shown[place] if column == 0 and not last else written[place]
            vector = pairs[column, row] + before + carried
            answers[place], shown[place], written[place] = draw(vector, again.written)
            onward = network.hands[0](torch.cat([vector, (3 * vector).sin(), (3 * vector).cos()])) + again.empty
            _, leaves, carried = draw(onward, again.carried)
        passed = passed + leaves
    return answers, passed


@torch.no_grad()
def test_reading_starts_from_pairs_and_states_that_draw_the_glyph_and_not_from_a_mean(network: Columns) -> None:
    """Each glyph is read as one vector of those that draw it and carry nothing."""
    glyphs = torch.from_numpy(TASK.layout.patterns)
    pairs = network.meeting.table("diagonal", glyphs)
    read_back(network, glyphs, pairs[0])
    start = network.starts[0]
    written, carried = (nearest(torch.sigmoid(part), glyphs)[0] for part in drawings(network, pairs + start))
    nothing = int(nearest(torch.sigmoid(drawings(network, (start + pairs[0])[None])[1]), glyphs)[0])
    fits = carried == nothing
    drawn = sorted(set(written[fits].tolist()))
    assert len(drawn) > 1
    for glyph in drawn:
        of_glyph = pairs[fits & (written == glyph)]
        away = torch.cdist(network.again.written(glyphs[glyph])[None], of_glyph)[0]
        assert float(away.min()) < 0.01 * float(pairs.norm(dim=1).mean())
        among = torch.cdist(of_glyph, of_glyph).sum(1)
        assert int(away.argmin()) == int(among.argmin())


def some_pairs(count: int = 6) -> Tensor:
    return torch.randn(count, CELLS, CELLS, 16, generator=dice(9), dtype=torch.double)


@torch.no_grad()
@pytest.mark.parametrize("places", [1, 2, CELLS])
def test_rows_are_long_multiplication_cell_by_cell(precise: Columns, places: int) -> None:
    pairs = some_pairs()
    logits, passed = worked_out(precise, pairs, places)
    for one, drawn, onward in zip(pairs, logits, passed, strict=True):
        answers, expected = cell_by_cell(precise, one, places)
        torch.testing.assert_close(drawn, torch.stack(answers))
        torch.testing.assert_close(onward, expected)


@torch.no_grad()
def test_in_training_cells_read_the_nearest_glyph_of_what_others_drew(precise: Columns, glyphs: Tensor) -> None:
    pairs, precise.training_glyphs = some_pairs(), glyphs
    logits, passed = worked_out(precise.train(), pairs, CELLS)
    for one, drawn, onward in zip(pairs, logits, passed, strict=True):
        answers, expected = cell_by_cell(precise, one, CELLS, glyphs)
        torch.testing.assert_close(drawn, torch.stack(answers))
        torch.testing.assert_close(onward, expected)
    assert not torch.allclose(logits, worked_out(precise.eval(), pairs, CELLS)[0], atol=1e-2)


@torch.no_grad()
@pytest.mark.parametrize("places", range(1, CELLS + 1))
def test_a_hybrid_is_rows_for_the_first_places_and_diagonals_for_the_others(precise: Columns, places: int) -> None:
    pairs = some_pairs()
    for one, drawn in zip(pairs, hybrid(precise, pairs, places), strict=True):
        answers, state = cell_by_cell(precise, one, places)
        for place in range(places, CELLS):
            column = state + sum(one[digit, place - digit] for digit in range(place + 1))
            seen = torch.cat([column, (3 * column).sin(), (3 * column).cos()])
            answers.append(precise.painter(seen))
            state = precise.hands[0](seen)
        torch.testing.assert_close(drawn, torch.stack(answers))


@torch.no_grad()
def test_a_quantised_learner_draws_what_it_draws_cell_by_cell(precise: Columns, glyphs: Tensor) -> None:
    seen = torch.randint(10, (6, 2, CELLS), generator=dice())
    logits = multiplied(precise, glyphs, seen)
    pairs = precise.meeting.all_pairs(glyphs[seen]).flip(1, 2)
    for one, drawn in zip(pairs, logits, strict=True):
        answers, _ = cell_by_cell(precise, one, CELLS, glyphs, last=True)
        torch.testing.assert_close(drawn.flip(0), torch.stack(answers))
    known = cases(precise, glyphs)
    assert len(known.written.unique()) > 3  # the precises draw different glyphs
    assert len(known.carried.unique()) > 3


@pytest.mark.parametrize("places", [0, 2])
@pytest.mark.parametrize("stage", [READ_AGAIN, ALL_WEIGHTS])
def test_distinct_cells_give_the_gradients_of_all_pixels(network: Columns, stage: int, places: int) -> None:
    view = TASK.split(40, 1, seed=0)[0].view()
    network.frame(view.mean_targets)
    network.enter(stage, view)
    network.train().places_in_rows = places
    trained = network.trained_weights()
    assert (len(trained) == 5) == (stage == READ_AGAIN)  # at first only what reads again
    found = []
    for kind in (Tabled, Dense):
        computation = network.computation(view, replace(COLUMNS, shortcuts=kind is Tabled), seed=0, bf16=False)
        assert isinstance(computation, kind)
        computation.gradients(np.arange(40), dice())
        found.append([weight.grad for weight in trained])
        network.zero_grad()
    carrying = {id(weight) for weight in (*network.hands[0].parameters(), network.again.empty)}
    for weight, tabled, dense in zip(trained, *found, strict=True):
        # what one cell carries to another has no gradient: only what diagonals take over has
        assert bool(dense.any()) == (bool(places) or id(weight) not in carrying)
        assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))
