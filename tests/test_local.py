"""The engine in the browser answers as the server does: the same JSON, to rounding."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import Browser, browser
from visarith.errors import VisarithError
from visarith.web.answering import answer
from visarith.web.bundle import bundle
from visarith.web.encoding import encoded
from visarith.web.networks import Networks
from visarith.web.offering import offered
from visarith.web.question import Question
from visarith.web.site import STATIC, data, weights
from visarith.web.thinking import think

ASK = """(asked, question) => visarithModules["local.js"].engine[asked](question).catch((error) => error.message)"""


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks()


@pytest.fixture(scope="module")
def bare(networks: Networks, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page with nothing but the engine."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "engine.js").write_text(bundle(STATIC, ["local.js", "networks.js"]))
    (folder / "data.js").write_text(data(networks))
    (folder / "weights").mkdir()
    for network in networks.all():
        (folder / "weights" / f"{network.name}.js").write_text(weights(network))
    scripts = '<script src="data.js"></script><script src="engine.js"></script>'
    (folder / "index.html").write_text(f'<!doctype html><meta charset="utf-8"><title>bare</title>{scripts}')
    with browser() as opened:
        opened.open(folder / "index.html")
        yield opened
        assert not opened.complaints


def same(found: Any, expected: Any, where: str = "") -> None:
    """Equal, but for rounding in numbers and pixels."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            if key in ("pixels", "signed"):
                kind = np.uint8 if key == "pixels" else np.int8
                one, other = (np.frombuffer(b64decode(each), kind).astype(int) for each in (found[key], value))
                assert np.abs(one - other).max() <= 1, f"{where}.{key}"
            elif key != "milliseconds":
                same(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for number, each in enumerate(expected):
            same(found[number], each, f"{where}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-4, abs=2e-3), where
    else:
        assert found == expected, where


def questions(networks: Networks) -> list[dict[str, Any]]:
    """Some of every network: numbers, and pictures of which one cannot be read."""
    asked = []
    for network in networks.all():
        task, base = network.task, {"op": network.op, "learner": network.learner}
        for a, b in task.domain.sample(3, rng=np.random.default_rng(5)).tolist():
            asked += [{**base, "a": str(a), "b": str(b)}]
        asked += [{**base, "a": "0", "b": "0", "permuted": True}]
        pictures = task.plain_page.typeset(task.notation.write([12, 3])) / 255
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
        pictures[0][:, :9] = 0.4
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
    return asked


def test_the_same_is_offered(bare: Browser, networks: Networks) -> None:
    same(bare.run(ASK, "learners", {}), offered(networks) | {"tesseract": False})


def test_the_same_is_answered(bare: Browser, networks: Networks) -> None:
    for question in questions(networks):
        asked = "predict" if "pictures" in question else "calculate"
        same(bare.run(ASK, asked, question), answer(Question(**question), networks)[0], str(question)[:80])


def test_the_same_is_thought(bare: Browser, networks: Networks) -> None:
    for question in questions(networks):
        layers = (0, 1, 2) if "perceptron" in question["learner"] else ()
        for more in [{}, *({"unit": {"layer": layer, "unit": 7}} for layer in layers)]:
            expected = think(Question(**question, **more), networks)
            same(bare.run(ASK, "think", {**question, **more}), expected, str(question)[:80])


@pytest.mark.parametrize(
    "question",
    [
        {"op": "add", "a": "9999999", "b": "1"},
        {"op": "add", "a": "", "b": "1"},
        {"op": "add", "a": "12345678", "b": "1"},
        {"op": "add", "a": "-5", "b": "1"},
        {"op": "add", "a": "1.5", "b": "1"},
        {"op": "add", "a": "١", "b": "1"},
        {"op": "subtract", "a": "1", "b": "2"},
        {"op": "multiply", "a": "4000", "b": "4000"},
        {"op": "divide", "a": "1", "b": "2"},
        {"op": "add", "learner": "tally", "a": "1", "b": "2"},
        {"op": "roman", "a": "IV", "b": "I"},
        {"op": "roman", "a": "IIIII", "b": "I"},
        {"op": "roman", "a": "I'M", "b": "I"},
        {"op": "roman", "a": "123456789012345678901234567890", "b": "I"},
        {"op": "add", "learner": "columns", "a": "1", "b": "2", "unit": {"layer": 0, "unit": 0}},
        {"op": "add", "learner": "perceptron", "a": "1", "b": "2", "unit": {"layer": 9, "unit": 0}},
    ],
)
def test_the_same_is_refused(bare: Browser, networks: Networks, question: dict[str, Any]) -> None:
    with pytest.raises(VisarithError) as refused:
        (think if "unit" in question else answer)(Question(**question), networks)
    assert bare.run(ASK, "think" if "unit" in question else "calculate", question) == str(refused.value)


def test_noise_is_a_function_of_its_seed(bare: Browser) -> None:
    question = {"op": "add", "learner": "perceptron", "a": "0", "b": "0", "noise": 0.2}
    one, again, other = (bare.run(ASK, "calculate", {**question, "seed": seed}) for seed in (3, 3, 4))
    assert one["inputs"] == again["inputs"]
    assert one["inputs"] != other["inputs"]
    assert one["warning"] == "this network has never seen noise"
