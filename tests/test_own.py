"""From outside the package: a module, a learner, a notation and an operation of one's own."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import visarith as va
from command_line import run
from conftest import QUICK, Stop, refusal, tiny
from visarith import learners
from visarith.data.spec import PictureSpec
from visarith.learners.certificate import certify
from visarith.learners.config import setting
from visarith.operations import ColumnRule
from visarith.training.recipe import MODULE

TASK = va.Task("add", digits=2)
PIXELS = 15 * 20


class Net(nn.Module):
    """Two pictures in, one out; with dropout, which is random while it is trained."""

    def __init__(self, outputs: int = PIXELS, dropout: float = 0.0) -> None:
        super().__init__()
        first, second = nn.Linear(2 * PIXELS, 128), nn.Linear(128, 128)
        last = nn.Dropout(dropout), nn.Linear(128, outputs)
        self.layers = nn.Sequential(nn.Flatten(), first, nn.ReLU(), second, nn.ReLU(), *last)

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.layers(pictures)).view(-1, 1, 15, 20)


def net(seed: int = 0, **options: float) -> Net:
    torch.manual_seed(seed)
    return Net(**options)  # type: ignore[arg-type]


# A module


def test_a_module_is_learned_saved_loaded_evaluated_and_drawn(tmp_path: Path) -> None:
    module = net()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    learned = va.learn(TASK, module, QUICK, examples=2_000, test_pairs=400, threads=1, out=tmp_path / "run")
    assert learned.score is not None
    assert learned.score.digit_error < 0.2
    assert learned.picture_error is not None
    assert learned.picture_error.share < 0.5
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())  # a copy was trained
    again = va.load(learned.path, learner=net(1))
    assert np.array_equal(again.draw(12, 30), learned.draw(12, 30))
    assert again.evaluate(pairs=100).digit_error < 0.2
    assert learned.calculate(12, 30) == again.calculate(12, 30)
    assert "by Net of 132,140 weights" in repr(learned)
    assert json.loads((learned.path / "experiment.json").read_text())["learner"]["module"] == "Net"
    assert "use va.load(path, learner=...)" in refusal(va.load, learned.path)
    assert "weights of another network" in refusal(va.load, learned.path, learner=nn.Linear(2, 2))
    assert "leave `learner` out" in refusal(va.load, tiny(tmp_path / "ours").path, learner=net())


def test_it_starts_from_the_weights_it_has_and_is_centred_only_if_the_recipe_says_so(tmp_path: Path) -> None:
    settings = {"examples": 64, "test_pairs": 10, "epochs": 1, "threads": 1}
    still = va.Recipe(rate=1e-12, batch=64, centring=False)
    plain = va.learn(TASK, net(), still, out=tmp_path / "plain", **settings)  # type: ignore[arg-type]
    picture = TASK.plain_layout.typeset(TASK.symbols(np.array([[12, 30]]))) / 255
    expected = net()(torch.from_numpy(picture).float()).detach().numpy()
    assert np.allclose(plain.predict(picture), expected, atol=1e-6)
    centred = va.learn(TASK, net(), va.Recipe(rate=1e-12, batch=64), out=tmp_path / "centred", **settings)  # type: ignore[arg-type]
    assert not np.allclose(centred.predict(picture), expected, atol=1e-3)
    assert not MODULE.centring
    usual = va.learn(TASK, net(), out=tmp_path / "usual", **settings)  # type: ignore[arg-type]
    assert usual.experiment.recipe_name == "module"


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_stopped_module_resumes_to_the_same_bits(tmp_path: Path, dropout: float) -> None:
    settings = {"recipe": QUICK, "examples": 200, "test_pairs": 20, "epochs": 3, "threads": 1}
    whole = va.learn(TASK, net(dropout=dropout), out=tmp_path / "whole", **settings)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        va.learn(TASK, net(dropout=dropout), out=tmp_path / "run", watcher=Stop(epoch=1), **settings)  # type: ignore[arg-type]
    resumed = va.learn(TASK, net(dropout=dropout), out=tmp_path / "run", resume=True, **settings)  # type: ignore[arg-type]
    assert (resumed.path / "weights.safetensors").read_bytes() == (whole.path / "weights.safetensors").read_bytes()
    assert "holds another run (its learner start" in refusal(va.learn, TASK, net(1), out=tmp_path / "run", **settings)


def test_modules_learn_from_pictures_by_any_recipe(tmp_path: Path) -> None:
    pictures = TASK.picture_set(TASK.write(np.array(TASK.domain.all()))).as_pictures()
    for recipe in ("paper", "adam", "entropy"):
        learned = va.learn(pictures, net(), recipe, epochs=2, threads=1, tesseract=0, out=tmp_path / recipe)
        assert learned.picture_error is not None
        assert learned.picture_error.error < 0.5
        assert va.load(learned.path, learner=net()).picture_error == learned.picture_error


class Broken(Net):
    """What may be wrong with a module."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        if fault == "frozen":
            self.requires_grad_(False)

    def forward(self, pictures: Tensor) -> Tensor:
        drawn = super().forward(pictures)
        faulty: dict[str, object] = {
            "shape": drawn[..., :7],
            "range": drawn * 30 - 10,
            "detached": drawn.detach(),
            "elsewhere": drawn.detach() + 0 * torch.ones(1, requires_grad=True).sum(),
            "frozen": drawn,
            "tuple": (drawn, drawn),
            "nan": drawn * float("nan"),
        }
        return faulty[self.fault]  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("shape", r"Broken returns the shape \(16, 1, 15, 7\); these pictures need \(16, 1, 15, 20\)"),
        ("range", r"Broken draws values from .* to .*; end it with a sigmoid, for \[0, 1\]"),
        ("nan", r"Broken draws values from nan to nan; end it with a sigmoid"),
        ("detached", "the output of Broken has no gradient; leave torch.no_grad and detach out of its forward"),
        ("elsewhere", "the output of Broken does not depend on its weights"),
        ("frozen", "Broken has no weights that require a gradient"),
        ("tuple", "Broken returns tuple, not a tensor"),
    ],
)
def test_a_module_that_cannot_be_trained_is_refused_before_anything_is_written(
    fault: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(va.VisarithError, match=said):
        va.learn(TASK, Broken(fault), examples=50, test_pairs=10, threads=1, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_modules_of_many_kinds(tmp_path: Path) -> None:
    few = {"examples": 33, "test_pairs": 10, "epochs": 1, "threads": 1}
    last = net().to(memory_format=torch.channels_last)
    unused = net()
    unused.unused = nn.Parameter(torch.zeros(3).t())  # type: ignore[assignment]
    for name, module in (("last", last), ("unused", unused)):
        learned = va.learn(TASK, module, "paper", out=tmp_path / name, **few)  # type: ignore[arg-type]
        assert np.array_equal(va.load(learned.path, learner=module).draw(1, 2), learned.draw(1, 2))
    for fault, module in (("double", net().double()), ("lazy", nn.LazyLinear(3)), ("size", nn.Linear(7, 7))):
        assert "\n" not in refusal(va.learn, TASK, module, out=tmp_path / fault, **few)
        assert not (tmp_path / fault).exists()
    other = nn.Sequential(*net().layers, nn.Hardsigmoid(), nn.Unflatten(1, (1, 15, 20)))
    smooth = nn.Sequential(*net().layers, nn.Sigmoid(), nn.Unflatten(1, (1, 15, 20)))
    va.learn(TASK, smooth, out=tmp_path / "same", **few)  # type: ignore[arg-type]
    assert "holds another run" in refusal(va.learn, TASK, other, out=tmp_path / "same", **few)
    assert "is no nn.Module" in refusal(va.load, tmp_path / "same", learner="perceptron")


# A learner with options, in one file


class Copycat(va.Network):
    """Draws one of its inputs, more or less bright: it has one weight."""

    def __init__(self, spec: PictureSpec, which: int) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.answer_shape)
        self.which, self.scale = which, nn.Parameter(torch.zeros(()))

    def answer_to(self, centred: Tensor) -> Tensor:
        return self.scale * (centred[:, self.which : self.which + 1] - 0.5)

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """It starts grey."""

    def answer_first(self, picture: Tensor) -> None:
        """It has no bias."""

    def facts(self) -> dict[str, float]:
        return {"scale": round(float(self.scale.detach()), 2)}


@dataclass(frozen=True)
class Config(va.LearnerConfig):
    """Its options."""

    which: int = setting(0, "the picture that it copies")

    name = "copycat"
    given = "which picture to copy."
    recipe = "module"

    def network(self, spec: PictureSpec) -> Copycat:
        return Copycat(spec, self.which)


def test_a_learner_of_ones_own_needs_a_file_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(learners.LEARNERS, "copycat", Config)  # the line
    task = va.Task(va.Operation("first", lambda a, _: a, digits=2))
    settings = {"recipe": va.Recipe(centring=False, batch=32), "examples": 1_000, "test_pairs": 100, "threads": 1}
    right = va.learn(task, "copycat", out=tmp_path / "right", **settings)  # type: ignore[arg-type]
    wrong = va.learn(task, va.learner_config("copycat", which=1), out=tmp_path / "wrong", **settings)  # type: ignore[arg-type]
    assert right.score is not None
    assert wrong.score is not None
    assert right.score.number_error == 0
    assert wrong.score.number_error > 0.9
    assert right.facts["scale"] > 1
    again = va.load(right.path, operation=task.operation)
    assert again.experiment.learner == Config()
    assert again.calculate(12, 30) == 12
    said = refusal(va.learner_config, "copycat", width=3)
    assert said.startswith("`width` is an option of perceptron, columns")
    code, out, _ = run(capsys, "runs", tmp_path)
    assert code == 0
    assert "right" in out


# A notation


class Tally:
    """Numbers as strokes: 3 is III."""

    cells = 6
    alphabet = "I "
    aligned = "left"

    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        return (np.arange(self.cells) >= np.asarray(numbers, np.int64)[:, None]).astype(np.uint8)

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        counts = (symbols == 0).sum(1)
        return [int(n) if (self.write([n])[0] == row).all() else None for n, row in zip(counts, symbols, strict=True)]


def test_a_notation_of_ones_own(tmp_path: Path) -> None:
    task = va.Task("add", notation=Tally())
    assert task.notation.limit == 6
    assert task.domain.largest == 3
    assert task.notation.text(task.notation.write([3])[0]) == "III"
    assert task.notation.number("IIII") == task.notation.number("4") == 4
    assert "is not a number in this notation" in refusal(task.notation.number, "IXI")
    settings = {
        "learner": va.learner_config(hidden_layers=1, width=32),
        "recipe": QUICK,
        "examples": 12,
        "test_pairs": 4,
    }
    learned = va.learn(task, epochs=120, threads=1, out=tmp_path / "run", **settings)  # type: ignore[arg-type]
    assert learned.train_digit_error == 0
    again = va.load(learned.path, notation=Tally())
    assert np.array_equal(again.draw(1, 2), learned.draw(1, 2))
    assert again.score == learned.score
    assert "use va.load(path, notation=...)" in refusal(va.load, learned.path)
    longer = Tally()
    longer.cells = 8
    assert "was trained with another notation" in refusal(va.load, learned.path, notation=longer)
    assert "leave `digits`" in refusal(va.Task, "add", notation=Tally(), digits=3)


def test_what_is_no_notation_is_named() -> None:
    assert "it has no parse, cells; give write, parse, alphabet, cells" in refusal(
        va.Task, "add", notation=type("Half", (), {"write": 1, "alphabet": "ab"})()
    )

    class Floats(Tally):
        def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
            return super().write(numbers) / 2

    assert "Floats.write gave float64 of shape (2, 6)" in refusal(
        va.Task("add", notation=Floats()).notation.write, [1, 2]
    )


def test_an_alphabet_has_each_symbol_once() -> None:
    class Twice(Tally):
        alphabet = "II "

    assert refusal(va.Task, "add", notation=Twice()) == "the alphabet 'II ' has 'I' twice; give each symbol once"


# An operation, with all that is known of it


def _double(digits: tuple[int, ...], carry: int, base: int) -> tuple[tuple[int, ...], int]:
    carry, digit = divmod(2 * digits[0] + carry, base)
    return (digit,), carry


def test_an_operation_of_ones_own_has_its_certificate(tmp_path: Path) -> None:
    double = va.Operation(
        "double",
        lambda a: 2 * a,
        operands=1,
        digits=3,
        largest=lambda limit: limit // 2,
        column_rule=ColumnRule("right", 0, _double),
    )
    columns = va.learner_config("columns", path="aligned", scan="right")
    settings = {
        "examples": 400,
        "test_pairs": 90,
        "epochs": 60,
        "threads": 1,
        "recipe": va.Recipe(optimizer="adam", rate=3e-3, schedule="cosine", centring=False, loss_scale=1.0, batch=32),
    }
    learned = va.learn(va.Task(double), columns, out=tmp_path / "run", **settings)  # type: ignore[arg-type]
    found = certify(learned.learner, learned.task)
    assert found.certified
    assert found.every_length
    assert found.control_failed
    assert learned.at(30).calculate(123456789) == 246913578
