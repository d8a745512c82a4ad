"""Which of several vectors another one is nearest to, and how surely."""

import torch
from torch import Tensor


def nearest(vectors: Tensor, choices: Tensor) -> tuple[Tensor, Tensor]:
    """For vectors (..., length) the number of the nearest choice, and how much more of it there is than of any other.

    That is 1 at the choice itself and 0 half way to another one, as in the reading of templates.
    """
    squares = torch.cdist(vectors.flatten(0, -2), choices).square()
    least, which = squares.min(1)
    if len(choices) == 1:
        sure = torch.ones_like(least)
    else:
        apart = torch.cdist(choices, choices).square()
        margins = (squares - least[:, None]) / apart[which].clamp(min=1e-12)
        sure = margins.scatter(1, which[:, None], torch.inf).min(1).values
    return which.view(vectors.shape[:-1]), sure.view(vectors.shape[:-1])
