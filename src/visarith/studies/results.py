"""The results store: one JSON file a job, written atomically, used again only if it answers the same question."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from visarith.errors import VisarithError, option
from visarith.files import MB, lock_file, parsed, read_bytes, remove_drafts, write_atomically
from visarith.studies.study import METHOD, Found, Job, Study

MOST = 100 * MB  # of a result
ROOM = 64 * 1024  # bytes that must be free for results
LOCK, LOCKS = ".lock", ".locks"  # of the folder, and of single jobs


@dataclass(frozen=True)
class Result:
    """A stored result; `failed` says why `found` is empty."""

    job: Job
    found: Found
    failed: str | None = None
    seconds: float = 0.0


class Results:
    """A folder of results: STUDY/JOB.json each."""

    def __init__(self, folder: str | Path, *, quick: bool = False) -> None:
        self.folder, self.quick = Path(folder), quick

    def file(self, job: Job) -> Path:
        return self.folder / f"{job.key}.json"

    def load(self, job: Job) -> Result | None:
        """The stored result, or None. A file that cannot be used raises an error that names it and says why."""
        file = self.file(job)
        if not file.exists():
            return None
        try:
            data = parsed(read_bytes(file, MOST))
            method, asked, found, failed = data["method"], data["asked"], data["found"], data["failed"]
            if method != METHOD:
                raise VisarithError(f"is of other code (method {method}, not {METHOD})")
            if data.get("quick", False) != self.quick:
                raise VisarithError(f"is {'not ' if self.quick else ''}a quick result")
            differs = job.differs(asked, job.asked)
            if differs:
                raise VisarithError(f"answers another question (its {differs} differs)")
            if failed is None:
                missing = next((key for key in job.keys if key not in found), None)
                wrong = f"it has no {missing}" if missing else job.implausible(found)
                if wrong:
                    raise VisarithError(f"is damaged ({wrong})")
            return Result(job, found, failed, float(data["seconds"]))
        except VisarithError as error:
            raise VisarithError(f"{file} {error}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise VisarithError(f"{file} is damaged ({type(error).__name__}: {error})") from None

    @contextmanager
    def writing(self, only: Iterable[Job] | None = None) -> Iterator[None]:
        """Lock the folder for this process; with `only`, share it with processes that lock other jobs."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder) as draft:
                draft.write(bytes(ROOM))
                draft.flush()
            with ExitStack() as stack:
                self._lock(stack, LOCK, shared=only is not None)
                if only is None:
                    for folder in (self.folder, *filter(Path.is_dir, self.folder.iterdir())):
                        remove_drafts(folder)
                for job in only or ():
                    self._lock(stack, f"{LOCKS}/{job.key}", held=job.key)
                yield
        except OSError as error:
            raise VisarithError(
                f"{self.folder} cannot be written ({error.strerror}); choose another {option('results')}"
            ) from None

    def _lock(self, stack: ExitStack, name: str, *, shared: bool = False, held: str = "") -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = stack.enter_context(file.open("ab+"))  # the lock ends with its process; the file stays
        try:
            lock_file(lock, shared=shared)
        except BlockingIOError:
            what = f"{held} in {self.folder}" if held else str(self.folder)
            raise VisarithError(
                f"{what} is in use by another visarith process; wait for it, or choose another {option('results')}"
            ) from None

    def check(self, jobs: Iterable[Job]) -> None:
        """Refuse to replace results of the other size, quick or full."""
        for file in map(self.file, jobs):
            if self._is_quick(file) not in (None, self.quick):
                size = "full-size" if self.quick else "quick"
                raise VisarithError(f"{file}, a {size} result, would be replaced; choose another {option('results')}")

    def keep(self, result: Result) -> None:
        """Store a result atomically."""
        data = {
            "method": METHOD,
            "quick": self.quick,
            "asked": result.job.asked,
            "failed": result.failed,
            "seconds": round(result.seconds, 2),
            "found": result.found,
        }
        text = json.dumps(data, indent=1, allow_nan=False) + "\n"
        file = self.file(result.job)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, lambda draft: draft.write_text(text))

    def _is_quick(self, file: Path) -> bool | None:
        """Whether a stored result is quick; None if there is no result that can be read."""
        try:
            return bool(parsed(read_bytes(file, MOST)).get("quick", False))
        except (OSError, ValueError, AttributeError):
            return None

    def stored(self, study: Study) -> tuple[list[Result], list[str]]:
        """All results of a study that can be used, in the study's order, and what is wrong with the others."""
        jobs = study.jobs(self.seeds(study), self.quick)
        good, complaints = [], []
        for job in jobs:
            try:
                result = self.load(job)
            except VisarithError as error:
                complaints.append(str(error))
            else:
                good += [result] if result else []
        return good, complaints

    def seeds(self, study: Study) -> list[int]:
        """The seeds for which a study has files."""
        found = set()
        for folder in {job.folder or job.study for job in study.jobs([0], self.quick)}:
            for file in (self.folder / folder).glob("*.seed*.json"):
                number = file.stem.rpartition(".seed")[2]
                found |= {int(number)} if number.isascii() and number.isdecimal() else set()
        return sorted(found) or [0]
