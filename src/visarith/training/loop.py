"""The training loop of all learners: an iterator of epochs, whose batches depend on seed and epoch only."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.view import View
from visarith.errors import VisarithError, recipe_field
from visarith.randomness import generator, rng
from visarith.training.computation import Precision
from visarith.training.recipe import Recipe

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
    """A learner in training: its computation and its optimizer, which can be saved and restored."""

    def __init__(
        self, learner: "Learner", data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu"
    ) -> None:
        self.recipe, self.seed, self.count = recipe, seed, len(data)
        self.steps_an_epoch = math.ceil(len(data) / recipe.batch)
        self.network, shown = learner.inner(data)
        self.network.start(shown, recipe, generator(seed, "weights"))
        learner.to(device)  # after the start, so that all devices start with equal weights
        bf16 = recipe.precision == "bf16" or (recipe.precision == "auto" and fast_bf16())
        self.computation = self.network.computation(shown, recipe, seed=seed, bf16=bf16)
        if recipe.precision not in ("auto", self.precision):
            raise VisarithError(
                f"precision {recipe.precision} is not possible for this learner on these pictures; "
                f"use {recipe_field('precision', self.precision)}, or auto"
            )
        self.optimizer = _optimizer(self.computation.trained(), recipe)
        self.epochs_done = 0

    @property
    def precision(self) -> Precision:
        """The precision of matrix products that is used; the recipe may say auto."""
        return self.computation.precision

    def epochs(self, on_step: Callable[[], None] = lambda: None) -> Iterator[Epoch]:
        """Train to the end of the recipe; the learner has the weights of each epoch when the epoch is yielded."""
        recipe = self.recipe
        total = recipe.epochs * self.steps_an_epoch
        while self.epochs_done < recipe.epochs:
            started, spent = time.perf_counter(), time.process_time()
            order = rng(self.seed, "order", self.epochs_done).permutation(self.count)
            noise = generator(self.seed, "noise", self.epochs_done)
            losses = []
            self.network.train()
            with torch.random.fork_rng(devices=[]):  # for dropout in users' modules
                torch.manual_seed(noise.initial_seed())
                for step in range(self.steps_an_epoch):
                    rows = order[step * recipe.batch : (step + 1) * recipe.batch]
                    self._set_rate((self.epochs_done * self.steps_an_epoch + step) / total)
                    losses.append(self.step(rows, noise) * len(rows))
                    on_step()
            self.computation.sync()
            self.network.eval()
            self.epochs_done += 1
            steps = self.epochs_done * self.steps_an_epoch
            loss = torch.stack(losses).sum(dtype=torch.float64).item() / self.count
            if not math.isfinite(loss):
                raise VisarithError(
                    f"the loss was {loss} in epoch {self.epochs_done}; use a smaller rate or loss_scale"
                )
            yield Epoch(self.epochs_done, steps, loss, time.perf_counter() - started, time.process_time() - spent)

    def step(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """One step of the optimizer on these examples; returns their loss."""
        with self.network.dropping_out(noise):
            loss = self.computation.gradients(rows, noise)
        self.optimizer.step()
        return loss

    def _set_rate(self, progress: float) -> None:
        falling = 0.5 * (1 + math.cos(math.pi * progress)) if self.recipe.schedule == "cosine" else 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.rate * falling

    def state(self) -> dict[str, Any]:
        """The checkpoint: everything that the next epoch depends on."""
        return {
            "epochs_done": self.epochs_done,
            "weights": self.computation.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.epochs_done = state["epochs_done"]
        self.computation.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.computation.sync()


def fast_bf16() -> bool:
    """Whether bf16 is faster here: x86 with bf16 instructions, and oneDNN to use them."""
    capabilities = torch.cpu.get_capabilities()
    native = capabilities.get("avx512_bf16", False) or capabilities.get("amx_bf16", False)
    return bool(native and torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]


class Momentum:
    """SGD with momentum as in torch.optim.SGD, whose overhead takes as long as the update itself."""

    def __init__(self, weights: list[nn.Parameter], rate: float, momentum: float) -> None:
        self.weights, self.momentum = weights, momentum
        self.param_groups: list[dict[str, Any]] = [{"lr": rate}]
        self.velocities = [torch.zeros_like(weight) for weight in weights]

    @torch.no_grad()
    def step(self) -> None:
        for weight, velocity in zip(self.weights, self.velocities, strict=True):
            if weight.grad is None:  # the loss does not depend on it
                continue
            torch.add(weight.grad, velocity, alpha=self.momentum, out=velocity)
            weight.add_(velocity, alpha=-self.param_groups[0]["lr"])

    def state_dict(self) -> dict[str, Any]:
        return {"velocities": self.velocities}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for velocity, stored in zip(self.velocities, state["velocities"], strict=True):
            velocity.copy_(stored)


def _optimizer(weights: list[nn.Parameter], recipe: Recipe) -> torch.optim.Optimizer | Momentum:
    if recipe.optimizer == "adam":
        return torch.optim.Adam(weights, lr=recipe.rate, fused=True)
    return Momentum(weights, recipe.rate, recipe.momentum)


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
