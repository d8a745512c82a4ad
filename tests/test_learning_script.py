"""The trainer in JavaScript: its first steps are those of Python's learner and loop, and it learns to add."""

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import visarith as va
from browser import Browser, browser
from visarith.data.view import View
from visarith.learners.columns.network import Columns
from visarith.learners.columns.tabled import Tabled
from visarith.randomness import generator
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS, Recipe
from visarith.training.round import Round
from visarith.web import STATIC
from visarith.web.bundle import bundle
from visarith.web.networks import Networks, offered

STEPS, BATCH, SEED = 20, 32, 3

# Trains in the browser: takes start weights, pictures and noise, returns the loss of each step and the weights.
TRAIN = """(places, recipe, start, pictures, noise, batch) => {
    const floats = (text) => new Float64Array(bytes(text).buffer);
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { Trainer } = visarithModules["learning/trainer.js"];
    const trainer = new Trainer(places.map((own) => Int32Array.from(own)), recipe, null);
    const { learner } = trainer, parts = { begin: [[learner.begin, "starts"]] };
    for (const name of ["reader", "meet", "hands", "painter"])
        parts[name] = learner[name].layers.flatMap((layer, i) =>
            [[layer.weight, `${name}.${2 * i}.weight`], [layer.bias, `${name}.${2 * i}.bias`]]);
    for (const [tensor, name] of Object.values(parts).flat()) tensor.values.set(floats(start[name]));
    learner.changed();
    const all = bytes(pictures), size = all.length / (recipe.steps * batch * 3), dice = noise && floats(noise);
    const losses = [], cells = places.length;
    for (let step = 0; step < recipe.steps; step++) {
        const examples = Array.from({ length: batch }, (_, i) => {
            const own = [0, 1, 2].map((which) => {
                const at = ((step * batch + i) * 3 + which) * size;
                return all.subarray(at, at + size);
            });
            return { shown: own.slice(0, 2), answer: own[2] };
        });
        const jitter = dice && ((column, i, part) => dice[((step * cells + column) * batch + i) * 16 + part]);
        for (const _ of trainer.step(examples, jitter));
        losses.push(trainer.loss);
    }
    const trained = {};
    for (const [tensor, name] of Object.values(parts).flat()) trained[name] = [...tensor.values];
    const { weight, bias, inputs } = learner.painter.last;
    trained["painter.4.weight"] = [...learner.groupOf].flatMap((group) =>
        [...weight.values.subarray(group * inputs, (group + 1) * inputs)]);
    trained["painter.4.bias"] = [...learner.groupOf].map((group) => bias.values[group]);
    return [losses, trained, learner.painter.last.units];
}"""

LEARN = """(layout, seed, steps) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { Course } = visarithModules["learning/course.js"];
    const course = new Course({ ...layout, inked: layout.glyphs.map(bytes) }, seed);
    const started = performance.now();
    let solved = null;
    for (const _ of course.work()) {
        if (course.steps >= steps) break;
        const last = course.tests[course.tests.length - 1];
        if (last?.wrong === 0) solved ??= { steps: last.steps, seconds: (performance.now() - started) / 1000 };
    }
    for (const _ of course.test());
    window.course = course;
    return { losses: course.losses, tests: course.tests, solved, shown: course.shown };
}"""
ANSWER = """(a, b, cells) => {
    const { read, carried, sums } = window.course.answer(a, b, cells);
    return [read, sums.read(carried.filter(Boolean))];
}"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page with the trainer only."""
    folder = tmp_path_factory.mktemp("learning")
    (folder / "learning.js").write_text(bundle(STATIC, ["learning/course.js"]))
    (folder / "index.html").write_text('<!doctype html><title>bare</title><script src="learning.js"></script>')
    with browser() as opened:
        opened.open(folder / "index.html")
        yield opened
        assert not opened.complaints


def named(columns: Columns) -> dict[str, np.ndarray]:
    """The weights that the path aligned and the scan from the right use."""
    parts = {"reader": columns.meeting.reader, "meet": columns.meeting.meet["aligned"]}
    parts |= {"hands": columns.hands[0], "painter": columns.painter}
    own = {f"{part}.{name}": each for part, module in parts.items() for name, each in module.named_parameters()}
    return {name: each.detach().numpy().copy() for name, each in {**own, "starts": columns.starts[0]}.items()}


def packed(array: np.ndarray, kind: str = "<f8") -> str:
    return base64.b64encode(np.ascontiguousarray(array).astype(kind).tobytes()).decode()


def in_python(recipe: Recipe, operation: str = "add") -> tuple[Any, ...]:
    """Train for some steps: the start weights, the pictures of each step, the losses and the weights afterwards."""
    task = va.Task(operation)
    view = task.split(2_000, 1, seed=SEED)[0].view()
    columns = va.learner_config("columns", path="aligned", scan="right").build(task)
    assert isinstance(columns, Columns)
    training = Training(columns, view, recipe, seed=SEED, rounds=[Round(1, STEPS, recipe.rate)])
    if recipe.shortcuts:
        in_double_precision(training)
    start, losses, shown = named(columns), [], []
    step = training.step

    def watched(rows: np.ndarray, noise: torch.Generator) -> torch.Tensor:
        shown.append(pictures(view, rows))
        loss = step(rows, noise)
        losses.append(float(loss))
        return loss

    training.step = watched  # type: ignore[method-assign]
    list(training.epochs())
    return task, columns, start, np.stack(shown), np.array(losses), named(columns)


def in_double_precision(training: Training) -> None:
    """With JavaScript's numbers, no ReLU near 0 falls to another side, so both agree to rounding."""
    computation = training.computation
    assert isinstance(computation, Tabled)
    computation.learner.double()
    for side in ("patterns", "painted"):
        setattr(computation, side, (255 * getattr(computation, side).double()).round() / 255)


def pictures(view: View, rows: np.ndarray) -> np.ndarray:
    """Inputs and answers of these examples as bytes: (rows, 3, pixels)."""
    both = torch.cat(view.batch(rows, generator(SEED, "unused")), 1)
    return np.rint(255 * both.flatten(2).numpy()).astype(np.uint8)


def noise_of(recipe: Recipe, cells: int) -> np.ndarray:
    """The noise that Python's columns draw in the first epoch: (steps, columns from the right, examples, numbers)."""
    drawn = generator(SEED, "noise", 0)
    return recipe.jitter * np.stack(
        [torch.randn(BATCH, 16, generator=drawn).double().numpy() for _ in range(STEPS * cells)]
    )


@pytest.mark.parametrize(("jitter", "shortcuts"), [(0.0, True), (0.2, True), (0.0, False)])
@pytest.mark.parametrize("operation", ["add", "subtract"])
def test_the_first_steps_are_pythons(bare: Browser, jitter: float, shortcuts: bool, operation: str) -> None:
    recipe = replace(COLUMNS, batch=BATCH, jitter=jitter, shortcuts=shortcuts)
    task, columns, start, shown, expected, after = in_python(recipe, operation)
    places = task.plain_layout.places
    noise = packed(noise_of(recipe, len(places))) if jitter else None
    asked = {"rate": recipe.rate, "jitter": recipe.jitter, "steps": STEPS}
    sent = {name: packed(each) for name, each in start.items()}
    losses, trained, units = bare.run(TRAIN, places.tolist(), asked, sent, packed(shown, "u1"), noise, BATCH)
    outside = task.plain_layout.pixels - places.size  # the dense loss counts them, and nothing can change them
    expected = expected - (0 if shortcuts else outside * float(torch.sigmoid(columns.ground)) ** 2)
    error = np.abs(np.array(losses) / expected - 1).max()
    assert error < (1e-11 if shortcuts else 2e-3)  # the dense computation has single precision
    assert units == 64  # different among the 120 pixels of a cell
    for name, weights in after.items():
        moved = np.abs(weights - start[name]).max()
        away = np.abs(np.array(trained[name]).reshape(weights.shape) - weights)
        assert moved > 1e-3, name
        assert away.max() < 1e-9 if shortcuts else away.mean() < 0.05 * moved, name


@pytest.fixture(scope="module")
def layout() -> Any:
    return offered(Networks())["pages"]["arabic"]


def carries(a: int, b: int, cells: int) -> str:
    """What is carried into each column but the last, from the left, by Python's arithmetic."""
    return "".join(str((a % 10**place + b % 10**place) // 10**place) for place in range(cells - 1, 0, -1))


def check(bare: Browser, a: int, b: int) -> None:
    """Templates read the sum in the answer, and the carries in what is carried."""
    cells = max(7, len(str(a + b)))
    assert bare.run(ANSWER, str(a), str(b), cells) == [str(a + b).rjust(cells, "0"), carries(a, b, cells)]


def test_it_learns_to_add_and_to_carry(bare: Browser, layout: Any) -> None:
    learned = bare.run(LEARN, layout, 1, 500)
    assert learned["tests"][0] == {"steps": 0, "wrong": 1000}
    assert learned["tests"][-1]["wrong"] <= 20
    assert np.mean(learned["losses"][-20:]) < 0.2 * np.mean(learned["losses"][:20])
    assert learned["shown"] == 32 * len(learned["losses"])
    for a, b in ((1234567, 2345678), (4567890, 567890), (0, 0), (9182736455, 1029384756)):
        check(bare, a, b)


def test_a_seed_decides_everything(bare: Browser, layout: Any) -> None:
    one, again, other = (bare.run(LEARN, layout, seed, 12)["losses"] for seed in (5, 5, 6))
    assert one == again
    assert one != other


def test_near_a_glyph_is_read_as_templates_read(bare: Browser, layout: Any) -> None:
    """The shortcut of the examiner: mixtures of two glyphs and noise, read with it and without it."""
    script = """(layout, mixtures) => {
        const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const { Sums } = visarithModules["learning/sums.js"];
        const sums = new Sums({ ...layout, inked: layout.glyphs.map(bytes) });
        const far = sums.near.map(() => 0), near = sums.near, patterns = sums.page.patterns;
        return mixtures.map(({ one, other, share, noise }) => {
            const cell = patterns[one].map((ink, i) => ink + share * (patterns[other][i] - ink) + noise[i]);
            return [near, far].map((limits) => {
                sums.near = limits;
                return sums.isDrawn(() => cell, Number(String(one).repeat(7)));
            });
        });
    }"""
    dice = np.random.default_rng(4)
    mixtures = [
        {
            "one": int(dice.integers(1, 10)),
            "other": int(dice.integers(10)),
            "share": float(dice.uniform(0, 1)),
            "noise": dice.normal(0, dice.uniform(0, 0.4), 120).tolist(),
        }
        for _ in range(300)
    ]
    answers = bare.run(script, layout, mixtures)
    assert all(fast == slow for fast, slow in answers)
    assert 50 < sum(fast for fast, _ in answers) < 250


def test_pixels_that_stop_being_alike_are_parted(bare: Browser, layout: Any) -> None:
    """Answers without some digits first: their pixels are grouped otherwise than when all cells are known at first."""
    script = """(layout, lots) => {
        const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const { Sums } = visarithModules["learning/sums.js"];
        const { Trainer } = visarithModules["learning/trainer.js"];
        const { dice } = visarithModules["learning/random.js"];
        const sums = new Sums({ ...layout, inked: layout.glyphs.map(bytes) }), places = sums.page.places;
        return [false, true].map((known) => {
            const trainer = new Trainer(places, { rate: 3e-3, jitter: 0, steps: lots.length }, dice(1, "weights"));
            trainer.start(lots[0].map((pair) => sums.example(pair).answer));
            if (known) for (const digit of "0123456789") trainer.learner.drawn.codes(sums.picture(digit), places);
            const losses = [], units = [];
            for (const lot of lots) {
                for (const _ of trainer.step(lot.map((pair) => sums.example(pair))));
                losses.push(trainer.loss);
                units.push(trainer.learner.painter.last.units);
            }
            const { weight, inputs } = trainer.learner.painter.last;
            return [losses, units, Array.from(trainer.learner.groupOf, (group) => weight.values[group * inputs])];
        });
    }"""
    dice = np.random.default_rng(2)
    few = dice.choice([0, 1], (8, 16, 2, 7)) @ 10 ** np.arange(7)  # their sums have the digits 0, 1 and 2
    all_digits = dice.integers(0, 5_000_000, (8, 16, 2))
    lots = [*few.tolist(), *all_digits.tolist()]
    (late, parted, weights), (early, _, expected) = bare.run(script, layout, lots)
    assert parted[0] < parted[-1] == 64
    assert np.allclose(late, early, rtol=1e-12)
    assert np.allclose(weights, expected, rtol=0, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 105))
def test_none_of_1000_is_wrong_within_90_seconds(bare: Browser, layout: Any, seed: int) -> None:
    learned = bare.run(LEARN, layout, seed, 1000)
    print(f"seed {seed}: {learned['solved']}, at the end {learned['tests'][-1]}")
    assert learned["solved"]["seconds"] < 90
    assert learned["tests"][-1]["wrong"] == 0
    check(bare, 10**60 - 1, 1)
