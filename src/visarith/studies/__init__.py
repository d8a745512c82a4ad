"""Everything that the report shows, as studies that `visarith reproduce` runs. A new study is a line in `studies()`."""

import difflib

from visarith.errors import VisarithError
from visarith.studies.study import Job, Study


def studies() -> dict[str, Study]:
    """All studies by name, in the order in which they are listed."""
    from visarith.studies import (
        ablations,
        certificates,
        constructions,
        experiments,
        insight,
        learnability,
        perception,
        readers,
        readings,
        reliability,
        rules,
        trainings,
        typefaces,
    )

    every = [
        *experiments.studies(),
        insight.STUDY,
        readers.STUDY,
        perception.STUDY,
        typefaces.STUDY,
        constructions.CONSTRUCTED,
        constructions.GROWTH,
        constructions.ROBUSTNESS,
        certificates.STUDY,
        trainings.SMALLEST,
        trainings.FEW_EXAMPLES,
        learnability.STUDY,
        rules.STUDY,
        reliability.STUDY,
        ablations.STUDY,
        readings.STUDY,
    ]
    return {study.name: study for study in every}


def chosen(names: list[str], seeds: list[int], *, quick: bool = False, full: bool = False) -> list[Job]:
    """The jobs of these studies or experiments; for no names those of all studies, without the long ones unless `full`.

    A name is a study's (`insight`), an experiment's (`add-one-hot`), or both (`few-examples/columns-add-30`).
    """
    every = studies()
    if not names:
        picked = [study for study in every.values() if quick or full or not study.long]
        return [job for study in picked for job in study.jobs(seeds, quick)]
    homes = {name: name for name in every}  # the study of each name
    for study in every.values():
        homes |= {_called(job): study.name for job in study.jobs(seeds[:1], quick)}
    found: dict[str, Job] = {}
    for name in names:
        if name not in homes:
            near = difflib.get_close_matches(name, homes, 3, 0.4) or list(every)
            raise VisarithError(f"there is no study or experiment {name!r}; the nearest are {', '.join(near)}")
        jobs = every[homes[name]].jobs(seeds, quick)
        found |= {job.key: job for job in jobs if name in (homes[name], _called(job))}
    return list(found.values())


def with_keys(keys: list[str], *, quick: bool = False) -> list[Job]:
    """The jobs of all studies with these keys, such as `experiments/add.seed3` or `growth/add-carries`."""
    asked = [key.rpartition(".seed")[2] for key in keys]
    seeds = {int(number) for number in asked if number.isascii() and number.isdecimal() and len(number) < 4} or {0}
    return picked([job for study in studies().values() for job in study.jobs(sorted(seeds), quick)], keys)


def picked(jobs: list[Job], keys: list[str]) -> list[Job]:
    """Those of the jobs with these keys, each once."""
    found = {job.key: job for job in jobs}
    for key in keys:
        if key not in found:
            near = difflib.get_close_matches(key, found, 3, 0.4) or list(found)[:3]
            raise VisarithError(f"there is no job {key!r}; the nearest are {', '.join(near)}")
    return [found[key] for key in dict.fromkeys(keys)]


def _called(job: Job) -> str:
    """The name by which a single job is chosen."""
    return job.name if job.folder else f"{job.study}/{job.name}"
