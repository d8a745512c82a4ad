"""JavaScript modules joined into one classic script, which browsers also run from a disk, where they refuse modules.

Each module becomes a function that returns what it exports. Only what is listed here is understood, and everything else
that begins with import or export is refused: a bundle is right or it is not written.
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
_AWAIT = r"^(?!.*\basync\b)(?!\s).*\bawait\b"  # outside functions, whose bodies are indented
_LEFT = re.compile(rf"^\s*(?:import|export)\b|\bimport\s*\(|\bimport\.meta\b|{_AWAIT}", re.M)


def bundle(folder: Path, entries: list[str], instead: Mapping[str, str] | None = None) -> str:
    """One classic script of these modules and all that they import, each run once, after what it imports.

    `instead` names modules that are taken in the place of others. What each module exports is in `visarithModules`.
    """
    joined = _Joined(folder, instead or {})
    for entry in entries:
        joined.add(entry)
    modules = "".join(f'modules["{name}"] = (() => {{\n{body}}})();\n' for name, body in joined.bodies.items())
    return f'"use strict";\n(() => {{\nconst modules = (globalThis.visarithModules = {{}});\n{modules}}})();\n'


@dataclass
class _Joined:
    """Modules in the order in which they can run."""

    folder: Path
    instead: Mapping[str, str]
    bodies: dict[str, str] = field(default_factory=dict)
    exports: dict[str, list[str]] = field(default_factory=dict)

    def add(self, asked: str, above: tuple[str, ...] = ()) -> str:
        """Put a module behind all that it imports, and say under which name."""
        name = self.instead.get(asked, asked)
        if name in above:
            raise VisarithError(f"{' imports '.join([*above, name])}: a circle cannot be bundled; break it")
        if name not in self.bodies:
            try:
                text = (self.folder / name).read_text(encoding="utf-8")
            except OSError:
                raise VisarithError(f"{above[-1] if above else 'the page'} uses {name}, which is not there") from None
            body = _IMPORT.sub(lambda match: self._required(match, name, above), text)
            self.exports[name] = [match[1] for match in _EXPORT.finditer(body)]
            body = _EXPORT.sub("", body)
            _check(name, _without_comments(body))
            self.bodies[name] = f"{body}\nreturn {{ {', '.join(self.exports[name])} }};\n"
        return name

    def _required(self, match: re.Match[str], name: str, above: tuple[str, ...]) -> str:
        """An import as a line of a function; the lines keep their numbers."""
        names, where = match[1], match[2]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), where))
        if not where.startswith(("./", "../")) or path.startswith(".."):
            raise VisarithError(f"{name} imports {where}, which is no file beside it; begin it with ./")
        source = self.add(path, (*above, name))
        for each in names.split(","):
            if each.split()[0] not in self.exports[source]:
                raise VisarithError(f"{name} imports {each.split()[0]}, which {source} does not export")
        renamed = re.sub(r"\s+as\s+", ": ", names)
        return f'const {{ {renamed} }} = modules["{source}"];'


def _check(name: str, body: str) -> None:
    if match := _LEFT.search(body):
        at = match.end() - len(match[0].lstrip())
        line = body[at:].split("\n", 1)[0].strip()[:60]
        raise VisarithError(
            f"{name} line {body.count(chr(10), 0, at) + 1} cannot be bundled ({line}); use import {{ a }} from and "
            f"export before a function, class or const"
        )


def _without_comments(text: str) -> str:
    """With comments that fill whole lines blanked, so that prose is not taken for code; lines keep their numbers."""
    blocks = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*$", lambda match: "\n" * match[0].count("\n"), text, flags=re.M | re.S)
    return re.sub(r"^[ \t]*//.*$", "", blocks, flags=re.M)
