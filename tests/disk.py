"""A disk that notes every call on the files of a folder, and can fail, kill or lose power at any of them.

Calls are taken where Python makes them: `open`, `os.open`, writes, `os.fsync`, renames, deletions. `states` rebuilds
what a power cut may leave: of what was not synced, any part of the content and any choice of the names.
"""

import builtins
import io
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

WRITING = ("create", "write", "fsync", "rename", "unlink", "mkdir", "rmdir")  # the others only read
MOST_LOOSE = 5  # unsynced names of which every choice is tried


@dataclass(frozen=True)
class Call:
    """A call on a file: `data` is written at `place`; `to` is the new name."""

    kind: str
    path: Path
    data: bytes = b""
    place: int = 0
    to: Path | None = None


class Disk:
    """Takes the calls on a folder while it is used as a context; `act` is asked before each, and may raise."""

    def __init__(self, folder: Path, act: Callable[[Call], None] = lambda _: None) -> None:
        self.folder, self.act = folder, act
        self.calls: list[Call] = []
        self.handles: dict[int, Path] = {}
        self.patch = pytest.MonkeyPatch()
        self.open, self.os_open, self.fstat, self.lstat = io.open, os.open, os.fstat, os.lstat

    def happens(self, kind: str, path: Path, **more: Any) -> None:
        call = Call(kind, path, **more)
        self.calls.append(call)
        self.act(call)

    def inside(self, file: Any) -> Path | None:
        """The path of a file of the folder."""
        if isinstance(file, int):
            return self.handles.get(file)
        path = Path(os.fsdecode(file)).absolute() if isinstance(file, str | bytes | os.PathLike) else None
        return path if path and path.is_relative_to(self.folder) else None

    def there(self, path: Path) -> bool:
        """Whether there is such a file."""
        try:
            return bool(self.lstat(path))
        except OSError:
            return False

    def __enter__(self) -> "Disk":
        for module in (io, builtins):
            self.patch.setattr(module, "open", self._open)
        self.patch.setattr(os, "open", self._os_open)
        for kind, names in {"rename": ("replace", "rename"), "unlink": ("unlink", "remove")}.items():
            for name in names:
                self._wrap(name, kind)
        for name in ("mkdir", "rmdir", "fsync", "fstat", "stat", "lstat", "scandir", "listdir"):
            self._wrap(name, name)
        return self

    def __exit__(self, *_: object) -> None:
        self.patch.undo()

    def _wrap(self, name: str, kind: str) -> None:
        plain = getattr(os, name)

        def call(path: Any = ".", *others: Any, **options: Any) -> Any:
            if found := self.inside(path):
                self.happens(kind, found, **({"to": Path(others[0]).absolute()} if kind == "rename" else {}))
            return plain(path, *others, **options)

        self.patch.setattr(os, name, call)

    def _os_open(self, file: Any, flags: int, *others: Any, **options: Any) -> int:
        path = self.inside(file)
        if path:
            self.happens("create" if flags & os.O_CREAT and not self.there(path) else "open", path)
        handle = self.os_open(file, flags, *others, **options)
        if path:
            self.handles[handle] = path
        return handle

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *others: Any, **options: Any) -> Any:
        path, name = self.inside(file), file
        if path is None:
            return self.open(file, mode, buffering, *others, **options)
        if not isinstance(file, int):
            self.happens("create" if set(mode) & set("wxa") else "open", path, data=b"" if "w" in mode else b"+")
        raw = _Raw(self, path, name, mode.replace("b", "").replace("t", ""), options.pop("closefd", True))
        if buffering == 0:
            return raw
        both = "+" in mode
        kind = io.BufferedRandom if both else io.BufferedWriter if set(mode) & set("wxa") else io.BufferedReader
        buffered = kind(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *others, **options)


class _Raw(io.FileIO):
    def __init__(self, disk: Disk, path: Path, file: Any, mode: str, closefd: bool) -> None:
        self.disk, self.path = disk, path
        super().__init__(file, mode, closefd)
        disk.handles[self.fileno()] = path

    def write(self, data: Any) -> int:
        place = self.disk.fstat(self.fileno()).st_size if "a" in self.mode else self.tell()
        self.disk.happens("write", self.path, data=bytes(data), place=place)
        return super().write(data)

    def readinto(self, buffer: Any) -> Any:
        self.disk.happens("read", self.path)
        return super().readinto(buffer)

    def readall(self) -> bytes:
        self.disk.happens("read", self.path)
        return super().readall()

    def close(self) -> None:
        if not self.closed:
            self.disk.handles.pop(self.fileno(), None)
        super().close()


def kill_at(number: int, *, torn: bool = False) -> Callable[[Call], None]:
    """End this process, as SIGKILL does, before its n-th writing call; with `torn`, in the middle of what it writes."""
    left = [number]

    def act(call: Call) -> None:
        left[0] -= call.kind in WRITING
        if left[0] > 0 or call.kind not in WRITING:
            return
        if torn and call.kind == "write":
            with open(call.path, "rb+", buffering=0) as file:  # noqa: PTH123 - a path of Disk's own would be counted
                file.seek(call.place)
                file.write(call.data[: len(call.data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    return act


def fail_at(number: int, error: int) -> Callable[[Call], None]:
    """Let the n-th call fail with this number of an error."""
    left = [number]

    def act(call: Call) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise OSError(error, os.strerror(error), str(call.path))

    return act


# Power cuts


@dataclass
class _File:
    """The content of a file: what is synced, and what was written since."""

    synced: bytes = b""
    loose: list[tuple[int, bytes]] = field(default_factory=list)

    def content(self, how: str) -> bytes:
        """With what is not synced kept, dropped, torn in the middle, or as zeros, which some file systems leave."""
        found = bytearray(self.synced)
        if how == "dropped" or not self.loose:
            return bytes(found)
        for number, (place, data) in enumerate(self.loose):
            last = number == len(self.loose) - 1
            some = data[: len(data) // 2] if how == "torn" and last else data
            some = bytes(len(data)) if how == "zeros" else some
            found[len(found) :] = bytes(max(0, place - len(found)))
            found[place : place + len(some)] = some
        return bytes(found)


@dataclass
class _Name:
    """A change of the names in a folder: `path` is now this file, or none."""

    path: Path
    file: _File | None


def states(calls: list[Call]) -> Iterator[tuple[int, dict[Path, bytes]]]:
    """Every content that the folder can have after a power cut, with the number of calls that came before it."""
    now: dict[Path, _File] = {}
    durable: dict[Path, _File] = {}
    loose: list[list[_Name]] = []
    for number, call in enumerate([call for call in calls if call.kind in WRITING], 1):
        _apply(call, now, loose)
        if call.kind == "fsync" and call.path in now:
            file = now[call.path]
            file.synced, file.loose = file.content("kept"), []
        elif call.kind == "fsync":  # of a folder
            for change in [each for each in loose if each[0].path.parent == call.path]:
                _rename(durable, change)
                loose.remove(change)
        for names in _choices(durable, loose):
            for how in ("kept", "dropped", "torn", "zeros"):
                yield number, {path: file.content(how) for path, file in names.items()}


def _apply(call: Call, now: dict[Path, _File], loose: list[list[_Name]]) -> None:
    """What a call changes."""
    change: list[_Name] = []
    if call.kind == "create":
        if call.path not in now:
            change = [_Name(call.path, _File())]
        elif call.data == b"":
            now[call.path].synced, now[call.path].loose = b"", []  # truncated, and that may be on the disk at once
    elif call.kind == "write":
        now[call.path].loose.append((call.place, call.data))
    elif call.kind == "rename":
        assert call.to
        change = [_Name(call.path, None), _Name(call.to, now[call.path])]
    elif call.kind == "unlink" and call.path in now:
        change = [_Name(call.path, None)]
    if change:
        _rename(now, change)
        loose.append(change)


def _rename(names: dict[Path, _File], change: list[_Name]) -> None:
    for each in change:
        if each.file is None:
            names.pop(each.path, None)
        else:
            names[each.path] = each.file


def _choices(durable: dict[Path, _File], loose: list[list[_Name]]) -> Iterator[dict[Path, _File]]:
    """The names after any choice of the changes that are not synced; in order, but with any of them lost."""
    some = loose[-MOST_LOOSE:]
    for count in range(len(some) + 1):
        for chosen in combinations(some, count):
            names = dict(durable)
            for change in chosen:
                _rename(names, change)
            yield names
