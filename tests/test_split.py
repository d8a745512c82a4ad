"""Training and test examples share no operands, in any order that has the same answer."""

import itertools

import numpy as np
import pytest

import visarith as va
from visarith.randomness import rng


def leaks(shown: np.ndarray, tested: np.ndarray, rule) -> int:
    """Tested rows that training has shown in some order with the same answer, by brute force."""
    known = set(map(tuple, shown.tolist()))
    return sum(
        any(other in known and rule(*other) == rule(*row) for other in itertools.permutations(row))
        for row in map(tuple, tested.tolist())
    )


@pytest.mark.parametrize(
    ("task", "rule", "train", "test"),
    [
        (va.Task("multiply"), lambda a, b: a * b, 60_000, 12_000),
        (va.Task("add", digits=2), lambda a, b: a + b, 2_000, 400),  # nearly all that there are
        (va.Task("add", digits=1), lambda a, b: a + b, 20, 5),  # all that there are
        (va.Task("add-three", digits=2), lambda a, b, c: a + b + c, 8_000, 500),
        (va.Task("subtract", digits=2), lambda a, b: a - b, 4_000, 1_000),
        (va.Task("a + 2*b", digits=2), lambda a, b: a + 2 * b, 700, 100),
        (va.Task("max(a, b)", digits=2), max, 8_000, 1_500),
    ],
    ids=["products", "most sums", "all sums", "three", "differences", "weighted", "maxima"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_order_of_tested_operands_was_shown(task: va.Task, rule, train: int, test: int, seed: int) -> None:
    shown, tested = (part.operands for part in task.examples(train, test, seed=seed))
    assert (len(shown), len(tested)) == (train, test)
    assert len(set(map(tuple, np.concatenate([shown, tested]).tolist()))) == train + test  # all distinct
    assert leaks(shown, tested, rule) == 0


def test_the_rule_is_needed() -> None:
    """Without it, products have about 1.5 % of such pairs, and sums of two digits most of theirs."""
    for task, train, test, least in (
        (va.Task("multiply"), 60_000, 12_000, 40),
        (va.Task("add", digits=2), 2_000, 400, 250),
    ):
        drawn = task.domain.sample(train + test, rng=rng(0, "examples"))
        assert leaks(drawn[:train], drawn[train:], task.operation.rule) > least


def test_products_are_trained_as_before() -> None:
    """Only the tested pairs change where there is room, so what was learned before stays comparable."""
    task = va.Task("multiply")
    drawn = task.domain.sample(3_000 + 600, rng=rng(5, "examples"))
    shown, tested = task.examples(3_000, 600, seed=5)
    assert (shown.operands == drawn[:3_000]).all()
    assert 0.9 < (tested.operands == drawn[3_000:]).all(1).mean() <= 1


def test_fresh_pairs_are_no_mirrors() -> None:
    task = va.Task("multiply", digits=3)
    shown, _ = task.examples(400, 10, seed=0)
    fresh = task.fresh(200, seed=1, exclude=shown.operands)
    assert leaks(shown.operands, fresh.operands, task.operation.rule) == 0
    careless = task.domain.sample(200, rng=rng(1, "fresh"), exclude=shown.operands)
    assert leaks(shown.operands, careless, task.operation.rule) > 20


def test_a_sign_stays_between_its_operands() -> None:
    domain = va.Task("any", digits=3).domain
    assert domain.mirrors((3, 0, 2)) == {(2, 0, 3)}  # 3 + 2
    assert domain.mirrors((3, 1, 2)) == set()  # 3 - 2
    assert domain.mirrors((3, 2, 2)) == {(2, 2, 3)}  # 3 x 2


def test_groups_that_do_not_fit_are_left_out() -> None:
    unequal = va.Operation("unequal", lambda a, b: a + b if a != b else -1, digits=1)
    task = va.Task(unequal)
    everything = len(task.domain.all())
    assert everything % 2 == 0  # only groups of two
    with pytest.raises(va.VisarithError, match=f"{everything} different operands were asked of unequal"):
        task.examples(everything - 3, 3, seed=0)
    shown, tested = task.examples(everything - 4, 3, seed=0)
    assert leaks(shown.operands, tested.operands, lambda a, b: a + b) == 0
