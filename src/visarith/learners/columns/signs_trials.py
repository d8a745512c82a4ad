"""The trials of a network for several operations: which path each sign has."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.learners.checked import TRIAL
from visarith.learners.columns import SCANS
from visarith.learners.columns.signs import sign_patterns
from visarith.learners.columns.trials import LEARNED, STEPS, Device, examples, trial
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

LONGER = 4  # times the steps of a trial, if no path has learned a sign: it has a part of the examples only
Trials = list[dict[str, float]]  # for each sign, the loss of each path that was tried


def goes_by_sign(columns: "Columns", data: View, recipe: Recipe) -> bool:
    """Whether each sign is to have a path of its own: clean pictures of one cell each must show the signs."""
    path, _ = columns.asked
    if columns.sign is None or path not in ("", "signs"):
        return False
    plain = columns.clean and not recipe.centring and columns.meeting.has_rows(columns.outputs)
    can = plain and data.codebook is not None and sign_patterns(data.codebook, columns.sign) is not None
    if path == "signs" and not can:
        raise VisarithError(
            "path 'signs' is for clean pictures, not centred, whose sign is in one cell; use path 'both'"
        )
    return can


def decide_by_sign(
    columns: "Columns", data: View, recipe: Recipe, *, seed: int, device: Device = "cpu", tell: Callable[[str], None]
) -> dict[str, Trials]:
    """Choose the scan of all signs and the path of each; returns the losses of each scan that was tried.

    For each scan, the paths are tried on the examples of one sign after the other. The first scan from which every sign
    is learned is chosen. If there is none, the one with the smallest total loss is chosen.
    """
    book = data.codebook
    assert book is not None
    assert columns.sign is not None
    cells = sign_patterns(book, columns.sign)
    assert cells is not None
    columns.signs.set(torch.from_numpy(cells).to(columns.device), ["aligned"] * len(cells))
    numbers, most = columns.sign_numbers(book), LONGER * examples(recipe)
    parts = [data.take(np.flatnonzero(numbers == sign)[:most]) for sign in range(len(cells))]
    found: dict[str, Trials] = {}
    for scan in [columns.asked[1]] if columns.asked[1] else SCANS:
        found[scan] = []
        for number, part in enumerate(parts, 1):
            about = f"sign {number} of {len(parts)}"
            found[scan].append(_tried(columns, scan, part, recipe, about, seed=seed, device=device, tell=tell))
        if _worst(found[scan]) < LEARNED:
            break
    learned = _worst(found[scan]) < LEARNED
    best = scan if learned else min(found, key=lambda scan: sum(min(each.values()) for each in found[scan]))
    columns.signs.set_paths([min(each, key=each.__getitem__) for each in found[best]])
    columns.choose("signs", best)
    columns.record[TRIAL] = _worst(found[best])
    if not learned:
        left = ", ".join(f"{100 * min(each.values()):.1f} %" for each in found[best])
        tell(f"no scan learned every sign in {LONGER * STEPS} steps; the best is {best} ({left} of the variance left)")
    return found


def _tried(
    columns: "Columns",
    scan: str,
    data: View,
    recipe: Recipe,
    about: str,
    *,
    seed: int,
    device: Device,
    tell: Callable[[str], None],
) -> dict[str, float]:
    """Try the paths of one sign, the simplest first; if none learns it, try longer, the best path first."""
    shares: dict[str, float] = {}
    paths = ("aligned", "rows") if scan == "right" else ("aligned",)
    for steps in (STEPS, LONGER * STEPS):
        for path in sorted(paths, key=lambda path: shares.get(path, 0)):
            tell(f"{about}: trying path and scan {path}, {scan}, for {steps} steps")
            few = data.head(steps // 4 * recipe.batch)
            shares[path] = trial(columns, path, scan, few, recipe, seed=seed, device=device, steps=steps)
            learned = shares[path] < LEARNED
            tell(f"loss {100 * shares[path]:.1f} % of the variance{': learned' if learned else ''}")
            if learned:
                return shares
    return shares


def _worst(trials: Trials) -> float:
    """The loss of the sign that is learned worst."""
    return max(min(each.values()) for each in trials)
