"""The digit errors that the paper reports."""

from typing import Any

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
NOTATIONS: tuple[dict[str, Any], ...] = (  # seven digits (Sec. 3.1)
    {"name": "arabic", "cells": 7, "base": 10, "padded": True},
    {"name": "roman", "digits": 7},
)


def paper_digit_error(task: dict[str, Any]) -> float | None:
    """Return the paper's digit error for a task, or None if it reports none.

    `task` is the JSON of a task, so that a list of runs need not load them.
    """
    if not task.get("builtin") or task["notation"] not in NOTATIONS or task["medium"] != task["answer_medium"]:
        return None
    operation, notation, corruption = task["operation"]["name"], task["notation"]["name"], task["corruption"]
    if corruption["displacement"] or (notation == "roman" and operation != "add"):
        return None
    row = "roman" if notation == "roman" else operation
    if corruption["noise"]:
        return NOISY_ADDITION if (row, corruption["noise"]) == ("add", 0.3) else None
    return TABLE_1.get((row, task["medium"]))
