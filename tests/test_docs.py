"""The documentation is true: its snippet runs, its figures are the stored ones, its names exist."""

import importlib.util
import json
import re
import subprocess
from dataclasses import fields
from pathlib import Path

from markupsafe import escape

import visarith as va
from visarith.cli import VERBS
from visarith.report.evidence import Evidence
from visarith.report.report import sections
from visarith.studies.results import Results

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAPER_PAGE = (ROOT / "docs" / "paper.md").read_text()


def script(name: str):  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def between(text: str, mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert found
    return found[1]


def snippets(text: str) -> list[dict[str, object]]:
    """The names that each of a document's Python snippets leaves, run at a size that takes moments."""
    found = []
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
        where = "runs/add" if 'va.load("runs/add")' in code else f"runs/{number}"
        small = f"seed=0, examples=1000, test_pairs=100, epochs=1, out={where!r})"
        names: dict[str, object] = {}
        exec(code.replace("seed=0)", small), names)
        found.append(names)
    return found


def test_the_python_snippets_run() -> None:
    ours, own = snippets(README)
    assert isinstance(own["again"], va.Run)
    assert own["again"].score == own["mine"].score  # type: ignore[attr-defined]
    assert len(re.findall(r"```python\n(.*?)```", README, re.DOTALL)[1].split("\n\n", 1)[1].splitlines()) <= 10
    (pictures,) = snippets((ROOT / "docs" / "pictures.md").read_text())
    assert isinstance(pictures["run"], va.Run)
    run = ours["run"]
    assert isinstance(run, va.Run)
    assert run.draw(1234567, 2345678).shape == (15, 60)
    assert 1234567 + 2345678 == 3580245  # as the comment says


def test_the_default_run_of_a_task_is_where_the_readme_says() -> None:
    from visarith.runs.experiment import Experiment

    assert Experiment(va.Task("add")).resolved().name == "add"
    assert Experiment(va.Task("add", noise=0.3), seed=1).resolved().name == "add-noise0.3-seed1"


def test_the_readme_shows_eight_commands_that_exist_and_the_tree_of_the_source() -> None:
    section = README.split("## Eight commands")[1].split("\n## ")[0]
    lines = re.findall(r"^    visarith ([a-z]+)", section, re.MULTILINE)
    assert len(lines) == 8
    assert set(lines) <= set(VERBS)
    tree = README.split("## The source")[1].split("\n## ")[0]
    package = ROOT / "src" / "visarith"
    folders = {path.name for path in package.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(re.findall(r"^      (\w+)/", tree, re.MULTILINE)) == folders
    for name in re.findall(r"^    (\w+)/", tree, re.MULTILINE):
        assert (ROOT / name).is_dir(), name


def test_every_public_name_is_in_the_readme() -> None:
    for name in va.__all__:
        assert f"`{name}`" in README, name
        assert getattr(va, name)


def test_every_open_choice_of_the_recipe_is_explained() -> None:
    printed = {"optimizer", "rate", "momentum", "batch", "epochs"}
    others = {
        "schedule",
        "shortcuts",
        "least_steps",
        "attempts",
        "jitter",
    }  # variations of ours, not questions that the paper leaves open
    for field in fields(va.Recipe):
        if field.name not in printed | others:
            assert f"`{field.name}`" in PAPER_PAGE, field.name


def test_every_table_is_made_from_the_stored_results() -> None:
    for (name, mark), table in script("documents").blocks().items():
        assert between((ROOT / name).read_text(), mark) == f"\n{table}\n", f"{name}, {mark}: run make docs"


def test_the_report_in_the_docs_is_of_the_stored_results() -> None:
    said = (ROOT / "docs" / "report" / "report.md").read_text()
    page = (ROOT / "docs" / "report" / "report.html").read_text()
    for section in sections(Evidence(Results(ROOT / "results"))):
        assert f">{escape(section.topic.title)}</h2>" in page
        for table in (*section.tables, *section.appendix):
            assert table.markdown() in said, f"{table.title}: run make docs"
        for claim, verdict in section.claims:
            assert f"**{claim.number}. {claim.titled}**: *{verdict.word}*. {verdict.why}" in said, claim.number
        for figure in section.figures:
            assert figure.sheet is None or (ROOT / "docs" / "report" / f"{figure.name}.svg").exists()


def test_stored_results_are_of_this_code() -> None:
    assert Evidence(Results(ROOT / "results")).complaints == []


def test_all_claims_are_listed() -> None:
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", PAPER_PAGE, re.MULTILINE)] == list(range(1, 38))


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}"


def test_stored_results_say_how_they_were_made() -> None:
    files = list((ROOT / "results" / "experiments").glob("*.json"))
    assert files
    for file in files:
        ran = json.loads(file.read_text())["found"]["ran"]
        assert set(ran) == {"versions", "threads", "device", "precision"}, file.name
        assert ran["versions"].keys() >= {"visarith", "torch", "python"}, file.name


def test_make_help_lists_every_target() -> None:
    listed = subprocess.run(["make", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"setup", "run", "test", "help"} <= set(targets)
    for target in targets:
        assert f"make {target}" in listed
