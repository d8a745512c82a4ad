"""Modules that are joined into one classic script, or refused."""

from pathlib import Path

import pytest

from conftest import refusal
from visarith.web.bundle import bundle


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_what_is_imported_comes_first_and_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        main='import { one as uno } from "./one.js";\nimport {\n  two,\n} from "./two.js";\nexport const sum = uno;\n',
        one="export const one = 1;\n",
        two='import { one } from "./one.js";\n// import what is prose\nexport function two() {\n  return one;\n}\n',
    )
    text = bundle(tmp_path, ["main.js"])
    assert [text.count(f'modules["{name}.js"] = ') for name in ("one", "two", "main")] == [1, 1, 1]
    assert text.index('modules["one.js"] = ') < text.index('modules["two.js"] = ') < text.index('modules["main.js"] = ')
    assert 'const { one: uno } = modules["one.js"];' in text
    assert "return { two };" in text
    assert "export " not in text
    assert text == bundle(tmp_path, ["main.js"])


def test_one_module_may_stand_for_another(tmp_path: Path) -> None:
    write(tmp_path, main='import { a } from "./far.js";\n', far="export const a = 1;\n", near="export const a = 2;\n")
    text = bundle(tmp_path, ["main.js"], {"far.js": "near.js"})
    assert 'modules["near.js"]' in text
    assert "far.js" not in text


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./one.js";',
        'import * as one from "./one.js";',
        'import "./one.js";',
        'import { one } from "./one.js"',  # without its semicolon
        "  import { one } from './one.js';",
        'const one = await import("./one.js");',
        "console.log(import.meta.url);",
        "export default 3;",
        "export { one };",
        'export * from "./one.js";',
        "export let changing = 1;",
        "export const { a, b } = pair;",
        "await 3;",
        "const three = await 3;",
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, line: str) -> None:
    write(tmp_path, main=f"const x = 1;\n/* a comment\nof two lines */\n{line}\n", one="export const one = 1;\n")
    said = refusal(bundle, tmp_path, ["main.js"])
    assert "main.js line 4 cannot be bundled" in said


def test_names_files_and_circles_are_checked(tmp_path: Path) -> None:
    write(tmp_path, main='import { two } from "./one.js";\n', one="export const one = 1, two = 2;\n")
    assert refusal(bundle, tmp_path, ["main.js"]) == "main.js imports two, which one.js does not export; export it"
    assert "which does not exist" in refusal(bundle, tmp_path, ["other.js"])
    write(tmp_path, main='import { one } from "far";\n')
    assert "not a relative path" in refusal(bundle, tmp_path, ["main.js"])
    write(tmp_path, main='import { one } from "./one.js";\n', one='import { main } from "./main.js";\n')
    assert "main.js imports one.js imports main.js" in refusal(bundle, tmp_path, ["main.js"])
