"""Everything that the report shows, as studies that `visarith reproduce` runs. A new study is a line in `studies()`."""

import difflib

from visarith.errors import VisarithError
from visarith.studies.study import Job, Study


def studies() -> dict[str, Study]:
    """All studies by name, in the order in which they are listed."""
    from visarith.studies import constructions, experiments, insight, learnability, trainings

    every = [
        *experiments.studies(),
        insight.STUDY,
        constructions.CONSTRUCTED,
        constructions.GROWTH,
        constructions.ROBUSTNESS,
        trainings.SMALLEST,
        trainings.FEW_EXAMPLES,
        learnability.STUDY,
        trainings.OPEN_CHOICES,
    ]
    return {study.name: study for study in every}


def chosen(names: list[str], seeds: list[int], *, quick: bool = False, full: bool = False) -> list[Job]:
    """The jobs of these studies or experiments; for no names those of all studies, without the long ones unless `full`.

    A name is a study's (`insight`), an experiment's (`add-one-hot`), or both (`few-examples/columns-add-30`).
    """
    every = {study.name: study.jobs(seeds, quick) for study in studies().values()}
    if not names:
        short = [study.name for study in studies().values() if quick or full or not study.long]
        return [job for name in short for job in every[name]]
    by_name = {name: list(jobs) for name, jobs in every.items()}
    for study, jobs in every.items():
        for job in jobs:
            by_name.setdefault(job.name if job.folder else f"{study}/{job.name}", []).append(job)
    picked: dict[str, Job] = {}
    for name in names:
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 3, 0.4) or list(every)
            raise VisarithError(f"there is no study or experiment {name!r}; the nearest are {', '.join(near)}")
        picked |= {job.key: job for job in by_name[name]}
    return list(picked.values())
