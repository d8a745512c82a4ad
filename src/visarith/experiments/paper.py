"""The paper's own figures, to be printed beside ours."""

from visarith.data.task import Task
from visarith.notation import NOTATIONS
from visarith.operations import OPERATIONS

# Table 1: the share of wrong digits, by operation and medium.
TABLE_1 = {
    ("add", "pictures"): 0.019,
    ("add", "one-hot"): 0.017,
    ("subtract", "pictures"): 0.032,
    ("subtract", "one-hot"): 0.021,
    ("multiply", "pictures"): 0.715,
    ("multiply", "one-hot"): 0.376,
    ("roman", "pictures"): 0.743,
    ("roman", "one-hot"): 0.007,
}
NOISY_ADDITION = 0.098  # Sec. 3.2, by OCR; people found 3.2 %


def paper_digit_error(task: Task) -> float | None:
    """What the paper reports for this task, or None where it reports nothing."""
    operation, notation = task.operation, task.notation
    if OPERATIONS.get(operation.name) != operation or notation.name not in NOTATIONS:
        return None
    if task.medium != task.answer_medium or (notation.additive and operation.name != "add"):
        return None
    if notation != Task(operation, notation=notation.name).notation or task.corruption.displacement:
        return None
    row = notation.name if notation.additive else operation.name
    if task.corruption.noise:
        return NOISY_ADDITION if (row, task.corruption.noise) == ("add", 0.3) else None
    return TABLE_1.get((row, task.medium))
