"""A network that checks itself on its training examples, tries again, and keeps the best weights of its attempts."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visarith.data.view import View
from visarith.learners.learner import Network
from visarith.training.attempts import another
from visarith.training.recipe import Recipe
from visarith.training.round import Round

WRONG, CHECKED, ATTEMPTS, TRIAL = range(4)  # in `record`


class Checked(Network):
    """After each attempt, the training examples that are drawn wrong decide what follows."""

    record: Tensor  # wrong training examples, training examples, attempts and the loss of the best trial; -1: unknown

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__(inputs, outputs, shape, answer_shape)
        self.register_buffer("record", torch.full((4,), -1.0, device="cpu"))
        self._best: dict[str, Tensor] = {}  # the weights that drew the fewest training examples wrong

    @abstractmethod
    def wrong_examples(self, data: View) -> np.ndarray | None:
        """The training examples, by number, that are drawn wrong; None if that cannot be told."""

    def failing(self, data: View, attempt: int, tell: Callable[[str], None] = lambda _: None) -> np.ndarray | None:
        """The same; also records how many there are, and keeps the weights if they are the best so far."""
        wrong = self.wrong_examples(data)
        if wrong is None:
            return None
        self.record[:TRIAL] = torch.tensor([len(wrong), len(data), attempt], device=self.device)
        if not self._best or len(wrong) <= self._best["record"][WRONG]:  # of equally good ones, the last
            self._best = {name: value.clone() for name, value in self.state_dict().items()}
        if len(wrong):
            tell(f"{len(wrong):,} of {len(data):,} training examples are wrong or not clear (attempt {attempt})")
        return wrong

    def more_rounds(self, data: View, recipe: Recipe, before: list[Round], tell: Callable[[str], None]) -> list[Round]:
        failing = self.failing(data, before[-1].attempt, tell)
        return [] if failing is None else another(before, recipe, failing, len(data), tell)

    def finish(self, data: View) -> None:
        """Take the best weights of all attempts."""
        if not self._best:
            self.failing(self.inner(data)[1], 1)
        if self._best:
            attempts = float(self.record[ATTEMPTS])
            self.load_state_dict(self._best)
            self.record[ATTEMPTS], self._best = attempts, {}

    def found(self) -> dict[str, Tensor]:
        return {"record": self.record, **{f"best.{name}": weight for name, weight in self._best.items()}}

    def recall(self, found: dict[str, Tensor]) -> None:
        if "record" in found:
            self.record.copy_(found["record"])
        self._best = {name.removeprefix("best."): value for name, value in found.items() if name.startswith("best.")}

    @property
    def exact(self) -> bool | None:
        return None if self.record[WRONG] < 0 else bool(self.record[WRONG] == 0)

    def facts(self) -> dict[str, Any]:
        wrong, checked, attempts, _ = (int(each) for each in self.record.tolist())
        checks = {"wrong_examples": wrong, "checked_examples": checked, "attempts": attempts}
        return {"exact": self.exact, **(checks if wrong >= 0 else {})}
