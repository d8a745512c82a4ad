"""Read picture sets from disk: a folder with a manifest.csv, or an .npz file (docs/pictures.md)."""

import csv
import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from visarith.data.picture_set import PictureSet
from visarith.errors import VisarithError
from visarith.files import MB, read_bytes
from visarith.pictures.png import read_picture

MANIFEST = "manifest.csv"
COLUMN = re.compile(r"(input|answer|text)(?:_([1-9]\d*))?|split")
MOST_MANIFEST = 500 * MB
MOST_BYTES = 8 * 2**30  # of all pictures


def load(path: Path) -> PictureSet:
    """Read and check a folder or an .npz file."""
    if path.is_dir():
        return _from_manifest(path)
    if path.suffix == ".npz" and path.is_file():
        return _from_npz(path)
    what = "is neither a folder nor an .npz file" if path.exists() else "does not exist"
    raise VisarithError(f"{path} {what}; give a folder with a {MANIFEST}, or an .npz file")


def _from_manifest(folder: Path) -> PictureSet:
    file = folder / MANIFEST
    columns, rows = _manifest(file)
    inputs, answers, texts = (_named(columns, kind, file) for kind in ("input", "answer", "text"))
    if not inputs or not answers:
        raise VisarithError(f"{file} has no column {'answer' if inputs else 'input_1'}; add it")
    if texts and len(texts) != len(answers):
        raise VisarithError(f"{file} has {len(texts)} columns of text for {len(answers)} answers; give as many")
    if len(rows) < 2:
        raise VisarithError(f"{file} has too few examples ({len(rows)}); give 2 or more")
    pictures = _loaded(folder, rows, inputs), _loaded(folder, rows, answers)
    try:
        return PictureSet(
            *pictures,
            text=[[row[name] for name in texts] for row in rows] if texts else None,
            split=[row["split"] for row in rows] if "split" in columns else None,
            name=folder.resolve().name,
            path=folder.resolve(),
        )
    except VisarithError as error:
        raise VisarithError(f"{file}: {error}") from None


def _manifest(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    try:
        lines = io.StringIO(read_bytes(file, MOST_MANIFEST).decode("utf-8-sig"), newline="")
        reader = csv.DictReader(lines, restkey="", strict=True)
        columns, rows = list(reader.fieldnames or []), list(reader)
    except FileNotFoundError:
        raise VisarithError(f"{file} does not exist; a folder of pictures needs one (docs/pictures.md)") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise VisarithError(f"{file} cannot be read as CSV ({error}); save it as UTF-8 with commas") from None
    for name in columns:
        if not COLUMN.fullmatch(name):
            usable = "input_1, input_2, ..., answer, split and text"
            raise VisarithError(f"{file} has an unknown column {name!r}; use {usable}")
        if columns.count(name) > 1:
            raise VisarithError(f"{file} has the column {name!r} twice; leave one out")
    for number, row in enumerate(rows, 2):
        if "" in row or None in row.values():
            raise VisarithError(f"line {number} of {file} does not have {len(columns)} entries; give one a column")
    return columns, rows


def _named(columns: list[str], kind: str, file: Path) -> list[str]:
    """Return the columns of a kind in order: answer, or answer_1, answer_2, ... without a gap."""
    own = [name for name in columns if name == kind or name.startswith(f"{kind}_")]
    numbered = [f"{kind}_{number}" for number in range(1, len(own) + 1)]
    if own in ([], [kind]) or sorted(own) == sorted(numbered):
        return own if own == [kind] else numbered
    raise VisarithError(f"{file} has the columns {', '.join(own)}; number them {', '.join(numbered)}")


def _loaded(folder: Path, rows: list[dict[str, str]], columns: list[str]) -> np.ndarray:
    """Read the pictures of these columns, (count, columns, height, width) uint8; all must have one size."""
    root = folder.resolve()
    first = _picture(root, rows[0][columns[0]])
    needed = len(rows) * len(columns) * first.size
    if needed > MOST_BYTES:
        raise VisarithError(
            f"{len(rows):,} x {len(columns)} pictures of {first.shape[0]} x {first.shape[1]} need "
            f"{needed / 2**30:.0f} GiB of memory; give smaller or fewer pictures"
        )
    loaded = np.empty((len(rows), len(columns), *first.shape), np.uint8)
    for number, row in enumerate(rows):
        for place, column in enumerate(columns):
            picture = _picture(root, row[column])
            if picture.shape != first.shape:
                size, wanted = (f"{height} x {width}" for height, width in (picture.shape, first.shape))
                raise VisarithError(
                    f"{folder / row[column]} is {size}, but {folder / rows[0][columns[0]]} is {wanted} (height x "
                    f"width); scale them to one size"
                )
            loaded[number, place] = picture
    return loaded


def _picture(root: Path, name: str) -> np.ndarray:
    """Read a picture of the folder; refuse files outside of it."""
    try:
        file = (root / name).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or an impossible name
        file = Path()
    if not name or not file.is_relative_to(root):
        raise VisarithError(f"{name!r} in {root / MANIFEST} is not a file of this folder; copy it there")
    return read_picture(file)


def _from_npz(file: Path) -> PictureSet:
    data = _arrays(file)
    for name, shape in (("inputs", "(n, k, height, width)"), ("answers", "(n, m, height, width)")):
        if name not in data:
            raise VisarithError(f"{file} has no array {name!r}; add it, {shape} of uint8")
        array = data[name]
        if array.dtype != np.uint8 or array.ndim != 4:
            raise VisarithError(f"{name} in {file} are {array.dtype} of shape {array.shape}; give {shape} of uint8")
    for name in ("split", "text"):
        if name in data and (data[name].dtype.kind != "U" or data[name].ndim not in (1, 2)):
            raise VisarithError(f"{name} in {file} is {data[name].dtype} of shape {data[name].shape}; give n strings")
    try:
        return PictureSet(**data, name=file.stem, path=file.resolve())
    except VisarithError as error:
        raise VisarithError(f"{file}: {error}") from None


def _arrays(file: Path) -> dict[str, Any]:
    """Read the arrays; refuse pickled objects, and arrays that are too large."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            unknown = set(arrays.files) - {"inputs", "answers", "split", "text"}
            if unknown:
                raise VisarithError(
                    f"{file} has an unknown array {sorted(unknown)[0]!r}; use inputs, answers, split and text"
                )
            needed = sum(arrays.zip.getinfo(f"{name}.npy").file_size for name in arrays.files)
            if needed > MOST_BYTES:
                raise VisarithError(f"{file} needs {needed / 2**30:.0f} GiB of memory; give smaller or fewer pictures")
            data = {name: arrays[name] for name in arrays.files}
            if not all(isinstance(each, np.ndarray) for each in data.values()):
                raise VisarithError(f"{file} holds something that is not an array; write it by numpy.savez")
            return data
    except VisarithError:
        raise
    except (OSError, ValueError, EOFError, KeyError, TypeError, MemoryError, zlib.error, zipfile.BadZipFile) as error:
        pickled = zipfile.is_zipfile(file) and "pickle" in str(error)
        reason = "it holds pickled objects" if pickled else (str(error).splitlines() or [type(error).__name__])[0]
        raise VisarithError(f"{file} is not an .npz file of arrays ({reason}); write it by numpy.savez") from None
