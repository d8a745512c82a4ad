"""The results store: one JSON file a job, written atomically, used again only if it answers the same question."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from visarith.errors import VisarithError, option
from visarith.studies.study import Found, Job, Study

METHOD = 1  # raise it when the same job would no longer give the same result: training, reading or scoring changed


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
            data = json.loads(file.read_text())
            method, asked, found, failed = data["method"], data["asked"], data["found"], data["failed"]
            if method != METHOD:
                raise VisarithError(f"is of other code (method {method}, not {METHOD})")
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

    def prepare(self) -> None:
        """Check that results can be written, before anything is computed."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise VisarithError(
                f"{self.folder} cannot be written ({error.strerror}); choose another {option('results')}"
            ) from None

    def keep(self, result: Result) -> None:
        """Write a result beside its place, then move it there in one step."""
        file = self.file(result.job)
        file.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "method": METHOD,
            "asked": result.job.asked,
            "failed": result.failed,
            "seconds": round(result.seconds, 2),
            "found": result.found,
        }
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n")
        draft.replace(file)

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
