"""Studies: which jobs there are, which results are used again, how jobs run, and what happens when one fails."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from visarith.cli.displays import JobBars, JobLines
from visarith.cli.progress import duration
from visarith.errors import VisarithError
from visarith.studies import chosen, studies
from visarith.studies.catalogue import CATALOGUE, ENTRIES
from visarith.studies.clock import Clock
from visarith.studies.local import Local
from visarith.studies.reproduce import ATTEMPTS, Watcher, reproduce
from visarith.studies.results import METHOD, Result, Results
from visarith.studies.study import Context, Found, Job, Study

ROOT = Path(__file__).parent.parent


def double(number: int, context: Context) -> Found:
    context.progress(0.5, "half way")
    return {"twice": 2 * number, "threads": context.threads}


def fail(why: str, context: Context) -> Found:  # noqa: ARG001
    raise VisarithError(why)


def die(context: Context) -> Found:  # noqa: ARG001
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def leave(name: str, context: Context) -> Found:
    """Leave a file, as a training leaves its run."""
    (context.runs / name).write_text("trained")
    return {}


def count_files(context: Context) -> Found:
    return {"files": sorted(file.name for file in context.runs.iterdir() if file.is_file())}


def job(number: int, **more: object) -> Job:
    fields: dict[str, object] = {"asked": {"number": number}, "work": partial(double, number), "cost": 1.0} | more
    return Job("doubles", f"of-{number}", **fields)  # type: ignore[arg-type]


class Here:
    """An executor that runs jobs at once, in this process, and notes their order."""

    def __init__(self, workers: int = 2, threads: int = 1) -> None:
        self.workers, self.threads = workers, threads
        self.order, self.given, self.started, self.stopped = list[str](), set[int](), False, False

    def start(self) -> None:
        self.started = True

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        self.order.append(job.name)
        self.given.add(context.threads)
        future: Future[Found] = Future()
        try:
            future.set_result(job.work(context))
        except VisarithError as error:
            future.set_exception(error)
        return future

    def progress(self) -> Iterator[tuple[str, float, str]]:
        return iter(())

    def stop(self) -> None:
        self.stopped = True


class Log(Watcher):
    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, jobs: list[Job], stored: int) -> None:
        self.said.append(f"{len(jobs)} to do, {stored} stored")

    def complaint(self, text: str) -> None:
        self.said.append(text)

    def progress(self, job: Job, done: float, text: str, left: float | None) -> None:  # noqa: ARG002
        self.said.append(f"{job.name}: {text}")


def test_jobs_run_in_processes_and_tell_how_far_they_are(tmp_path: Path) -> None:
    log = Log()
    results = Results(tmp_path / "results")
    found = reproduce([job(1), job(2), job(3)], results, runs=tmp_path, executor=Local(2), watcher=log)
    assert [result.found["twice"] for result in found] == [2, 4, 6]
    assert log.said[0] == "3 to do, 0 stored"
    assert {f"of-{number}: half way" for number in (1, 2, 3)} <= set(log.said)
    again = reproduce([job(1), job(2), job(3)], results, runs=tmp_path, executor=Here(0), watcher=log)
    assert log.said[-1] == "0 to do, 3 stored"
    assert [result.found for result in again] == [result.found for result in found]


@pytest.mark.parametrize(("count", "workers", "threads"), [(5, 2, 1), (1, 2, 1), (3, 8, 1), (1, 8, 2)])
def test_threads_depend_neither_on_workers_nor_on_jobs(tmp_path: Path, count: int, workers: int, threads: int) -> None:
    here = Here(workers, threads)
    reproduce([job(number) for number in range(count)], Results(tmp_path), runs=tmp_path, executor=here)
    assert here.given == {threads}
    assert here.stopped


def test_the_default_takes_all_cores_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visarith.studies.local.cores", lambda: 6)
    assert [(Local(threads=threads).workers, Local(threads=threads).threads) for threads in (1, 2, 4, 8)] == [
        (6, 1),
        (3, 2),
        (1, 4),
        (1, 8),
    ]


def test_a_job_that_fails_or_dies_harms_no_other(tmp_path: Path) -> None:
    results = Results(tmp_path / "results")
    bad = job(1, work=partial(fail, "1 is no number; use 2"))
    dead = job(2, work=die)
    found = reproduce([bad, dead, job(3), job(4)], results, runs=tmp_path, executor=Local(2))
    assert [result.failed for result in found[:2]] == [
        "1 is no number; use 2",
        f"its process was killed (out of memory?), {ATTEMPTS} times",
    ]
    assert [result.found["twice"] for result in found[2:]] == [6, 8]
    stored = results.load(bad)
    assert stored
    assert stored.failed == found[0].failed
    (mended,) = reproduce([job(1)], results, runs=tmp_path, executor=Here())  # what failed is done again
    assert mended.found["twice"] == 2


class Unloadable:
    """Work that a worker process cannot load, as if its module were broken."""

    def __call__(self, context: Context) -> Found:  # noqa: ARG002
        raise AssertionError

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("no number",)


def test_a_job_that_no_worker_can_load_harms_no_other(tmp_path: Path) -> None:
    results = Results(tmp_path / "results")
    jobs = [job(1, work=Unloadable(), cost=9.0), job(2), job(3)]
    bad, *fine = reproduce(jobs, results, runs=tmp_path, executor=Local(1))
    assert bad.failed
    assert "un-serialize" in bad.failed
    assert [result.found["twice"] for result in fine] == [4, 6]


def test_stopping_ends_the_workers(tmp_path: Path) -> None:
    local = Local(1)
    future = local.submit(job(1, work=partial(_sleep, tmp_path / "started")), Context(tmp_path))
    while not (tmp_path / "started").exists():
        time.sleep(0.02)
    pid = int((tmp_path / "started").read_text())
    local.stop()
    assert future.exception(5)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def _sleep(file: Path, context: Context) -> Found:  # noqa: ARG001
    draft = file.with_suffix(".draft")
    draft.write_text(str(os.getpid()))
    draft.replace(file)
    time.sleep(600)
    return {}


def test_what_a_job_needs_comes_first_and_is_made_again_if_its_run_is_gone(tmp_path: Path) -> None:
    runs, results = tmp_path / "runs", Results(tmp_path / "results")
    runs.mkdir()
    train = Job("trainings", "a", {}, partial(leave, "a"), 1.0, ready=lambda context: (context.runs / "a").exists())
    look = Job("looks", "at-a", {}, count_files, 100.0, needs=(train,))
    here = Here(1)
    (found,) = reproduce([look], results, runs=runs, executor=here)
    assert here.order == ["a", "at-a"]
    assert found.found == {"files": ["a"]}
    results.file(look).unlink()
    here = Here(1)
    reproduce([look], results, runs=runs, executor=here)
    assert here.order == ["at-a"]
    results.file(look).unlink()
    (runs / "a").unlink()  # its result is stored, its run is not
    here = Here(1)
    reproduce([train, look], results, runs=runs, executor=here)
    assert here.order == ["a", "at-a"]


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lambda _: None, "is damaged"),
        (lambda data: {**data, "method": 0}, f"is of other code (method 0, not {METHOD})"),
        (lambda data: {**data, "asked": {"number": 7}}, "answers another question (its number differs)"),
        (lambda data: {**data, "found": {"twice": 3}}, "is damaged (3 is odd)"),
        (lambda data: {**data, "found": {"half": 3}}, "is damaged (it has no twice)"),
        (lambda data: {key: data[key] for key in data if key != "found"}, "is damaged (KeyError"),
    ],
)
def test_a_result_that_cannot_be_used_is_named_and_computed_again(harm, complaint, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    results = Results(tmp_path / "results")
    mine = job(2, keys=("twice",), implausible=lambda found: f"{found['twice']} is odd" if found["twice"] % 2 else None)
    reproduce([mine], results, runs=tmp_path, executor=Here())
    file = results.file(mine)
    file.write_text(json.dumps(harm(json.loads(file.read_text()))))
    log = Log()
    (again,) = reproduce([mine], results, runs=tmp_path, executor=Here(), watcher=log)
    assert again.found["twice"] == 4
    assert log.said[0].startswith(f"{file} {complaint}")
    assert log.said[0].endswith("; it is computed again")
    assert results.load(mine)


def test_stored_results_are_found_by_seed_and_the_others_are_complained_of(tmp_path: Path) -> None:
    study = Study("doubles", "", lambda seeds, quick: [job(1, seed=seed) for seed in seeds])  # noqa: ARG005
    results = Results(tmp_path)
    assert results.stored(study) == ([], [])
    for seed in (0, 3):
        results.keep(Result(job(1, seed=seed), {"twice": 2}))
    results.file(job(1, seed=3)).write_text("[")
    good, complaints = results.stored(study)
    assert [result.job.seed for result in good] == [0]
    assert len(complaints) == 1
    assert "of-1.seed3.json is damaged" in complaints[0]


def test_a_folder_that_cannot_be_written_is_named_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("in the way")
    here = Here()
    with pytest.raises(VisarithError, match="cannot be written"):
        reproduce([job(1)], Results(tmp_path / "results"), runs=tmp_path, executor=here)
    assert here.order == []


def test_the_time_that_is_left_follows_the_speed_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, now = [job(number, cost=100.0) for number in range(3)], [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock(jobs, workers=2)
    assert clock.left() is None
    clock.start(jobs[0])
    now[0] = 200.0  # twice as slow as expected
    assert clock.end(jobs[0]) == 200
    assert clock.left() == pytest.approx(200)  # two jobs of 200 s on two workers
    clock.start(jobs[1])
    clock.progress(jobs[1], 0.5)  # a resumed run: what was done before took no time
    now[0] = 300.0
    clock.progress(jobs[1], 1.0)
    assert clock.left() == pytest.approx(100)


@pytest.mark.parametrize("show", [JobLines, JobBars])
def test_what_is_shown_counts_up_to_the_end(show: type[JobLines], capsys: pytest.CaptureFixture[str]) -> None:
    shown = show()
    shown.complaint("results/add.seed0.json is damaged")  # comes before anything begins
    first, second = chosen(["add"], [0, 1])
    shown.begin([first, second], 3)
    for mine, result in (
        (first, Result(first, {}, failed="it broke")),
        (second, Result(second, {"score": {"digit_error": 0.25}}, seconds=61)),
    ):
        shown.started(mine)
        shown.progress(mine, 0.5, "epoch 1 of 2", 100.0)
        shown.ended(result, 50.0 if mine is first else 0.0)
    shown.close()
    said = capsys.readouterr().err
    assert "results/add.seed0.json is damaged" in said
    assert "2 jobs to do, 3 stored already" in said
    assert "1 of 2: add seed 0, failed: it broke, 0 s, about 50 s left" in said
    assert "2 of 2: add seed 1, 25.0 %, 1 min 01 s\n" in said


def test_durations_are_for_people() -> None:
    assert [duration(seconds) for seconds in (0.2, 59.6, 61, 3599, 7200)] == [
        "0 s",
        "1 min 00 s",
        "1 min 01 s",
        "59 min 59 s",
        "2 h 00 min",
    ]


def test_names_choose_studies_experiments_and_single_jobs() -> None:
    assert {job.name for job in chosen(["noisy"], [0])} == {"noise"}
    assert [job.key for job in chosen(["noise"], [0, 1])] == ["experiments/noise.seed0", "experiments/noise.seed1"]
    assert [job.key for job in chosen(["growth/add-carries"], [0])] == ["growth/add-carries"]
    with pytest.raises(VisarithError, match="there is no study or experiment 'romann'; the nearest are roman"):
        chosen(["romann"], [0])


def test_full_adds_the_long_studies_and_quick_has_them_all() -> None:
    usual, full, quick = (
        {job.study for job in chosen([], [0], **each)} for each in ({}, {"full": True}, {"quick": True})
    )
    assert full == quick == set(studies())
    long = {"columns", "smallest", "few-examples", "reliability", "rules", "typefaces", "ablations"}
    long |= {"readings"}
    assert full - usual == long


def test_every_job_has_a_place_of_its_own_and_json_to_ask() -> None:
    for quick in (False, True):
        jobs = chosen([], [0, 1], quick=quick, full=True)
        assert len({job.key for job in jobs}) == len(jobs)
        for job in jobs:
            assert json.loads(json.dumps(job.asked))
            assert job.cost > 0
    names = [entry.name for entry in CATALOGUE]
    assert not set(names) & set(studies())  # a name says one thing
    assert set(ENTRIES) == set(names)


def test_every_result_of_the_repository_is_used() -> None:
    stored = Results(ROOT / "results")
    files = set(stored.folder.rglob("*.json"))
    for study in studies().values():
        good, complaints = stored.stored(study)
        assert complaints == []
        for result in good:
            assert result.failed is None
            files.remove(stored.file(result.job))
    assert files == set()


def test_quick_results_never_replace_full_ones(tmp_path: Path) -> None:
    full, quick = Results(tmp_path), Results(tmp_path, quick=True)
    reproduce([job(1)], full, runs=tmp_path, executor=Here())
    before = full.file(job(1)).read_text()
    with pytest.raises(VisarithError, match="a full-size result, would be replaced; choose another"):
        reproduce([job(1)], quick, runs=tmp_path, executor=Here())
    assert full.file(job(1)).read_text() == before
    with pytest.raises(VisarithError, match="is not a quick result"):
        quick.load(job(1))


def test_a_failure_replaces_no_result_and_is_told(tmp_path: Path) -> None:
    results = Results(tmp_path / "results")
    need = job(1, ready=lambda context: False)  # noqa: ARG005
    reproduce([need], results, runs=tmp_path, executor=Here())
    broken = job(1, ready=lambda context: False, work=partial(fail, "the disk is gone; buy one"))  # noqa: ARG005
    other, lost = reproduce([job(2, needs=(broken,))], results, runs=tmp_path, executor=Here(1))
    assert other.failed == "it needs doubles of-1, which failed"
    assert lost.failed == "the disk is gone; buy one"
    stored = results.load(need)
    assert stored
    assert stored.found["twice"] == 2


def test_a_result_that_is_no_json_fails_alone(tmp_path: Path) -> None:
    nan = job(1, work=partial(give, {"twice": float("nan")}))
    strange, fine = reproduce([nan, job(2)], Results(tmp_path), runs=tmp_path, executor=Here())
    assert strange.failed
    assert strange.failed.startswith("its result is no JSON")
    assert fine.found["twice"] == 4


def give(found: Found, context: Context) -> Found:  # noqa: ARG001
    return found


def test_two_reproductions_do_not_share_a_folder(tmp_path: Path) -> None:
    results = Results(tmp_path)
    with results.writing(), pytest.raises(VisarithError, match="in use by another visarith process"):
        reproduce([job(1)], results, runs=tmp_path, executor=Here())


def test_a_worker_that_dies_while_idle_is_replaced(tmp_path: Path) -> None:
    local = Local(1)
    context = Context(tmp_path)
    pid = local.submit(job(1, work=tell_pid), context).result(60)["pid"]
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.5)
    try:
        assert local.submit(job(2), context).result(60)["twice"] == 4
    finally:
        local.stop()


def tell_pid(context: Context) -> Found:  # noqa: ARG001
    return {"pid": os.getpid()}


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from test_studies import job, _sleep; from functools import partial\n"
        "from visarith.studies.local import Local; from visarith.studies.study import Context\n"
        "local = Local(1)\n"
        "local.submit(job(1, work=partial(_sleep, Path('started'))), Context(Path('.'))).result()\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    parent = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, env=environment)
    while not (tmp_path / "started").exists():
        assert parent.poll() is None
        time.sleep(0.05)
    worker = int((tmp_path / "started").read_text())
    parent.kill()
    parent.wait()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the worker outlived its parent")


def test_a_worker_ends_if_its_parent_was_killed_before_it_began() -> None:
    """It used to take whoever had adopted it for its parent, and lived for ever."""
    code = "import os, time; from visarith.studies import local; local._connect(None, os.getppid() + 1); time.sleep(60)"
    assert subprocess.run([sys.executable, "-c", code], timeout=50, check=False).returncode == 1


def test_another_method_or_question_has_another_run_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    context = Context(tmp_path)
    first = context.folder("smallest", "3x48", {"epochs": 50})
    assert context.folder("smallest", "3x48", {"epochs": 2}) != first
    monkeypatch.setattr("visarith.studies.study.METHOD", METHOD + 1)
    assert context.folder("smallest", "3x48", {"epochs": 50}) != first
