"""The paper's own figures, to be printed beside ours."""

from visarith.operations import OPERATIONS
from visarith.task import Task

# Table 1: the share of wrong digits, by operation and medium.
TABLE_1 = {
    ("add", "pictures"): 0.019,
    ("add", "one-hot"): 0.017,
    ("subtract", "pictures"): 0.032,
    ("subtract", "one-hot"): 0.021,
    ("multiply", "pictures"): 0.715,
    ("multiply", "one-hot"): 0.376,
}
NOISY_ADDITION = 0.098  # Sec. 3.2, by OCR; people found 3.2 %


def paper_digit_error(task: Task) -> float | None:
    """What the paper reports for this task, or None where it reports nothing."""
    if OPERATIONS.get(task.operation.name) != task.operation:
        return None
    plain = Task(task.operation)
    if (task.notation, task.domain) != (plain.notation, plain.domain) or task.corruption.displacement:
        return None
    if task.corruption.noise:
        return NOISY_ADDITION if (task.operation.name, task.corruption.noise) == ("add", 0.3) else None
    return TABLE_1.get((task.operation.name, task.medium))
