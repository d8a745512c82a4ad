"""Print every bar of speed and memory, each beside what a user would do instead.

    make bench

Times on a shared machine swing; so both sides of a ratio run in turns, and the medians of the turns are compared.
"""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import cast, get_args

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import nn

import visarith as va
from visarith.data.picture_set import PictureSet
from visarith.learners.learner import Network
from visarith.pictures.typeface import Ink, shipped_font
from visarith.randomness import generator
from visarith.training.loop import Training
from visarith.training.recipe import PAPER

THREADS, STEPS, TURNS = 2, 40, 60


def in_turns(one: Callable[[], None], other: Callable[[], None], turns: int) -> tuple[float, float, float]:
    """The median seconds of each and the median of their ratios, run in short turns after a warm-up."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns + 2):
        for kept, work in zip(seconds, (one, other), strict=True):
            started = time.perf_counter()
            work()
            if turn >= 2:
                kept.append(time.perf_counter() - started)
    ratios = [a / b for a, b in zip(*seconds, strict=True)]
    return statistics.median(seconds[0]), statistics.median(seconds[1]), statistics.median(ratios)


def plain_pytorch(task: va.Task, data: PictureSet, batches: Iterator[np.ndarray]) -> Callable[[], None]:
    """What a user would write: dense f32 tensors in memory, nn.Sequential, torch.optim.SGD."""
    inputs, targets = data.batch(np.arange(len(data)), generator(0, "none"))
    inputs, targets = (inputs - data.mean_inputs).flatten(1), targets.flatten(1)
    network = nn.Sequential(
        *(nn.Linear(1800, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()),
        *(nn.Linear(256, 900), nn.Sigmoid()),
    )
    start = cast(Network, va.learner_config().build(task))
    start.initialise(PAPER.initialisation, PAPER.output_initialisation, generator(0, "weights"))
    start.answer_first(data.mean_targets)
    for layer, own in zip([m for m in network if isinstance(m, nn.Linear)], start.linear(), strict=True):
        layer.load_state_dict(own.state_dict())
    optimizer = torch.optim.SGD(network.parameters(), lr=PAPER.rate, momentum=PAPER.momentum)

    def steps() -> None:
        for _ in range(STEPS):
            rows = torch.from_numpy(next(batches))
            loss = PAPER.loss_scale * (network(inputs[rows]) - targets[rows]).square().sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return steps


def batches() -> Iterator[np.ndarray]:
    """The same endless batches for both."""
    rng = np.random.default_rng(0)
    while True:
        order = rng.permutation(150_000)
        yield from np.split(order[: 585 * PAPER.batch], 585)


def training(ink: Ink) -> None:
    torch.set_num_threads(THREADS)
    task = va.Task("add", typeface=va.Typeface(ink=ink))
    data, _ = task.split(150_000, 1, seed=0)
    ours = Training(va.learner_config().build(task), data.view(), PAPER, seed=0)
    silent, own_batches = generator(0, "none"), batches()

    def our_steps() -> None:
        for _ in range(STEPS):
            ours.step(next(own_batches), silent)

    plain, fast, ratio = in_turns(plain_pytorch(task, data, batches()), our_steps, TURNS)
    print(
        f"training, {ink} ink, {THREADS} threads: plain PyTorch {1e3 * plain / STEPS:.2f} ms a step, "
        f"ours ({ours.precision}) {1e3 * fast / STEPS:.2f} ms: {ratio:.2f} times faster (bar: 2.3)"
    )


def typesetting() -> None:
    layout = va.Task("add").layout
    symbols = np.random.default_rng(0).integers(0, 10, (20_000, layout.cells), dtype=np.uint8)
    texts = ["".join(map(str, row)) for row in symbols[:2_000].tolist()]
    font = ImageFont.truetype(str(shipped_font("DejaVuSans.ttf")), 12, layout_engine=ImageFont.Layout.BASIC)
    buffer = layout.typeset(symbols[:500])

    def pillow() -> None:
        for text in texts:
            picture = Image.new("1", (layout.width, layout.height))
            ImageDraw.Draw(picture).text((2, 0), text, font=font, fill=1)
            np.asarray(picture, np.uint8)

    def ours() -> None:
        for start in range(0, len(symbols), len(buffer)):
            layout.typeset(symbols[start : start + len(buffer)], out=buffer)

    slow, fast, _ = in_turns(pillow, ours, 9)
    slow, fast = slow / len(texts), fast / len(symbols)
    print(f"typesetting: a Pillow call {1e6 * slow:.1f} us a picture, ours {1e6 * fast:.2f} us: "
          f"{slow / fast:.0f} times faster (bar: 30)")  # fmt: skip


def memory() -> None:
    """The peak of a training run at full size, in a process of its own."""
    code = (
        "import tempfile, visarith as va\n"
        "with tempfile.TemporaryDirectory() as out: va.learn('add', epochs=1, out=out + '/run')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024**2 if sys.platform != "darwin" else 1024**3)
    print(f"memory: a training run at full size peaks at {peak:.2f} GiB (bar: 1.5)")


def start() -> None:
    """How long --help takes, and that it needs no torch."""
    command = [sys.executable, "-X", "importtime", "-m", "visarith", "--help"]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    seconds = []
    for _ in range(9):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "visarith", "--help"], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - started)
    torches = "imports torch" if "torch" in log else "imports no torch"
    print(f"visarith --help: {statistics.median(seconds):.2f} s (bar: 0.4), {torches}")


if __name__ == "__main__":
    memory()
    start()
    typesetting()
    for ink in get_args(Ink):
        training(ink)
