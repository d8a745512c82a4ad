"""The training loop of all learners: an iterator of epochs, whose batches depend on seed and epoch only."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.view import View
from visarith.errors import VisarithError, recipe_field
from visarith.randomness import generator, rng
from visarith.training.computation import Precision
from visarith.training.optimizers import optimizer
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.learners.learner import Learner


@dataclass(frozen=True)
class Epoch:
    """What the loop reports at the end of an epoch."""

    number: int  # from 1
    steps: int  # since the start of training
    loss: float  # mean over the epoch
    seconds: float
    core_seconds: float  # processor time, which other programs do not change


class Training:
    """A learner in training: its computation and its optimizer, which can be saved and restored.

    The learner plans the rounds, and may ask for more of them when these are done.
    """

    def __init__(
        self,
        learner: "Learner",
        data: View,
        recipe: Recipe,
        *,
        seed: int,
        device: torch.device | str = "cpu",
        rounds: list[Round] | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.recipe, self.seed, self.count, self.tell = recipe, seed, len(data), tell
        self.network, self.shown = learner.inner(data)
        self.network.start(self.shown, recipe, generator(seed, "weights"))
        learner.to(device)  # after the start, so that all devices start with equal weights
        bf16 = recipe.precision == "bf16" or (recipe.precision == "auto" and fast_bf16())
        self.computation = self.network.computation(self.shown, recipe, seed=seed, bf16=bf16)
        if recipe.precision not in ("auto", self.precision):
            raise VisarithError(
                f"precision {recipe.precision} is not possible for this learner on these pictures; "
                f"use {recipe_field('precision', self.precision)}, or auto"
            )
        self.rounds = self.network.rounds(self.shown, recipe) if rounds is None else rounds
        self.asks = rounds is None  # whether the learner may ask for more rounds
        self.epochs_done = 0
        self._enter(0)

    @property
    def precision(self) -> Precision:
        """The precision of matrix products that is used; the recipe may say auto."""
        return self.computation.precision

    @property
    def epochs_planned(self) -> int:
        """The epochs of all rounds so far."""
        return sum(each.epochs for each in self.rounds)

    @property
    def steps_planned(self) -> int:
        """The steps of all rounds so far."""
        return sum(each.epochs * each.steps for each in self.rounds)

    @property
    def steps_done(self) -> int:
        """The steps since the start of training."""
        before = self.rounds[: self.number]
        in_round = self.epochs_done - sum(each.epochs for each in before)
        return sum(each.epochs * each.steps for each in before) + in_round * self.rounds[self.number].steps

    def epochs(self, on_step: Callable[[], None] = lambda: None) -> Iterator[Epoch]:
        """Train to the end of all rounds; the learner has the weights of each epoch when the epoch is yielded."""
        while self._goes_on():
            started, spent = time.perf_counter(), time.process_time()
            noise = generator(self.seed, "noise", self.epochs_done)
            losses, rows_seen = list[float](), 0
            self.network.train()
            with torch.random.fork_rng(devices=[]):  # for dropout in users' modules
                torch.manual_seed(noise.initial_seed())
                for rows, progress in self._batches():
                    self._set_rate(progress)
                    loss = float(self.step(rows, noise))
                    if not math.isfinite(loss):
                        raise self._not_finite(f"the loss was {loss}", len(losses) + 1)
                    losses.append(loss * len(rows))
                    rows_seen += len(rows)
                    on_step()
            self.computation.sync()
            self.network.eval()
            if not all_finite([self.computation.trained(), self.optimizer.state_dict()]):
                raise self._not_finite("weights were no longer finite", len(losses))
            self.epochs_done += 1
            taken = time.perf_counter() - started, time.process_time() - spent
            yield Epoch(self.epochs_done, self.steps_done, math.fsum(losses) / rows_seen, *taken)

    def _not_finite(self, what: str, step: int) -> VisarithError:
        kept = f"the state after epoch {self.epochs_done} is kept; " if self.epochs_done else ""
        where = f"step {step} of epoch {self.epochs_done + 1}"
        return VisarithError(f"{what} after {where}; {kept}use a smaller rate or loss_scale")

    def _goes_on(self) -> bool:
        """Whether there is another epoch; enters the next round, or asks the learner for more, when one is done."""
        while self.epochs_done == sum(each.epochs for each in self.rounds[: self.number + 1]):
            if self.number + 1 == len(self.rounds):
                more = self.network.more_rounds(self.shown, self.recipe, self.rounds, self.tell) if self.asks else []
                if not more:
                    return False
                self.rounds = [*self.rounds, *more]
            self._enter(self.number + 1)
        return True

    def _enter(self, number: int) -> None:
        """Begin a round: with new weights if it says so, and with a new optimizer."""
        self.number, this = number, self.rounds[number]
        if this.fresh:
            self.network.start(self.shown, self.recipe, generator(self.seed, "weights", this.attempt))
        self.network.enter(this.stage, self.shown)
        self.optimizer = optimizer(self.computation, replace(self.recipe, rate=this.rate))

    def _batches(self) -> Iterator[tuple[np.ndarray, float]]:
        """The examples of each step of an epoch, and the share of the round that is done before it."""
        this, batch = self.rounds[self.number], self.recipe.batch
        dice = rng(self.seed, "order", self.epochs_done)
        passes = 1 if this.steps == math.ceil(self.count / batch) else math.ceil(this.steps * batch / self.count)
        order = np.concatenate([dice.permutation(self.count) for _ in range(passes)])
        before = self.epochs_done - sum(each.epochs for each in self.rounds[: self.number])
        for step in range(this.steps):
            rows = order[step * batch : (step + 1) * batch]
            if this.often:
                rows[len(rows) // 2 :] = dice.choice(this.often, len(rows) - len(rows) // 2)
            yield rows, (before * this.steps + step) / (this.epochs * this.steps)

    def step(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """One step of the optimizer on these examples; returns their loss."""
        with self.network.dropping_out(noise):
            loss = self.computation.gradients(rows, noise)
        if (largest := self.rounds[self.number].clip) < math.inf:
            nn.utils.clip_grad_norm_(self.computation.trained(), largest)
        self.optimizer.step()
        return loss

    def _set_rate(self, progress: float) -> None:
        falling = 0.5 * (1 + math.cos(math.pi * progress)) if self.recipe.schedule == "cosine" else 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rounds[self.number].rate * falling

    def state(self) -> dict[str, Any]:
        """The checkpoint: everything that the next epoch depends on."""
        return {
            "epochs_done": self.epochs_done,
            "rounds": [asdict(each) for each in self.rounds],
            "round": self.number,
            "weights": self.computation.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.epochs_done = state["epochs_done"]
        self.rounds = [Round(**each) for each in state["rounds"]]
        self._enter(state["round"])
        self.computation.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.computation.sync()
        self.network.eval()  # as after an epoch: there may be none left


def all_finite(found: Any) -> bool:
    """Whether every number in these tensors, however nested, is finite."""
    if isinstance(found, Tensor):
        return bool(found.isfinite().all())
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple) else ()
    return all(all_finite(part) for part in parts)


def fast_bf16() -> bool:
    """Whether bf16 is faster here: x86 with bf16 instructions, and oneDNN to use them."""
    capabilities = torch.cpu.get_capabilities()
    native = capabilities.get("avx512_bf16", False) or capabilities.get("amx_bf16", False)
    return bool(native and torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]


@contextmanager
def guest(threads: int | None = None) -> Iterator[None]:
    """Set the threads, flush denormal numbers, use the CPU as default device; restore these and the random state.

    Denormal numbers can make a step of training thirty times slower.
    """
    before, flushed = torch.get_num_threads(), flushes_denormals()
    torch.set_flush_denormal(True)  # first, since new threads inherit it
    torch.set_num_threads(threads or before)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(flushed)


def flushes_denormals() -> bool:
    """Whether denormal numbers are flushed to zero; PyTorch has no query, so one is computed."""
    return not bool(torch.tensor([1e-38], device="cpu") * 1e-2)
