"""A Chromium for tests: every request and complaint is written down, and its networks are compared with Python's."""

import base64
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from visarith.data.task import Task
from visarith.learners.learner import Learner

ROOT = Path(__file__).parent.parent


@dataclass
class Browser:
    """One page, and what it asked for and complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def hear(self, line: Any) -> None:
        if line.type in ("error", "warning"):
            self.complaints.append(line.text)

    def open(self, file: Path) -> None:
        self.page.goto(file.resolve().as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        """What a JavaScript function says of these arguments."""
        return self.page.evaluate(f"(given) => ({script})(...given)", list(arguments))


def finder() -> ModuleType:
    """The script that finds Chromium, or a failure that names what to install."""
    if importlib.util.find_spec("playwright") is None:
        pytest.fail("Playwright is not installed, and the page is tested in a browser; run make setup")
    spec = importlib.util.spec_from_file_location("chromium", ROOT / "scripts" / "chromium.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser, or a failure that names what to install."""
    finding = finder()
    try:
        with finding.chromium() as started:
            opened = Browser(started.new_context().new_page())
            opened.page.on("request", lambda request: opened.requests.append(request.url))
            opened.page.on(
                "console", lambda line: opened.complaints.append(line.text) if line.type == "error" else None
            )
            opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
            yield opened
    except finding.NoChromiumError as error:
        pytest.fail(str(error))


COMPUTE = """(packed, count) => {
    const run = window.compared;
    const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const all = floats(packed), operands = all.length / count / run.page.pixels;
    const drawn = [], readings = [];
    for (let i = 0; i < count; i++) {
        const own = Array.from({ length: operands }, (_, j) =>
            all.subarray((i * operands + j) * run.page.pixels, (i * operands + j + 1) * run.page.pixels));
        for (const picture of run.predict(own)) {
            drawn.push(...picture);
            readings.push(run.read(picture));
        }
    }
    const bytes = new Uint8Array(Float32Array.from(drawn).buffer);
    let text = "";
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return [btoa(text), readings];
}"""


def difference(opened: Browser, task: Task, learner: Learner, *, pairs: int, noise: float = 0.0) -> float:
    """The largest difference of any pixel between the answers of `window.compared` and of Python.

    Both must read the same in them.
    """
    some = task.write(task.domain.sample(pairs, rng=np.random.default_rng(7)))
    pictures = task.plain_layout.typeset(some.inputs).astype(np.float32) / 255
    pictures += noise * np.random.default_rng(8).standard_normal(pictures.shape, np.float32)
    expected = task.plain_answers(learner.drawn(torch.from_numpy(pictures)))
    sent = base64.b64encode(pictures.astype("<f4").tobytes()).decode()
    text, readings = opened.run(COMPUTE, sent, pairs)
    drawn = np.frombuffer(base64.b64decode(text), "<f4").reshape(expected.shape)
    read = task.legend.reader("templates").read(expected.reshape(-1, *task.answer_shape))
    assert [each["text"] for each in readings] == read.texts
    assert [each["symbols"] for each in readings] == read.symbols.tolist()
    assert np.abs(np.array([each["confidence"] for each in readings]) - read.confidence).max() < 1e-3
    return float(np.abs(drawn - expected).max())
