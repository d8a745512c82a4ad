"""The distinct cells of pictures, and the order in which pictures show them."""

import numpy as np
import torch
from torch import Tensor

from visarith.pictures.codebook import Codebook

AT_A_TIME = 5_000  # examples in which the order is counted


def distinct(book: Codebook) -> Tensor:
    """The distinct cells that occur in the inputs and answers of a codebook: (symbols, pixels)."""
    occur = [side.layout.patterns[np.unique(side.codes)] for side in (book.inputs, book.answers)]
    return torch.from_numpy(np.unique(np.concatenate(occur), axis=0))


def in_order(inputs: Tensor, answers: Tensor, count: int) -> Tensor:
    """The symbols sorted by where they occur first in pictures: (examples, pictures, cells) twice -> (symbols,)."""
    before = torch.zeros(count, count, dtype=torch.long, device="cpu")
    for start in range(0, len(inputs), AT_A_TIME):
        pictures = torch.cat([side[start : start + AT_A_TIME] for side in (inputs, answers)], 1).flatten(0, 1)
        shown = pictures[:, :, None] == torch.arange(count, device="cpu")  # (pictures, cells, symbols)
        here, first = shown.any(1), shown.int().argmax(1)
        before += ((first[:, :, None] < first[:, None]) & here[:, :, None] & here[:, None]).sum(0)
    return (before < before.T).sum(1).argsort(stable=True)
