"""No file and no expression of a stranger runs code: pickles, pictures, fonts, arrays, runs, expressions and sweeps.

Each hostile input would create the file CANARY if something ran it. Besides, a watch on audit events of Python sees
every class that is unpickled, every text that is executed and every process that is started.
"""

import ast
import io
import json
import pickle
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import visarith
import visarith as va
from command_line import run
from conftest import Stop, resign, tiny
from counts import Tally
from sabotage import sabotaged
from visarith.files import digest, signed
from visarith.runs.folder import written
from visarith.runs.state import MARK, opened

CANARY = "canary"
HERE = "__import__('pathlib').Path('canary').touch()"
WORDS = (  # expressions that are code in Python
    HERE,
    "().__class__.__bases__[0].__subclasses__()",
    "exec('import os')",
    "open('canary', 'w')",
    "a.__class__",
    "(lambda: a)()",
    "[a for a in (1, 2)]",
    "a if (b := 3) else b",
    "f'{a}'",
    "digit_sum.__globals__",
)


class Touch:
    """A pickle of it creates the file."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path(CANARY),)


def pickled(protocol: int = 2) -> bytes:
    return pickle.dumps(Touch(), protocol)


def torch_file(**options: Any) -> bytes:
    data = io.BytesIO()
    torch.save({"epochs_done": 1, "weights": Touch()}, data, **options)
    return data.getvalue()


@contextmanager
def watch() -> Iterator[list[str]]:
    """What is unpickled, executed or started meanwhile."""
    found: list[str] = []
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)


_watching: list[list[str]] = []


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    hostile = event in ("pickle.find_class", "os.system", "subprocess.Popen")
    if event == "exec":  # modules are executed, too, when they are imported
        code = arguments[0]
        hostile = bool({"__import__", "__class__", "__globals__", CANARY} & {*code.co_names, *map(str, code.co_consts)})
        hostile = hostile and code.co_filename.startswith("<") and "frozen" not in code.co_filename
    if hostile:
        _watching[-1].append(f"{event} {arguments[:2]!r:.200}")


sys.addaudithook(_heard)


# Hostile runs: each takes the folder of a finished or of an unfinished run


def weights(path: Path, content: bytes) -> None:
    (path / "weights.safetensors").write_bytes(content)
    resign(path)


def header(path: Path, text: dict[str, Any]) -> None:
    line = json.dumps(text).encode()
    weights(path, len(line).to_bytes(8, "little") + line)


def told(path: Path, key: str, **values: Any) -> None:
    data = json.loads((path / "experiment.json").read_text())
    data[key] = data[key] | values
    (path / "experiment.json").write_bytes(written(data))
    resign(path)


def in_state(path: Path, content: bytes) -> None:
    """With all checksums as they should be."""
    found, _ = opened((path / "state.pt").read_bytes())
    line = json.dumps(signed(found | {"content": digest(content)})).encode()
    (path / "state.pt").write_bytes(MARK + line + b"\n" + content)


FINISHED: dict[str, Callable[[Path], object]] = {
    "weights are a pickle": lambda p: weights(p, pickled()),
    "weights are a torch file": lambda p: weights(p, torch_file()),
    "weights hold a pickle as metadata": lambda p: header(p, {"__metadata__": {"x": pickled(0).decode()}}),
    "a class as type of the weights": lambda p: header(p, {"x": {"dtype": HERE, "shape": [1], "data_offsets": [0, 4]}}),
    "an expression": lambda p: told(p, "operation", name="x", expression=HERE, builtin=False),
    "a font that is a pickle": lambda p: (
        (p / "font.ttf").write_bytes(pickled()),
        told(p, "typeface", font=str(p / "font.ttf")),
    ),
    "a learner that is a module": lambda p: told(p, "learner", name="os"),
    "a learner that is a path": lambda p: told(p, "learner", name="../../canary"),
    "a notation that is a class": lambda p: told(p, "notation", name="builtins.exec"),
    "a recipe with code": lambda p: told(p, "recipe", optimizer=HERE),
    "a medium with code": lambda p: told(p, "operation", name=HERE),
}
UNFINISHED: dict[str, Callable[[Path], object]] = {
    "a state that is a pickle": lambda p: (p / "state.pt").write_bytes(pickled()),
    "a state with the content of a pickle": lambda p: in_state(p, pickled()),
    "a state with a class": lambda p: in_state(p, torch_file()),
    "a state with a class, as older torch writes it": lambda p: in_state(
        p, torch_file(_use_new_zipfile_serialization=False)
    ),
    "a state of TorchScript": lambda p: in_state(p, scripted()),
}


def scripted() -> bytes:
    """What torch.jit would load: code in a zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as parts:
        parts.writestr("x/code/__torch__.py", f"def forward(self):\n  {HERE}\n")
        parts.writestr("x/data.pkl", pickled())
        parts.writestr("x/constants.pkl", pickled())
        parts.writestr("x/version", "3\n")
    return data.getvalue()


def arrays(file: Path, **values: np.ndarray) -> None:
    plain = {"inputs": np.zeros((4, 2, 15, 20), np.uint8), "answers": np.zeros((4, 1, 15, 20), np.uint8)}
    np.savez(file, **plain | values)  # type: ignore[arg-type]


def objects(file: Path) -> None:
    arrays(file, text=np.array([Touch()] * 4, object))


def bare_pickle(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("inputs.npy", pickled())
        parts.writestr("answers.npy", pickled())


def lying_header(file: Path) -> None:
    """A header is a dictionary in Python's words, which somebody might evaluate."""
    line = f"{{'descr': {HERE}, 'fortran_order': False, 'shape': (4,)}}\n".encode()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("inputs.npy", b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line)


ARRAYS: dict[str, Callable[[Path], object]] = {
    "an .npz of objects": objects,
    "an .npz that is a pickle": lambda file: file.write_bytes(pickled()),
    "an .npz of pickles": bare_pickle,
    "an .npz with code in a header": lying_header,
}


def manifest(folder: Path, row: str, content: bytes = b"") -> None:
    folder.mkdir()
    (folder / "manifest.csv").write_text(f"input_1,answer\n{row}\n{row}\n")
    (folder / "x.png").write_bytes(content)


FOLDERS: dict[str, Callable[[Path], object]] = {
    "a picture that is a pickle": lambda p: manifest(p, "x.png,x.png", pickled()),
    "a picture in PostScript": lambda p: manifest(
        p, "x.png,x.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n"
    ),
    "a path out of the folder": lambda p: manifest(p, "../x.png,/etc/passwd"),
    "a command as a path": lambda p: manifest(p, "=cmd|'touch canary',$(touch canary)"),
}


def tried(act: Callable[[], object]) -> str:
    """What ran, or nothing; the input must be refused in one line."""
    with watch() as found:
        try:
            act()
        except va.VisarithError as error:
            refused = str(error)
        else:
            refused = ""
    if Path(CANARY).exists():
        Path(CANARY).unlink()
        return "code ran"
    if found:
        return found[0]
    return "" if refused and "\n" not in refused else f"it was not refused: {refused}"


def hostile_files(finished: Path, folder: Path) -> Tally:
    """Every malicious file, through the loader that reads it."""
    tally, number = Tally(), 0
    with pytest.raises(KeyboardInterrupt):
        tiny(folder / "stopped", watcher=Stop(epoch=2))

    def a_try(name: str, damage: Callable[[Path], object], source: Path | None, load: Callable[[Path], object]) -> None:
        nonlocal number
        number += 1
        place = folder / f"try{number}.npz"
        if source:
            shutil.copytree(source, place)
        damage(place)
        what = tried(lambda: load(place))
        tally.add(bool(what), f"{name}: {what}")

    for name, damage in FINISHED.items():
        a_try(name, damage, finished, va.load)
    for name, damage in UNFINISHED.items():
        a_try(name, damage, folder / "stopped", lambda place: tiny(place, resume=True))
    for name, damage in {**ARRAYS, **FOLDERS}.items():
        a_try(name, damage, None, va.PictureSet.from_folder)
    return tally


def hostile_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> Tally:
    """Expressions, through the library and through the sweep."""
    tally = Tally()
    for word in WORDS:
        what = tried(lambda word=word: va.Task(word))  # type: ignore[misc]
        tally.add(bool(what), f"{word}: {what}")
        with watch() as found:
            code, out, err = run(capsys, "sweep", word, "--seeds", "1", "--out", folder / "sweep")
        ran = found or Path(CANARY).exists()
        tally.add(bool(ran) or code != 2 or err.count("\n") != 1, f"sweep {word}: {code} {found} {out}{err}")
    return tally


def hostile(finished: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> Tally:
    """All of them."""
    files, words = hostile_files(finished, folder), hostile_words(folder, capsys)
    return Tally(files.tried + words.tried, files.failures + words.failures)


def test_no_malicious_file_or_expression_runs_code(
    small_run: va.Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = hostile(small_run.path, tmp_path, capsys)
    assert tally.failures == []
    assert tally.tried >= 25


@pytest.mark.long
def test_malicious_files_and_expressions_are_counted(
    small_run: va.Run,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    counted,  # type: ignore[no-untyped-def]
) -> None:
    tally = hostile(small_run.path, tmp_path, capsys)
    tally.reported("malicious file or expression, through what reads it: refused, and no code ran", counted)


def test_a_fallback_to_pickle_is_noticed(small_run: va.Run, tmp_path: Path) -> None:
    with sabotaged("fallback to pickle"):
        assert "code ran" in "".join(hostile_files(small_run.path, tmp_path).failures)


def test_the_watch_sees_what_it_looks_for() -> None:
    with watch() as found:
        pickle.loads(pickled())
        eval("().__class__")
    assert {each.split()[0] for each in found} == {"pickle.find_class", "exec"}
    assert Path(CANARY).exists()


FORBIDDEN = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib", "runpy", "imp"}


@pytest.mark.parametrize("file", sorted(Path(visarith.__file__).parent.rglob("*.py")), ids=lambda file: file.stem)
def test_the_source_neither_unpickles_nor_evaluates(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            assert not {name.split(".")[0] for name in names} & FORBIDDEN
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            given = {each.arg: ast.unparse(each.value) for each in node.keywords}
            assert name not in ("eval", "exec", "compile", "__import__", "os.system", "np.memmap", "torch.jit.load")
            assert name != "torch.load" or given.get("weights_only") == "True"
            assert name != "np.load" or given.get("allow_pickle") == "False"
            assert given.get("shell", "False") == "False"
