"""A network that checks itself on its training examples and keeps the best weights of its attempts."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from visarith.learners.learner import Network

WRONG, CHECKED, ATTEMPTS, TRIAL = range(4)  # in `record`


class Checked(Network):
    """`keep` is called after each attempt, `take_best` after the last one."""

    record: Tensor  # wrong training examples, training examples, attempts and the loss of the best trial; -1: unknown

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__(inputs, outputs, shape, answer_shape)
        self.register_buffer("record", torch.full((4,), -1.0, device="cpu"))
        self._best: dict[str, Tensor] = {}  # the weights that drew the fewest training examples wrong

    def keep(self, wrong: int, count: int, attempt: int, tell: Callable[[str], None] = lambda _: None) -> None:
        """Record how many training examples are wrong, and keep the weights if they are the best so far."""
        self.record[:TRIAL] = torch.tensor([wrong, count, attempt], device=self.device)
        if not self._best or wrong <= self._best["record"][WRONG]:  # of equally good ones, the last
            self._best = {name: value.clone() for name, value in self.state_dict().items()}
        if wrong:
            tell(f"{wrong:,} of {count:,} training examples are wrong or not clear (attempt {attempt})")

    def take_best(self) -> None:
        """Take the best weights of all attempts."""
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
