"""One contract: generic code asks a learner, and never looks at its class or its name. Read from the source."""

import ast
import inspect
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import visarith
import visarith as va
from conftest import dice
from visarith.learners import LEARNERS, config_of, options_of
from visarith.learners.config import LearnerConfig
from visarith.learners.learner import Learner, Network

SOURCE = Path(visarith.__file__).parent
GENERIC = sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "learners")
# in learners/ itself: what is not the folder of one learner
GENERIC += [path for path in (SOURCE / "learners").glob("*.py") if path.stem not in ("own", "own_network")]
CLASSES = {
    node.name
    for path in (SOURCE / "learners").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text()))
    if isinstance(node, ast.ClassDef)
} - {"LearnerConfig"}  # what a caller hands in may be one
BUILTIN = (
    "perceptron",
    "columns",
    "tally",
    "numerals",
    "convolutional",
    "recurrent",
    "symbols",
    "joined",
    "constructed",
)
LEARNERISH = {"learner", "network", "module", "config", "calculator"}


def checks(source: str) -> list[str]:
    """Every place that looks at what a learner is: by its class, by its attributes or by its name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and _names(node.args[1]) & CLASSES:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
            if node.func.id in ("hasattr", "getattr") and _names(node.args[0]) & LEARNERISH:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            said = {each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)}
            typed = {"type"} & _names(node) and _names(node) & CLASSES
            if said & set(LEARNERS) or typed:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def _names(tree: ast.AST) -> set[str]:
    plain = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return plain | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("path", GENERIC, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_generic_code_looks_at_what_a_learner_is(path: Path) -> None:
    assert checks(path.read_text()) == []


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(run.learner, Columns)",
        "isinstance(learner, Perceptron | Tally)",
        "type(learner) is Constructed",
        "hasattr(learner, 'calculator')",
        "getattr(network, 'states', None)",
        "spec.name == 'columns'",
        "learner.name in ('columns', 'tally')",
    ],
)
def test_the_check_finds_what_it_looks_for(code: str) -> None:
    assert len(checks(code)) == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_keeps_the_contract(name: str) -> None:
    config = config_of(name)
    assert issubclass(config, LearnerConfig)
    assert config.name == name
    assert config.given.endswith(".")
    assert inspect.signature(config.network).return_annotation  # says which learner it makes
    for each in fields(config):
        assert each.metadata["help"], f"{each.name} has no help"


@pytest.mark.parametrize("name", BUILTIN)
def test_every_learner_is_one(name: str) -> None:
    task = va.Task("add", notation="roman" if name in ("tally", "numerals") else "arabic", digits=2)
    learner = va.learner_config(name).build(task)
    assert isinstance(learner, Learner)
    train, _ = task.split(3, 1, seed=0)
    if name not in ("columns", "numerals"):  # which have not chosen how cells meet, and not found the symbols
        assert learner.drawn(train.inputs(np.arange(3), dice())).shape == (3, 1, *task.answer_shape)
    if config_of(name).learns:
        network, view = learner.inner(task.split(50, 10, seed=0)[0].view())
        assert isinstance(network, Network)
        assert len(view) == 50


@pytest.mark.parametrize(
    ("learner", "option"), [("columns", "hidden_layers"), ("perceptron", "path"), ("tally", "form")]
)
def test_an_option_that_a_learner_has_not_is_refused(learner: str, option: str) -> None:
    with pytest.raises(va.VisarithError, match=f"`{option}` is an option of .*, and {learner} has none of that name"):
        va.learner_config(learner, **{option: 7})


def test_what_only_some_are_told_is_asked_for_by_name() -> None:
    assert {name: config_of(name).told for name in LEARNERS if config_of(name).told} == {
        "joined": ("symbols",),
        "constructed": ("task",),
    }
    spec = va.Task("add").picture_set(va.Task("add").examples(5, 5, seed=0)[0]).view().spec
    with pytest.raises(va.VisarithError, match="needs the task, which these pictures do not tell it"):
        spec.ask("task")
    assert "symbols" in config_of("joined").given


def test_the_command_line_is_made_from_the_configs() -> None:
    from visarith.cli.settings import learner_names, learner_options

    assert set(learner_names()) == set(BUILTIN) - {"joined", "constructed"}
    every = {name for learner in learner_names() for name in options_of(learner)}
    assert set(learner_options()) == every


def test_no_error_of_the_library_names_a_flag() -> None:
    """The command line writes --out, Python `out`: `visarith.errors.option` says which."""
    for path in SOURCE.rglob("*.py"):
        if path.name == "errors.py" or path.parent.name in ("cli", "report"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = [word for word in node.value.split() if word.startswith("--") and word[2:3].isalpha()]
                assert not words, f"{path}: {words}"
