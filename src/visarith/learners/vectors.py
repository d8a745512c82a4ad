"""Vector quantisation: choose vectors that represent others, and find the nearest of them."""

import torch
from torch import Tensor


class NotFiniteError(ValueError):
    """A number is infinite or NaN: it compares with nothing, so that nothing would be found wrong with it."""


def finite(what: str, *tensors: Tensor) -> None:
    """Refuse tensors with values that are infinite or NaN."""
    if not all(bool(each.isfinite().all()) for each in tensors):
        raise NotFiniteError(f"some {what} are infinite or not a number")


def far_apart(vectors: Tensor, count: int) -> list[int]:
    """The indices of `count` vectors: the first, then each time the one that is farthest from all chosen ones."""
    chosen, distance = [0], torch.full((len(vectors),), torch.inf, device=vectors.device)
    while len(chosen) < count:
        distance = torch.minimum(distance, (vectors - vectors[chosen[-1]]).square().sum(1))
        chosen.append(int(distance.argmax()))
    return chosen


def found(rows: Tensor) -> Tensor:
    """The rows of a buffer that are in use; the others are NaN."""
    return rows[~rows.isnan().any(1)]


def nearest(vectors: Tensor, choices: Tensor) -> tuple[Tensor, Tensor]:
    """The index of the nearest choice to each vector (..., length), and its margin over the second nearest.

    The margin is 1 at the choice itself and 0 half way to another one, as in the template reader.
    """
    squares = torch.cdist(vectors.flatten(0, -2), choices).square()
    least, which = squares.min(1)
    if len(choices) == 1:
        margin = torch.ones_like(least)
    else:
        apart = torch.cdist(choices, choices).square()
        margins = (squares - least[:, None]) / apart[which].clamp(min=1e-12)
        margin = margins.scatter(1, which[:, None], torch.inf).min(1).values
    return which.view(vectors.shape[:-1]), margin.view(vectors.shape[:-1])


def means(vectors: Tensor, choices: Tensor, rounds: int = 10) -> Tensor:
    """Move each choice to the mean of the vectors that are nearest to it, in so many rounds (k-means)."""
    for _ in range(rounds):
        which, _ = nearest(vectors, choices)
        sums = torch.zeros_like(choices).index_add(0, which, vectors)
        count = torch.bincount(which, minlength=len(choices))[:, None]
        choices = torch.where(count > 0, sums / count.clamp(min=1), choices)
    return choices


def within(margin: float, vectors: Tensor, choices: Tensor) -> list[list[int]]:
    """For each vector the nearest choice and every other one with a margin of at most `margin` to it.

    None of the lists is empty: distances that are not finite raise an error.
    """
    squares = torch.cdist(vectors.flatten(0, -2), choices).square()
    finite("distances", squares)
    least, which = squares.min(1)
    apart = torch.cdist(choices, choices).square()[which]
    return [row.nonzero().flatten().tolist() for row in squares - least[:, None] <= margin * apart]
