"""Files that survive a kill and a power cut, and readers that trust no file: bounded, regular files only."""

import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from visarith.errors import VisarithError

MB = 1_000_000
DRAFT = ".draft"  # the end of the names of files that are not complete yet


def read_bytes(file: Path, most: int) -> bytes:
    """All bytes of a regular file with at most so many; OSError for anything else, such as a FIFO or a device."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as opened:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("no regular file")
        if found.st_size > most:
            raise OSError(f"{found.st_size:,} bytes, and at most {most:,} are possible")
        return opened.read(most)


def parsed(data: bytes) -> dict[str, Any]:
    """A JSON object; ValueError for anything else, and for numbers that are not finite.

    >>> parsed(b'{"wrong": NaN}')
    Traceback (most recent call last):
    ValueError: NaN is no number
    """
    try:
        found = json.loads(data.decode(), parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes.

    >>> digest(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()


def signed(data: dict[str, Any]) -> dict[str, Any]:
    """A JSON object with the SHA-256 of the rest of it in `sha256`."""
    rest = {name: value for name, value in data.items() if name != "sha256"}
    return rest | {"sha256": digest(json.dumps(rest, sort_keys=True, allow_nan=False).encode())}


def write_atomically(final: Path, writer: Callable[[Path], object]) -> Path:
    """Write a draft and rename it, so that the file is complete at any time, also after a power cut."""
    draft = final.with_name(f".{final.name}.{os.getpid()}{DRAFT}")
    try:
        writer(draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(final)
        sync_folder(final.parent)
    except (OSError, RuntimeError) as error:  # PyTorch raises RuntimeError on a full disk
        raise VisarithError(f"{final} cannot be written ({reason(error)}); is the disk full?") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return final


def append_line(file: Path, line: str) -> None:
    """Add a line to a file, and see it on the disk."""
    try:
        with file.open("a") as opened:
            opened.write(f"{line}\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        raise VisarithError(f"{file} cannot be written ({reason(error)}); is the disk full?") from None


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, and see each name on the disk."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.absolute().parent)


def sync_folder(folder: Path) -> None:
    """See the names in a folder on the disk; Windows does this by itself."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_drafts(folder: Path) -> None:
    """Delete what killed processes left; only for whoever has locked the folder, so that nobody else writes in it."""
    for draft in folder.glob(f".*{DRAFT}"):
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def open_lock(file: Path, *, create: bool = True) -> IO[bytes]:
    """Open a file to lock it; OSError for anything but a regular file."""
    handle = os.open(file, os.O_RDWR | (os.O_CREAT if create else 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    opened = os.fdopen(handle, "rb+", buffering=0)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{file.name} is no regular file")
    except OSError:
        opened.close()
        raise
    return opened


def lock_file(file: IO[bytes], *, shared: bool = False) -> None:
    """Lock a file until it is closed, alone or with others that share it; BlockingIOError if that cannot be.

    Windows has no shared locks here: there, one process has it at a time.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def is_shared(file: IO[bytes]) -> bool:
    """Whether nobody has a file locked for himself; the file is not locked afterwards. Windows cannot tell: no."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        lock_file(file, shared=True)
    except BlockingIOError:
        return False
    fcntl.flock(file, fcntl.LOCK_UN)
    return True


def reason(error: Exception) -> str:
    """Why, in one line."""
    return getattr(error, "strerror", None) or next(iter(str(error).splitlines()), type(error).__name__)
