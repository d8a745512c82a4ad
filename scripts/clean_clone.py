"""Clone this commit and run the README's commands there as a newcomer would, in awkward surroundings.

    python scripts/clean_clone.py    # or make clean-clone; about 15 minutes on two cores

The clone is in a folder with a space in its name, and the home folder is read-only (for root it is /proc). Each command
is run three times: in a terminal of 40 columns, in a dumb terminal, and without a terminal. It must end with exit code
0 and without a traceback. A training that is finished is shown again, so that only the first time takes long. `serve`
is asked for its page and then stopped by Ctrl-C.
"""

import csv
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
SURROUNDINGS = {
    "40 columns": {"TERM": "xterm-256color", "COLUMNS": "40"},
    "dumb terminal": {"TERM": "dumb"},
    "no terminal": {},
}
MAKE_PICTURES = """
import numpy as np, visarith as va
from PIL import Image
task = va.Task("add", digits=2)
train, test = task.split(400, 50, seed=0)
for split, some in (("train", train), ("test", test)):
    shown, drawn = some.view().raw(slice(None))
    for number, (inputs, answers) in enumerate(zip(shown, drawn)):
        for name, picture in zip(("a", "b", "c"), (*inputs, *answers)):
            Image.fromarray(picture).save(f"my-sums/{split}-{number}-{name}.png")
"""


def commands() -> list[str]:
    """The commands of the README's section "Eight commands"."""
    section = (ROOT / "README.md").read_text().split("## Eight commands")[1].split("\n## ")[0]
    found = re.findall(r"^    (visarith [^#\n]*?)\s*(?:#.*)?$", section, re.M)
    assert len(found) == 8, found
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        clone, home = Path(folder) / "a new clone", Path(folder) / "home"
        home.mkdir(0o555)
        if os.geteuid() == 0:  # whom no mode keeps from writing
            home = Path("/proc")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        plain = {name: value for name, value in os.environ.items() if name not in ("TERM", "COLUMNS", "HOME")}
        environment = plain | {"HOME": str(home), "PATH": f"{clone / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run(["make", "setup"], cwd=clone, env=environment, check=True)
        make_pictures(clone, environment)
        failed = 0
        for command in commands():
            for name, more in SURROUNDINGS.items():
                started = time.monotonic()
                code, text = run(command, clone, environment | more, terminal=name != "no terminal")
                good = code == 0 and "Traceback" not in text
                failed += not good
                print(f"{'ok' if good else f'EXIT {code}':8} {time.monotonic() - started:5.0f} s  {name:14} {command}")
                print("" if good else text, end="", flush=True)
        return 1 if failed else 0


def make_pictures(clone: Path, environment: dict[str, str]) -> None:
    """The pictures that the README's user brings: sums of two digits with a manifest."""
    (clone / "my-sums").mkdir()
    subprocess.run([clone / ".venv" / "bin" / "python", "-c", MAKE_PICTURES], cwd=clone, env=environment, check=True)
    with (clone / "my-sums" / "manifest.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["input_1", "input_2", "answer", "split"])
        for answer in sorted((clone / "my-sums").glob("*-c.png")):
            stem = answer.name.removesuffix("-c.png")
            rows.writerow([f"{stem}-a.png", f"{stem}-b.png", answer.name, stem.split("-")[0]])


def run(command: str, folder: Path, environment: dict[str, str], *, terminal: bool) -> tuple[int, str]:
    """Run a command and give its exit code and all that it printed."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    serves = command.startswith("visarith serve")
    line = f"exec {command} --port 0" if serves else command
    process = subprocess.Popen(
        line, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    text, asked = b"", False
    while True:
        ready, _, _ = select.select([ours], [], [], 1.0)
        try:
            more = os.read(ours, 65536) if ready else b""
        except OSError:  # how a terminal ends
            break
        if ready and not more:
            break
        text += more
        address = re.search(rb"http://[^\s]+", text)
        if serves and address and not asked:
            asked = True
            with urllib.request.urlopen(address[0].decode()) as answer:
                assert b"<html" in answer.read()
            process.send_signal(signal.SIGINT)
    os.close(ours)
    return process.wait(), text.decode(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
