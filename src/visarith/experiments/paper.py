"""The paper's own figures, to be printed beside ours."""

from visarith.data.task import Task
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
    if OPERATIONS.get(task.operation.name) != task.operation:
        return None
    roman = task.notation.name == "roman"
    if task.medium != task.answer_medium or (roman and task.operation.name != "add"):
        return None
    plain = Task(task.operation, notation=task.notation.name)
    if (task.notation, task.domain) != (plain.notation, plain.domain) or task.corruption.displacement:
        return None
    row = "roman" if roman else task.operation.name
    if task.corruption.noise:
        return NOISY_ADDITION if (row, task.corruption.noise) == ("add", 0.3) else None
    return TABLE_1.get((row, task.medium))
