"""What operations do in one column, for certificates: the truth against which a machine is held."""

from collections.abc import Callable
from dataclasses import dataclass

from visarith import operations
from visarith.operations import Operation

Step = Callable[[tuple[int, ...], int, int], tuple[tuple[int, ...], int]]


@dataclass(frozen=True)
class ColumnRule:
    """From which side columns are worked, what the first is handed, (digits, handed, base) -> (answers, handed on)."""

    way: str
    start: int
    step: Step


def rule_of(operation: Operation) -> ColumnRule | None:
    """The column rule of an operation, where there is one."""
    shape = operation.operands, operation.answers
    return next((column for rule, *of, column in _RULES if rule is operation.rule and tuple(of) == shape), None)


def _add(digits: tuple[int, ...], carry: int, base: int) -> tuple[tuple[int, ...], int]:
    carry, digit = divmod(sum(digits) + carry, base)
    return (digit,), carry


def _subtract(digits: tuple[int, ...], borrowed: int, base: int) -> tuple[tuple[int, ...], int]:
    difference = digits[0] - digits[1] - borrowed
    return (difference % base,), int(difference < 0)


def _add_subtract(digits: tuple[int, ...], handed: int, base: int) -> tuple[tuple[int, ...], int]:
    borrowed, carry = divmod(handed, 2)
    (total,), carry = _add(digits, carry, base)
    (difference,), borrowed = _subtract(digits, borrowed, base)
    return (total, difference), 2 * borrowed + carry


def _halve(digits: tuple[int, ...], rest: int, base: int) -> tuple[tuple[int, ...], int]:
    digit, rest = divmod(rest * base + digits[0], 2)
    return (digit,), rest


def _choosing(choose: Callable[..., int]) -> Step:
    """The larger or smaller number: 0 while they are equal, then which it is, 1 or 2."""

    def step(digits: tuple[int, ...], decided: int, _: int) -> tuple[tuple[int, ...], int]:
        if not decided and digits[0] != digits[1]:
            decided = 1 if choose(digits) == digits[0] else 2
        return (digits[max(decided - 1, 0)],), decided

    return step


_RULES: tuple[tuple[Callable[..., object], int, int, ColumnRule], ...] = (  # rule, operands, answers
    (operations.ADD.rule, 2, 1, ColumnRule("right", 0, _add)),
    (operations.ADD_THREE.rule, 3, 1, ColumnRule("right", 0, _add)),
    (operations.SUBTRACT.rule, 2, 1, ColumnRule("right", 0, _subtract)),
    (operations.ADD_SUBTRACT.rule, 2, 2, ColumnRule("right", 0, _add_subtract)),
    (operations.HALVE.rule, 1, 1, ColumnRule("left", 0, _halve)),
    (operations.COPY.rule, 1, 1, ColumnRule("right", 0, lambda digits, _, __: (digits, 0))),
    (max, 2, 1, ColumnRule("left", 0, _choosing(max))),
    (min, 2, 1, ColumnRule("left", 0, _choosing(min))),
)
