"""The way of the data is one-directional: a stage imports only from stages above it."""

import ast
import subprocess
from pathlib import Path

import pytest

import visarith

PACKAGE = Path(visarith.__file__).parent
STAGES = [
    "errors",
    "files",
    "randomness",
    "operations",
    "notation",
    "pictures",
    "reading",
    "data",
    "training",
    "learners",
    "evaluation",
    "runs",
    "studies",
    "report",
    "web",
    "cli",
    "__main__",
]
CONTRACT = "visarith.learners.learner"  # the one thing below it that training names, and only for its types
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def stage(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def inside(tree: ast.AST, kind: type[ast.If | ast.With], words: str) -> set[ast.AST]:
    """All that stands below statements of this kind whose first line has these words."""
    found = [node for node in ast.walk(tree) if isinstance(node, kind) and words in ast.unparse(node).split("\n")[0]]
    return {below for node in found for below in ast.walk(node)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_up(file: Path) -> None:
    here = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    tree = ast.parse(file.read_text())
    for_types = inside(tree, ast.If, "TYPE_CHECKING")
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            same = node.module == "visarith"
            names = [f"visarith.{alias.name}" for alias in node.names] if same else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("visarith.") and not (name == CONTRACT and node in for_types):
                assert STAGES.index(stage(name)) <= STAGES.index(here), f"{file.name} imports {name}"


def test_every_file_has_a_stage_and_says_what_it_is_for() -> None:
    for file in FILES:
        assert file.relative_to(PACKAGE).parts[0].removesuffix(".py") in STAGES
        assert ast.get_docstring(ast.parse(file.read_text())), f"{file.name} has no docstring"


def test_nothing_leaves_a_global_seeded() -> None:
    for file in FILES:
        assert "np.random.seed" not in file.read_text(), file.name
        tree = ast.parse(file.read_text())
        put_back = inside(tree, ast.With, "torch.random.fork_rng")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("manual_seed"):
                own = ast.unparse(node.func) == "torch.Generator().manual_seed"
                assert own or node in put_back, f"{file.name}: {ast.unparse(node)}"


def test_no_file_of_the_package_is_ignored_by_git() -> None:
    """A folder of the package was once left out of every commit, since .gitignore named runs at any depth."""
    if not (PACKAGE.parent.parent / ".git").exists():
        pytest.skip("this is no checkout")
    listing = ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "--", "*.py", "*.js", "*.json"]
    found = subprocess.run(listing, cwd=PACKAGE, capture_output=True, text=True, check=True).stdout
    assert found == ""
