"""What a run stores of its task or its pictures, as JSON, and how they are restored."""

from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from visarith.data.picture_set import PictureSet
from visarith.data.spec import PictureSpec
from visarith.data.task import Task
from visarith.errors import VisarithError, option
from visarith.notation import NOTATIONS, Notation, as_notation
from visarith.operations import OPERATIONS, Operation
from visarith.operations.expression import Written, named
from visarith.pictures.typeface import Typeface
from visarith.reading.legend import Legend

T = TypeVar("T")


# A task


def task_to_json(task: Task) -> dict[str, Any]:
    """Return a task as JSON: expressions in full, but no code of a user's own operation or notation."""
    typeface: dict[str, Any] | None = None
    if task.has_pictures:
        typeface = asdict(task.typeface) | {"sha256": task.typeface.fingerprint(task.notation.alphabet)}
        if not task.typeface.fonts:  # as in runs that had one font only
            del typeface["fonts"]
    return {
        "operation": _described(task.operation) | {"fingerprint": task.domain.fingerprint()},
        "builtin": OPERATIONS.get(task.operation.name) == task.operation,
        "notation": _notation_to_json(task.notation),
        "medium": task.medium,
        "answer_medium": task.answer_medium,
        "typeface": typeface,
        "corruption": asdict(task.corruption),
    }


def task_from_json(data: dict[str, Any], where: str, operation: Operation | None, notation: Any) -> Task:
    """Return the task from its JSON; an operation or notation of the user must be given again."""
    task = Task(
        _operation(data, where, operation),
        notation=_notation(data, where, notation),
        medium=data["medium"],
        answer_medium=data["answer_medium"],
        typeface=built(Typeface, data["typeface"] or {}),
        **data["corruption"],
    )
    font = data["typeface"]["sha256"] if task.has_pictures else None
    if font and font != task.typeface.fingerprint(task.notation.alphabet):
        raise VisarithError(f"{where} was trained with another version of its font; restore that font file")
    if data["operation"]["fingerprint"] != task.domain.fingerprint():
        raise VisarithError(
            f"{where} has learned another rule than that of {task.operation}; use another {option('out')}"
        )
    return task


def _described(operation: Operation) -> dict[str, Any]:
    """Return the fields of an operation that are stored."""
    names = ("name", "operands", "answers", "digits", "sign", "descending")
    expression = {"expression": operation.expression} if isinstance(operation, Written) else {}
    return {name: getattr(operation, name) for name in names} | expression


def _operation(data: dict[str, Any], where: str, given: Operation | None) -> Operation:
    stored = data["operation"]
    if given is None:
        if "expression" in stored:
            return _from_expression(stored["expression"], where)
        if not data["builtin"]:
            raise VisarithError(
                f"{where} has learned {stored['name']!r}, whose rule is not stored; use va.load(path, operation=...)"
            )
        return OPERATIONS[stored["name"]]
    if not isinstance(given, Operation):
        raise VisarithError(f"{given!r} is not an operation; use va.Operation(name, rule)")
    for name, value in _described(given).items():
        if stored.get(name) != value:
            raise VisarithError(
                f"{where} has learned an operation whose {name} is {stored.get(name)!r}, not {value!r}; "
                f"give the operation it was trained with"
            )
    return given


def _from_expression(text: Any, where: str) -> Operation:
    """Return the operation of a stored expression."""
    if not isinstance(text, str):
        raise TypeError(f"its expression is {text!r}")
    try:
        return named(text)
    except VisarithError as error:
        raise VisarithError(f"{where} is damaged: {error}") from None


def _notation_to_json(notation: Notation) -> dict[str, Any]:
    if is_dataclass(notation) and type(notation) is NOTATIONS.get(notation.name):
        return {"name": notation.name, **asdict(notation)}
    some = range(min(notation.limit, 99) + 1)
    written = [notation.text(row) for row in notation.write(list(some))]
    return {"name": notation.name, "cells": notation.cells, "alphabet": notation.alphabet, "written": written}


def _notation(data: dict[str, Any], where: str, given: Any) -> Notation:
    stored = data["notation"]
    if stored["name"] in NOTATIONS:
        return built(NOTATIONS[stored["name"]], stored)
    if given is None:
        raise VisarithError(f"{where} uses a notation that is not stored; use va.load(path, notation=...)")
    notation = as_notation(given)
    if _notation_to_json(notation) != stored:
        raise VisarithError(f"{where} was trained with another notation; give the notation it was trained with")
    return notation


def built(kind: type[T], data: dict[str, Any]) -> T:
    """Return a dataclass from its stored fields; each must have the type of its default."""
    values = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in data:
            value, wanted = data[field.name], type(field.default)
            if type(value) is not wanted and not (wanted is float and type(value) is int):
                raise TypeError(f"{field.name} is {value!r}")
            values[field.name] = value
    return kind(**values)


# Pictures


class StoredPictures:
    """The picture set of a stored run; the pictures themselves are read on demand."""

    generates = False

    def __init__(self, data: dict[str, Any], where: str) -> None:
        known = data["pictures"]
        self._stored, self._where = known, where
        self.name, self.path = str(known["name"]), known["path"] and Path(known["path"])
        shape, answer_shape = known["shape"], known["answer_shape"]
        pictures = known["inputs"], known["outputs"]
        self.spec = PictureSpec(*pictures, (shape[0], shape[1]), (answer_shape[0], answer_shape[1]))
        self.legend: Legend | None = None  # stored in a file of its own (runs/store.py)
        self.label, self.fingerprint = self.name, known["sha256"]

    def load(self) -> PictureSet:
        """Read the pictures; raise an error if they have moved or changed."""
        if self.path is None:
            raise VisarithError(
                f"the pictures of {self._where} were arrays and are not stored; give them as {option('pictures')}"
            )
        try:
            pictures = PictureSet.from_folder(self.path)
        except VisarithError as error:
            needed = f"{self._where} needs its pictures, or others as {option('pictures')}"
            raise VisarithError(f"{error}; {needed}") from None
        if pictures.fingerprint != self.fingerprint:
            raise VisarithError(f"the pictures in {self.path} are not those of {self._where} any more; restore them")
        return pictures

    def sizes(self, examples: int | None = None, test_pairs: int | None = None, *, seed: int) -> tuple[int, int]:
        return self.load().sizes(examples, test_pairs, seed=seed)

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> tuple[PictureSet, PictureSet]:
        return self.load().split(examples, test_pairs, seed=seed)

    def to_json(self) -> dict[str, Any]:
        return {"pictures": self._stored}

    @property
    def task(self) -> NoReturn:
        why = "has learned from pictures whose operation is not known; use a run of a task"
        raise VisarithError(f"{self._where} {why}")

    def plain_answers(self, pictures: Any) -> Any:
        return pictures

    plain_inputs = shown_inputs = plain_answers


Source = Task | PictureSet | StoredPictures  # what a run learns from


def source_from_json(data: dict[str, Any], where: str, operation: Operation | None, notation: Any) -> Source:
    """Return the stored task or pictures."""
    if "pictures" in data:
        if operation is not None or notation is not None:
            raise VisarithError(f"{where} has learned from pictures; leave `operation` and `notation` out")
        return StoredPictures(data, where)
    return task_from_json(data, where, operation, notation)
