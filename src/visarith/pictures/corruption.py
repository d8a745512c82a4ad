"""Corruption of pictures: Gaussian noise, displacement, a fixed permutation of the pixels."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError
from visarith.randomness import rng

MOST_NOISE, MOST_DISPLACEMENT = 100, 100
CPU = "cpu"  # pictures are drawn on the CPU, so that random numbers do not depend on the device


@dataclass(frozen=True)
class Corruption:
    """Noise is added to inputs and targets (Sec. 3.1); displacement moves inputs only.

    Targets are not displaced: the best prediction of an answer at an unknown place is a blur.
    """

    noise: float = 0.0  # standard deviation, where full ink is 1
    clipped: bool = False  # noisy pixels stay in [0, 1], as those of 8-bit picture files do
    displacement: int = 0  # most pixels by which an input moves, vertically and horizontally
    permutation: bool = False  # the same fixed order of pixels for inputs and targets
    permuted_first: bool = False  # permute before the displacement, which then moves shuffled pixels

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= MOST_NOISE:
            usable = f"0 to {MOST_NOISE} (the paper: 0.3)"
            raise VisarithError(f"noise {self.noise} is not a standard deviation; use {usable}")
        if not 0 <= self.displacement <= MOST_DISPLACEMENT:
            usable = f"0 to {MOST_DISPLACEMENT}"
            raise VisarithError(f"displacement {self.displacement} is not a number of pixels; use {usable}")
        if self.permuted_first and not (self.permutation and self.displacement):
            raise VisarithError("permuted_first needs a permutation and a displacement; give both")
        if self.clipped and not self.noise:
            raise VisarithError("clipped needs noise; give both")

    @property
    def changes_pixels(self) -> bool:
        """Whether pictures differ from glyphs in cells, so that no shortcut applies."""
        return self.noise > 0 or self.displacement > 0

    def displace(self, pictures: Tensor, generator: torch.Generator) -> Tensor:
        """Move each picture by its own random offset; pixels that enter are 0."""
        reach = self.displacement
        if not reach:
            return pictures
        *count, height, width = pictures.shape
        flat = pictures.reshape(-1, height, width)
        padded = torch.nn.functional.pad(flat, (reach, reach, reach, reach))
        offsets = torch.randint(0, 2 * reach + 1, (2, len(flat)), generator=generator, device=CPU)
        rows = (offsets[0][:, None] + torch.arange(height, device=CPU))[:, :, None]
        columns = (offsets[1][:, None] + torch.arange(width, device=CPU))[:, None, :]
        moved = padded[torch.arange(len(flat), device=CPU)[:, None, None], rows, columns]
        return moved.reshape(*count, height, width)

    def displaced_mean(self, mean: Tensor) -> Tensor:
        """Return the mean over all offsets of a mean picture (..., height, width)."""
        reach = self.displacement
        if not reach:
            return mean
        *_, height, width = mean.shape
        padded = torch.nn.functional.pad(mean, (reach, reach, reach, reach))
        shifts = range(2 * reach + 1)
        return torch.stack([padded[..., y : y + height, x : x + width] for y in shifts for x in shifts]).mean(0)

    def add_noise(self, pictures: Tensor, generator: torch.Generator) -> Tensor:
        if not self.noise:
            return pictures
        noisy = torch.randn(pictures.shape, generator=generator, device=CPU).mul_(self.noise).add_(pictures)
        return noisy.clamp_(0, 1) if self.clipped else noisy

    def expected(self, pixels: np.ndarray) -> np.ndarray:
        """Return the mean of each pixel over its noise: clipping brightens the ink and darkens the ground.

        >>> Corruption(noise=0.3, clipped=True).expected(np.array([0.0, 0.5, 1.0])).round(3).tolist()
        [0.12, 0.5, 0.88]
        """
        if not (self.noise and self.clipped):
            return pixels
        below, above = (torch.from_numpy((end - pixels) / self.noise).double() for end in (0, 1))
        inside = torch.special.ndtr(above) - torch.special.ndtr(below)
        density = [torch.exp(-end.square() / 2) / math.sqrt(2 * math.pi) for end in (below, above)]
        mean = torch.from_numpy(pixels) * inside + self.noise * (density[0] - density[1]) + torch.special.ndtr(-above)
        clipped: np.ndarray = mean.numpy().astype(pixels.dtype)
        return clipped


def permutation(pixels: int) -> np.ndarray:
    """Return the fixed permutation of a picture's pixels, which is the same for every run."""
    return rng(0, "permutation", pixels).permutation(pixels)
