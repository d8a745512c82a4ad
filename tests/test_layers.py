"""The way of the data is one-directional: a stage imports only from stages above it."""

import ast
from pathlib import Path

import pytest

import visarith

PACKAGE = Path(visarith.__file__).parent
STAGES = [
    "errors",
    "randomness",
    "operations",
    "notation",
    "pictures",
    "task",
    "learners",
    "training",
    "reading",
    "evaluation",
    "experiments",
    "insight",
    "report",
    "web",
    "terminal",
    "pool_display",
    "arguments",
    "calculating",
    "exactness",
    "constructing",
    "questions",
    "reproduction",
    "serving",
    "publishing",
    "verbs",
    "cli",
    "__main__",
]
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def stage(module: str) -> str:
    return module.split(".")[1] if "." in module else module


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_up(file: Path) -> None:
    here = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            same = node.module == "visarith"
            names = [f"visarith.{alias.name}" for alias in node.names] if same else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("visarith."):
                assert STAGES.index(stage(name)) <= STAGES.index(here), f"{file.name} imports {name}"


def test_every_file_has_a_stage_and_says_what_it_is_for() -> None:
    for file in FILES:
        assert file.relative_to(PACKAGE).parts[0].removesuffix(".py") in STAGES
        assert ast.get_docstring(ast.parse(file.read_text())), f"{file.name} has no docstring"


def test_nothing_seeds_a_global() -> None:
    for file in FILES:
        assert "manual_seed(" not in file.read_text().replace("torch.Generator().manual_seed(", ""), file.name
        assert "np.random.seed" not in file.read_text(), file.name
