"""A pretrained run, made again by its own command."""

import shlex
from pathlib import Path

import pytest
import torch

from visarith.cli import main
from visarith.files import digest
from visarith.runs.folder import WEIGHTS
from visarith.runs.pretrained import Pretrained, pretrained
from visarith.runs.store import Store

NAME = "columns-add"
TRAINED_ON = {"torch": "2.13.0+cpu", "capability": "AVX512"}  # elsewhere the last bits may differ


def shipped() -> Pretrained:
    (found,) = (each for each in pretrained() if each.name == NAME)
    return found


def test_where_it_was_trained_is_what_it_says() -> None:
    assert Store(shipped().folder).experiment()["versions"]["torch"] == TRAINED_ON["torch"]


@pytest.mark.long
def test_its_command_gives_the_shipped_bytes(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    run = shipped()
    threads = Store(run.folder).experiment()["threads"]
    words = shlex.split(run.command)[1:]
    assert main([*words, "--threads", str(threads), "--out", str(tmp_path / "run")]) == 0
    here = {"torch": torch.__version__, "capability": torch.backends.cpu.get_cpu_capability()}
    if here != TRAINED_ON:
        pytest.skip(f"{NAME} was trained with {TRAINED_ON}, and this is {here}")
    made, there = (digest((folder / WEIGHTS).read_bytes()) for folder in (tmp_path / "run", run.folder))
    counted(f"rebuilds of {NAME} from its command whose weights have the shipped bytes", 1, int(made != there))
    assert made == there
