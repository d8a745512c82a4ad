"""An experiment: everything that decides a run, as frozen data that goes into experiment.json and comes back."""

import platform
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from typing import Any, TypeVar

import torch

from visarith.errors import VisarithError, whole
from visarith.learners import PAPER_LEARNER, LearnerSpec, default_depth, default_width
from visarith.notation import Notation
from visarith.notation.arabic import Arabic
from visarith.notation.roman import Roman
from visarith.operations import OPERATIONS, Operation
from visarith.pictures.typeface import Typeface
from visarith.task import Task
from visarith.training.loop import fast_bf16
from visarith.training.recipe import PAPER, RECIPES, Recipe, default_recipe

T = TypeVar("T")
NOTATIONS: dict[str, type[Notation]] = {"arabic": Arabic, "roman": Roman}
FORMAT = 2  # of the run folder; a folder of a newer format is refused


@dataclass(frozen=True)
class Experiment:
    """A task, who learns it, how, from how many examples, with which seed."""

    task: Task
    learner: LearnerSpec = PAPER_LEARNER
    recipe: Recipe = PAPER
    seed: int = 0
    examples: int = 150_000
    test_pairs: int = 30_000
    threads: int = 1

    def resolved(self) -> "Experiment":
        """With what depends on the task or the machine spelt out, so that it can be done again elsewhere."""
        precision = ("bf16" if fast_bf16() else "f32") if self.recipe.precision == "auto" else self.recipe.precision
        return replace(
            self,
            learner=self.learner.resolved(self.task),
            recipe=replace(self.recipe, precision=precision),
        )

    @property
    def recipe_name(self) -> str:
        """The name of the recipe that this one is, up to epochs and precision, or 'own'; 'none' if constructed."""
        if self.learner.name == "constructed":
            return "none"
        for name, recipe in RECIPES.items():
            if replace(self.recipe, epochs=recipe.epochs, precision=recipe.precision) == recipe:
                return name
        return "own"

    @property
    def name(self) -> str:
        """A folder name that says how this experiment differs from the paper's."""
        task, paper = self.task, Experiment(Task(self.task.operation))
        typeface, notation = task.typeface, task.notation
        depth, usual = default_depth(self.learner.name, task), default_recipe(self.learner.name)
        media = task.medium if task.medium == task.answer_medium else f"{task.medium}-to-{task.answer_medium}"
        parts = [
            task.operation.name,
            notation.name if notation.name != "arabic" else "",
            media if media != "pictures" else "",
            f"{notation.digits}digits" if notation.digits != task.operation.digits else "",
            f"base{notation.base}" if isinstance(notation, Arabic) and notation.base != 10 else "",
            "unpadded" if isinstance(notation, Arabic) and not notation.padded else "",
            f"noise{task.corruption.noise:g}" if task.corruption.noise else "",
            f"displaced{task.corruption.displacement}" if task.corruption.displacement else "",
            "permuted" if task.corruption.permutation else "",
            "first" if task.corruption.permuted_first else "",
            "bit" if typeface.ink == "bit" else "",
            "typeface" if replace(typeface, ink=Typeface().ink) != Typeface() else "",
            self.learner.name if self.learner.name != "perceptron" else "",
            self.recipe_name if self.recipe_name not in (usual, "none") else "",
            f"{self.learner.hidden_layers}layers" if self.learner.hidden_layers not in (0, depth) else "",
            f"{self.learner.width}wide" if self.learner.width not in (0, default_width(self.learner.name)) else "",
            "-".join(filter(None, (self.learner.path, self.learner.scan))),
            "found" if self.learner.cells == "found" else "",
            self.learner.activation if self.learner.activation != "relu" else "",
            self.learner.form,
            f"{self.examples}examples" if self.examples not in (0, paper.examples) else "",
            f"{self.recipe.epochs}epochs" if self.recipe.epochs != RECIPES[usual].epochs else "",
            f"seed{self.seed}" if self.seed else "",
        ]
        return "-".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        task = self.task
        typeface: dict[str, Any] | None = None
        if task.has_pictures:
            typeface = asdict(task.typeface) | {"sha256": task.typeface.fingerprint(task.notation.alphabet)}
        return {
            "format": FORMAT,
            "operation": _described(task.operation) | {"fingerprint": task.domain.fingerprint()},
            "builtin": OPERATIONS.get(task.operation.name) == task.operation,
            "notation": {"name": task.notation.name, **_fields(task.notation)},
            "medium": task.medium,
            "answer_medium": task.answer_medium,
            "typeface": typeface,
            "corruption": asdict(task.corruption),
            "learner": asdict(self.learner),
            "recipe": {"name": self.recipe_name, **asdict(self.recipe)},
            "seed": self.seed,
            "examples": self.examples,
            "test_pairs": self.test_pairs,
            "threads": self.threads,
            "versions": {
                "visarith": version("visarith"),
                "torch": torch.__version__,
                "python": platform.python_version(),
            },
        }


def from_json(data: dict[str, Any], where: str, operation: Operation | None = None) -> Experiment:
    """The experiment that `to_json` wrote; a user's own rule is not stored and must be given."""
    form = data.get("format")
    if isinstance(form, int) and form != FORMAT:
        age, remedy = ("a newer", "update visarith") if form > FORMAT else ("an older", "train it again")
        raise VisarithError(f"{where} was written by {age} visarith (format {form}, not {FORMAT}); {remedy}")
    try:
        task = _task(data, _operation(data, where, operation))
        experiment = Experiment(
            task=task,
            learner=_build(LearnerSpec, data["learner"]),
            recipe=_build(Recipe, data["recipe"]),
            **{name: whole(name, data[name], 0) for name in ("seed", "examples", "test_pairs", "threads")},
        )
        font = data["typeface"]["sha256"] if task.has_pictures else None
        rule = data["operation"]["fingerprint"]
    except (KeyError, TypeError, AttributeError) as error:
        raise VisarithError(f"{where} is damaged ({error}); train again into another --out") from None
    if font and font != task.typeface.fingerprint(task.notation.alphabet):
        raise VisarithError(f"{where} was trained with another version of its font; put that font file back")
    if rule != task.domain.fingerprint():
        raise VisarithError(f"{where} has learned another rule than {task.operation.name}'s; give it another --out")
    return experiment


def _described(operation: Operation) -> dict[str, Any]:
    """What can be stored of an operation: all but its rule."""
    names = ("name", "operands", "answers", "digits", "sign", "descending")
    return {name: getattr(operation, name) for name in names}


def _fields(notation: Notation) -> dict[str, Any]:
    assert is_dataclass(notation)
    return asdict(notation)


def _operation(data: dict[str, Any], where: str, given: Operation | None) -> Operation:
    stored = data["operation"]
    if given is None:
        if not data["builtin"]:
            raise VisarithError(
                f"{where} has learned {stored['name']!r}, whose rule is not stored; use va.load(path, operation=...)"
            )
        return OPERATIONS[stored["name"]]
    if not isinstance(given, Operation):
        raise VisarithError(f"{given!r} is no operation; use va.Operation(name, rule)")
    for name, value in _described(given).items():
        if stored[name] != value:
            raise VisarithError(
                f"{where} has learned an operation whose {name} is {stored[name]!r}, not {value!r}; "
                f"give the operation it was trained with"
            )
    return given


def _task(data: dict[str, Any], operation: Operation) -> Task:
    notation, corruption = data["notation"], data["corruption"]
    return Task(
        operation,
        notation=_build(NOTATIONS[notation["name"]], notation),
        medium=data["medium"],
        answer_medium=data["answer_medium"],
        typeface=_build(Typeface, data["typeface"] or {}),
        **corruption,
    )


def _build(kind: type[T], data: dict[str, Any]) -> T:
    """A dataclass of ours from its stored fields, each of the type of its default."""
    values = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in data:
            value, wanted = data[field.name], type(field.default)
            if type(value) is not wanted and not (wanted is float and type(value) is int):
                raise TypeError(f"{field.name} is {value!r}")
            values[field.name] = value
    return kind(**values)
