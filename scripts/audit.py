"""Known security holes of the packages that the lock names, as pip-audit finds them.

    make audit

Exit code 0: every package was looked up and none has a known hole. 1: some have. 3: some could not be looked up.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parent.parent / "requirements.lock"
SECONDS = 300


def pins(text: str) -> list[str]:
    """The packages of a lock, without their hashes.

    >>> pins("a==1.0 \\\\\\n    --hash=sha256:00\\n")
    ['a==1.0']
    """
    return re.findall(r"^[\w.-]+==[\w.]+", text, re.M)


def verdict(found: list[dict[str, Any]], asked: int) -> tuple[int, list[str]]:
    """The exit code and what to say of pip-audit's answer for so many packages.

    >>> verdict([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "no answer"}], 2)
    (3, ['1 of 2 packages could not be looked up: b; nothing is known of them'])
    """
    said = [
        f"{each['name']} {each['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version'}"
        for each in found
        for hole in each.get("vulns", [])
    ]
    looked_up = {each["name"] for each in found if "skip_reason" not in each}
    missing = [each["name"] for each in found if "skip_reason" in each]
    if len(looked_up) < asked:
        names = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
        unknown = f"{asked - len(looked_up)} of {asked} packages could not be looked up"
        said.append(f"{unknown}{': ' + names if names else ''}; nothing is known of them")
    if any(each.get("vulns") for each in found):
        return 1, said
    return (3, said) if len(looked_up) < asked else (0, [f"{asked} packages, no known hole"])


def main() -> int:
    """Ask pip-audit, and print what it found."""
    asked = pins(LOCK.read_text())
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(asked))
        file.flush()
        command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off"]
        try:
            done = subprocess.run(
                [*command, "--format", "json", "--requirement", file.name],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
            found = json.loads(done.stdout)["dependencies"]
        except (ValueError, subprocess.TimeoutExpired):  # it prints a traceback where its source is out of reach
            found = []
    code, said = verdict(found, len(asked))
    print("\n".join(said))
    return code


if __name__ == "__main__":
    sys.exit(main())
