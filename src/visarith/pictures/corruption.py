"""What may happen to a picture: Gaussian noise, displacement, a fixed permutation of the pixels."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError
from visarith.randomness import rng

CPU = "cpu"  # where pictures are made, with random numbers that are the same for every device


@dataclass(frozen=True)
class Corruption:
    """Noise falls on inputs and targets (Sec. 3.1) and is not clipped; displacement moves inputs only.

    A target stays at its place, since an answer that may stand anywhere could only be drawn as a blur.
    """

    noise: float = 0.0  # sigma, in units of full ink
    displacement: int = 0  # each input moves by up to this many pixels, up or down and left or right
    permutation: bool = False  # one fixed order of pixels for inputs and targets
    permuted_first: bool = False  # permute before displacing, so that what moves together are no longer neighbours

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 100:
            raise VisarithError(f"noise {self.noise} is no standard deviation; use 0 or more (the paper: 0.3)")
        if not 0 <= self.displacement <= 100:
            raise VisarithError(f"displacement {self.displacement} is no number of pixels; use 0 or more")

    @property
    def changes_pixels(self) -> bool:
        """Whether pictures are more than glyphs in cells, so that no shortcut applies."""
        return self.noise > 0 or self.displacement > 0

    def displace(self, pictures: Tensor, generator: torch.Generator) -> Tensor:
        """Move each picture by its own random offset; what enters is ground."""
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
        """The mean over all offsets of a mean picture (..., height, width)."""
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
        return torch.randn(pictures.shape, generator=generator, device=CPU).mul_(self.noise).add_(pictures)


def permutation(pixels: int) -> np.ndarray:
    """The fixed permutation of a picture's pixels; the same for every run, so that runs can be compared."""
    return rng(0, "permutation", pixels).permutation(pixels)
