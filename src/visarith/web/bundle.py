"""A bundler: JavaScript modules joined into one classic script. Browsers do not load modules from a disk.

Each module becomes a function that returns its exports. Only the forms of import and export below are supported; any
other is an error.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from visarith.errors import VisarithError

_NAME = r"[A-Za-z_$][\w$]*"
_ONE = rf"{_NAME}(?:\s+as\s+{_NAME})?"
_NAMES = rf"\{{\s*({_ONE}(?:\s*,\s*{_ONE})*)\s*,?\s*\}}"
_IMPORT = re.compile(rf'^import\s*{_NAMES}\s*from\s*"([^"\n]+)";[ \t]*$', re.M)
_EXPORT = re.compile(rf"^export (?=(?:async function|function|class|const)\s+({_NAME})\b)", re.M)
_AWAIT = r"^(?!.*\basync\b)(?!\s).*\bawait\b"  # at top level: function bodies are indented
_UNSUPPORTED = re.compile(rf"^\s*(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b|{_AWAIT}", re.M)


def bundle(folder: Path, entries: list[str], instead: Mapping[str, str] | None = None) -> str:
    """Return one classic script of these modules and all their imports. Each module runs once, after its imports.

    `instead` maps a module to the one that replaces it. The exports of each module are in `visarithModules`.
    """
    bundled = _Bundle(folder, instead or {})
    for entry in entries:
        bundled.add(entry)
    modules = "".join(f'modules["{name}"] = (() => {{\n{body}}})();\n' for name, body in bundled.bodies.items())
    return f'"use strict";\n(() => {{\nconst modules = (globalThis.visarithModules = {{}});\n{modules}}})();\n'


@dataclass
class _Bundle:
    """Modules in an order in which each comes after its imports."""

    folder: Path
    instead: Mapping[str, str]
    bodies: dict[str, str] = field(default_factory=dict)
    exports: dict[str, list[str]] = field(default_factory=dict)

    def add(self, asked: str, above: tuple[str, ...] = ()) -> str:
        """Add a module after its imports, and return its name."""
        name = self.instead.get(asked, asked)
        if name in above:
            raise VisarithError(f"{' imports '.join([*above, name])}: circular imports cannot be bundled; remove one")
        if name not in self.bodies:
            try:
                text = (self.folder / name).read_text(encoding="utf-8")
            except OSError:
                importer = above[-1] if above else "the page"
                raise VisarithError(f"{importer} imports {name}, which does not exist; correct the name") from None
            body = _IMPORT.sub(lambda match: self._required(match, name, above), text)
            self.exports[name] = [match[1] for match in _EXPORT.finditer(body)]
            body = _EXPORT.sub("", body)
            _check(name, _without_comments(body))
            self.bodies[name] = f"{body}\nreturn {{ {', '.join(self.exports[name])} }};\n"
        return name

    def _required(self, match: re.Match[str], name: str, above: tuple[str, ...]) -> str:
        """Return an import as a line inside a function, so that line numbers stay the same."""
        names, where = match[1], match[2]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), where))
        if not where.startswith(("./", "../")) or path.startswith(".."):
            raise VisarithError(f"{name} imports {where}, which is not a relative path; begin it with ./")
        source = self.add(path, (*above, name))
        for each in names.split(","):
            if each.split()[0] not in self.exports[source]:
                raise VisarithError(f"{name} imports {each.split()[0]}, which {source} does not export; export it")
        renamed = re.sub(r"\s+as\s+", ": ", names)
        return f'const {{ {renamed} }} = modules["{source}"];'


def _check(name: str, body: str) -> None:
    if match := _UNSUPPORTED.search(body):
        at = match.end() - len(match[0].lstrip())
        line = body[at:].split("\n", 1)[0].strip()[:60]
        raise VisarithError(
            f"{name} line {body.count(chr(10), 0, at) + 1} cannot be bundled ({line}); write import {{ a }} from, or "
            f"export before a function, class or const"
        )


def _without_comments(text: str) -> str:
    """Blank the comments that fill whole lines, so that prose is not taken for code. Line numbers stay the same."""
    blocks = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*$", lambda match: "\n" * match[0].count("\n"), text, flags=re.M | re.S)
    return re.sub(r"^[ \t]*//.*$", "", blocks, flags=re.M)
