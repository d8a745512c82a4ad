"""Wrong input to every verb: exit code 2, one line that names the value and a remedy, no traceback, nothing done."""

import json
import shlex
import shutil
import struct
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import visarith as va
from command_line import run
from visarith.cli import VERBS
from visarith.pictures.png import save_png

SECONDS = 5.0  # that any refusal may take
REMEDIES = ("use ", "give ", "choose ", "write ", "leave ", "train ", "visarith", "name ", "put ", "needs ", "delete ")
REMEDIES += ("ask ", "scale ", "draw ", "numbers ", "copy ", "make ", "update ", "add ", "nearest are ")

# A case is what is typed after `visarith` and, after the arrow, what the complaint must name. RUN is a finished run of
# two-digit addition, RULE one of an expression, PICTURES one that has learned from pictures; `things` makes the files.
CASES = """
-> no verb
--nonsense -> --nonsense
-x -> -x
trian -> trian
TRAIN -> TRAIN
evaluat x -> evaluat
ünïcode -> ünïcode
--version=3 -> --version
--nonsense train add -> --nonsense
calculat 1+2 -> calculat

train -> operation
train divide -> divide
train ADD -> ADD
train add subtract -> subtract
train add --nonsense -> --nonsense
train --nonsense -> --nonsense
train add --digit 3 -> --digit
train add --digits -> --digits
train add --digits x -> x
train add --digits 1.5 -> 1.5
train add --digits 0 -> 0
train add --digits -3 -> -3
train add --digits 99999999999999999999 -> 99999999999999999999
train add --digits ٣x -> ٣x
train add --base 1 -> 1
train add --base 37 -> 37
train add --base 99999999999999999999 -> 99999999999999999999
train add --base ten -> ten
train add --notation greek -> greek
train add --notation roman --base 2 -> base
train add --notation roman --unpadded -> unpadded
train add --notation roman --digits 8 -> 8
train add --learner oracle -> oracle
train add --learner '' -> ''
train add --learner constructed -> constructed
train add --recipe secret -> secret
train add --set speed=9 -> speed=9
train add --set rate -> rate
train add --set rate=fast -> rate=fast
train add --set rate=nan -> nan
train add --set rate=inf -> inf
train add --set rate=1e308 -> 1e+308
train add --hidden-layers 1000000 --width 1 -> 1000000
train add --set rate=-1 -> -1
train add --set rate=0 -> 0
train add --set momentum=1 -> 1
train add --set momentum=-0.5 -> -0.5
train add --set batch=0 -> 0
train add --set batch=x -> batch=x
train add --set batch=99999999999999999999 -> 99999999999999999999
train add --set epochs=99999999999999999999 -> 99999999999999999999
train add --set epochs=0 -> 0
train add --set loss=hinge -> hinge
train add --set optimizer=lion -> lion
train add --set schedule=linear -> linear
train add --set precision=f16 -> f16
train add --set centring=maybe -> centring=maybe
train add --set noise=loud -> loud
train add --set =3 -> =3
train add --set '' -> ''
train add --seed -1 -> -1
train add --seed x -> x
train add --seed 1.5 -> 1.5
train add --examples 0 -> 0
train add --examples -5 -> -5
train add --examples many -> many
train add --examples 1000000000 -> 1000000000
train add --examples 100000000000 -> 100000000000
train add --examples 99999999999999999999 -> 99999999999999999999
train add --digits 1 --examples 1000 -> 1000
train add --test-pairs 0 -> 0
train add --test-pairs 100000000000 -> 100000000000
train add --test-pairs 99999999999999999999 -> 99999999999999999999
train add --epochs 0 -> 0
train add --epochs -1 -> -1
train add --epochs 1e3 -> 1e3
train add --epochs 99999999999999999999 -> 99999999999999999999
train add --hidden-layers 0 -> 0
train add --hidden-layers -2 -> -2
train add --hidden-layers 100000 -> 100000
train add --width 0 -> 0
train add --width -1 -> -1
train add --width 99999999999 -> weights
train add --width wide -> wide
train add --learner columns --hidden-layers 2 -> --hidden-layers
train add --path aligned -> --path
train add --learner columns --path zigzag -> zigzag
train add --learner columns --scan up -> up
train add --learner columns --cells lost -> lost
train add --learner columns --width 99999999999 -> memory
train add --learner tally --notation roman --width 99999999999 -> memory
train add --learner columns --medium one-hot -> --medium
train add --learner tally --noise 0.3 -> noise
train add --learner numerals -> columns
train add --learner numerals --notation roman --noise 0.3 -> noise
train add --learner tally --displacement 2 -> displacement
train add --activation tanhh -> tanhh
train add --noise -1 -> -1
train add --noise nan -> nan
train add --clipped -> clipped needs noise
train add --noise inf -> inf
train add --noise 1e308 -> 1e+308
train add --noise loud -> loud
train add --displacement -1 -> -1
train add --displacement 1000 -> 1000
train add --displacement 0.5 -> 0.5
train add --medium sound -> sound
train add --answer-medium sound -> sound
train add --medium one-hot --noise 0.3 -> noise
train add --medium one-hot --permutation -> permutation
train any --medium one-hot -> medium
train add --font missing.ttf -> missing.ttf
train add --font text.png -> text.png
train add --font folder -> folder
train add --font-size -1 -> -1
train add --font-size 40 -> 40
train add --font-size 99999999999999999999 -> 99999999999999999999
train add --picture big -> big
train add --picture '' -> ''
train add --picture 15 -> 15
train add --picture 15x -> 15x
train add --picture 0x60 -> 0
train add --picture 15x6 -> 15 x
train add --picture -15x60 -> --picture
train add --picture=-15x60 -> -15x60
train add --picture 99999x60 -> 99999
train add --picture 1000x100000 -> 1000x100000
train add --ink blue -> blue
train add --tesseract -5 -> -5
train add --tesseract x -> x
train add --medium one-hot --tesseract 5 -> Tesseract
train add --threads 0 -> 0
train add --threads 100000 -> 100000
train add --threads two -> two
train add --device tpu -> tpu
train add --out text.png -> text.png
train add --out text.png/below -> text.png
train add --out folder -> folder
train add --out RUN -> RUN
train add --pictures folder -> add
train --pictures missing -> missing
train --pictures folder -> manifest.csv
train --pictures text.png -> text.png
train --pictures broken.npz -> broken.npz
train --pictures empty.npz -> empty.npz
train --pictures folder --digits 3 -> --digits
train --pictures folder --noise 0.1 -> --noise
train --pictures folder --base 10 -> --base
train --pictures folder --permutation -> --permutation

train ad -> or an expression with the operand a
train ad --learner columns -> use one of add, subtract,
train ad-three -> ad-three
train 'a + c' -> c is unknown
train 'a + b + c' -> at most two operands, a and b
train 'max(a, b, c)' -> gives max 3 numbers
train 'reverse(a, b)' -> gives reverse 2 numbers
train 'a +' -> 'a +'
train '' -> ''
train 'a = b' -> a = b
train 'a + 2b' -> a + 2b
train 'a × b' -> a × b
train 'a == b == a' -> a == b == a
train 'a / 3' -> write a // 3
train 'a ** b' -> exponent b
train 'a ** 9' -> exponent 9
train 'a // b' -> divides by zero at a = 0, b = 0
train 'a % (b - 3)' -> divides by zero
train 'sqrt(a)' -> sqrt(a)
train 'a.b' -> a.b
train 'a and b' -> a and b
train '~a' -> ~a
train 'a << 2' -> a << 2
train '1.5 * a' -> 1.5
train "__import__('os').system('ls')" -> __import__
train 5 -> no operand a
train 'b + 1' -> no operand a
train 'a - a - 1' -> always negative
train 'a + 200' --digits 2 -> a + 200
train '10**8 + a' -> use more --digits
train '((((a**8)**8)**8)**8)**8' -> too large
train 'a * 99999999999999999999' -> 99999999999999999999
train 'a + 9' --digits 1 -> at most 1
train 'a + 9' --notation roman --digits 1 -> at most 1
train 'a * 5' --notation roman --digits 1 --examples 50 -> at most 2
train 'a + b' --notation roman --digits 8 -> 8
train 'a + b' --notation roman --base 3 -> base
train 'a + 2*b' --base 37 -> 37
train 'a + 2*b' --digits 0 -> 0
train 'a + 2*b' --digits 2 --examples 5000 -> a + 2 * b
train 'a + 2*b' --medium one-hot --learner columns -> --medium
train 'a + 2*b' --learner tally -> tally
train 'a + 2*b' --pictures folder -> a + 2*b
train 'a + 2*b' --out RUN -> RUN
train 'a + 2*b' b -> unrecognized arguments: b

read -> RUN
read missing -> missing
read text.png -> text.png
read damaged -> damaged
read RUN --answers 0 -> 0
read RUN --answers many -> many
read RUN --answers 1000000 -> 1000000
read RUN --out text.png -> text.png
read RUN --out nowhere/me.json -> nowhere
evaluate -> RUN
evaluate missing -> missing
evaluate text.png -> text.png
evaluate folder -> folder
evaluate '' -> .
evaluate damaged -> damaged
evaluate unscored -> unscored
evaluate unweighted -> weights.safetensors
evaluate newer -> newer
evaluate array -> array
evaluate RUN --nonsense -> --nonsense
evaluate --nonsense -> --nonsense
evaluate RUN more -> more
evaluate RUN --pairs 0 -> 0
evaluate RUN --pairs -1 -> -1
evaluate RUN --pairs x -> x
evaluate RUN --pairs 100000 -> 100000
evaluate RUN --pairs 1000000000000 -> 1000000000000
evaluate RUN --pairs 99999999999999999999 -> 99999999999999999999
evaluate RUN --seed -1 -> -1
evaluate RUN --seed x -> x
evaluate RUN --reader me -> me
evaluate RUN --noise -1 -> -1
evaluate RUN --noise nan -> nan
evaluate RUN --noise 1e308 -> 1e+308
evaluate RUN --digits 9 -> 9
evaluate RUN --digits 0 -> 0
evaluate RUN --digits 99999999999999999999 -> 99999999999999999999
evaluate RUN --pictures missing -> missing
evaluate RUN --pictures folder -> folder
evaluate RUN --pictures broken.npz -> broken.npz
evaluate RUN --pictures other.npz -> other
evaluate RUN --pictures other.npz --noise 0.1 -> noise
evaluate PICTURES --noise 0.1 -> noise
evaluate PICTURES --digits 3 -> pictures
evaluate RULE --digits 9 -> 9

calculate -> EXPRESSION
calculate '' -> ''
calculate 12 -> 12
calculate abc -> abc
calculate '1 +' -> '1 +'
calculate '+ 1' -> '+ 1'
calculate '1 + 2 + 3' -> 1 + 2 + 3
calculate '1 % 2' -> 1 % 2
calculate '1.5 + 2' -> 1.5
calculate '1e3 + 2' -> 1e3
calculate '-5 + 1' -> -5
calculate 'XII + 3' -> XII + 3
calculate '3 + XII' -> 3 + XII
calculate 'IIII + Q' -> Q
calculate 'XII - III' -> subtract in Roman
calculate '٣ + ٤' -> ٣
calculate '1 + 💥' -> 💥
calculate '10 / 2' -> halve
calculate '3 - 5' -> 3 and 5
calculate '1 + 2' --learner oracle -> oracle
calculate '1 + 2' --learner tally -> tally
calculate '12345678 + 1' --learner perceptron -> 8 digits
calculate '1 + 2' --run missing -> missing
calculate '1 + 2' --run folder -> folder
calculate '1 + 2' --run text.png -> text.png
calculate '1 + 2' --run damaged -> damaged
calculate '1 + 2' --run RUN --learner perceptron -> perceptron
calculate '1 - 2' --run RUN -> subtract
calculate '100 + 1' --run RUN -> 100
calculate '75 + 30' --run RUN -> 75
calculate '1 + 2' --run PICTURES -> pictures
calculate '1 + 2' --save answer.xyz -> answer.xyz
calculate '1 + 2' --save answer -> answer
calculate '1 + 2' --save answer.jpg -> answer.jpg
calculate '1 + 2' --save folder.png -> folder.png
calculate '1 + 2' --save no/such/answer.png -> no/such/answer.png
calculate '1 + 2' --save '' -> --save
calculate '1 + 2' --nonsense -> --nonsense
calculate 1 + 2 -> + 2
calculate 'a=1 b=2' -> --run
calculate 'a=1 b=' -> 'a=1 b='
calculate 'a=1 a=2' --run RUN -> each number once
calculate 'a==1' --run RUN -> a==1
calculate 'a=1' --run RUN -> a=1
calculate 'a=1 b=2 c=3' --run RUN -> a=1 b=2 c=3
calculate 'a=1 b=x' --run RUN -> x
calculate 'a=1 b=-2' --run RUN -> -2
calculate 'a=100 b=2' --run RUN -> 100
calculate 'a=1 b=2' --run PICTURES -> pictures
calculate 'a=1' --run RULE -> a + 2 * b
calculate '1 + 2' --run RULE -> write 'a=2 b=3'
calculate 'a=99 b=99' --run RULE -> a + 2 * b of 99 and 99

predict -> RUN
predict RUN -> PNG
predict RUN good.png good.png -> --out
predict RUN good.png --out answer.png -> 1 pictures
predict RUN good.png good.png good.png --out answer.png -> 3 pictures
predict RUN good.png wide.png --out answer.png -> wide.png
predict RUN good.png missing.png --out answer.png -> missing.png
predict RUN good.png text.png --out answer.png -> text.png
predict RUN good.png folder --out answer.png -> folder
predict RUN good.png large.png --out answer.png -> large.png
predict RUN good.png cut.png --out answer.png -> cut.png
predict RUN good.png photo.jpg --out answer.png -> photo.jpg
predict RUN good.png empty.png --out answer.png -> empty.png
predict RUN good.png good.png --out good.png -> good.png
predict RUN good.png good.png --out answer.gif -> answer.gif
predict RUN good.png good.png --out answer -> answer
predict RUN good.png good.png --out folder.png -> folder.png
predict RUN good.png good.png --out no/such/answer.png -> no/such/answer.png
predict missing good.png good.png --out answer.png -> missing
predict damaged good.png good.png --out answer.png -> damaged
predict PICTURES wide.png --out answer.png -> wide.png
predict RUN good.png good.png --out answer.png --nonsense -> --nonsense

certify -> RUN
certify missing -> missing
certify folder -> folder
certify text.png -> text.png
certify damaged -> damaged
certify unscored -> unscored
certify PICTURES -> pictures
certify RUN --nonsense -> --nonsense
certify RUN RUN -> RUN

loop -> RUN
loop missing -> missing
loop damaged -> damaged
loop PICTURES -> pictures
loop RUN --steps 0 -> 0
loop RUN --steps -1 -> -1
loop RUN --steps 99999999999999999999 -> 99999999999999999999
loop RUN --steps x -> x
loop RUN --sequence primes -> primes
loop RUN --sequence countdown -> countdown
loop RUN --sequence repeat -> repeat
loop RULE --sequence fibonacci -> a + 2 * b
loop RUN --seed -1 -> -1
loop RUN --nonsense -> --nonsense

construct -> OPERATION
construct halve -> halve
construct add --digits 0 -> 0
construct add --digits x -> x
construct add --digits 99999999999999999999 -> 99999999999999999999
construct multiply --digits 500 -> 500
construct multiply --digits 10000 -> 10000
construct multiply --digits 40 --base 36 -> 40
construct add --base 1 -> 1
construct add --base 99 -> 99
construct add --notation greek -> greek
construct subtract --notation roman -> subtract
construct add --gates tanh -> tanh
construct add --form best -> best
construct add --check 0 -> 0
construct add --check -1 -> -1
construct add --check x -> x
construct add --noise -1 -> -1
construct add --noise nan -> nan
construct add --noise 1e308 -> 1e+308
construct add --seed -1 -> -1
construct add --out text.png -> text.png
construct add --out folder -> folder
construct add --out RUN -> RUN
construct add --nonsense -> --nonsense

learnable -> OPERATION
learnable '' -> ''
learnable 'a +' -> a +
learnable 'a + c' -> c
learnable 'import os' -> import os
learnable 'a ** b' -> **
learnable 'a.b' -> a.b
learnable add --digits 0 -> 0
learnable add --digits x -> x
learnable add --base 1 -> 1
learnable add --base 99 -> 99
learnable add --notation greek -> greek
learnable add --seed -1 -> -1
learnable add --nonsense -> --nonsense

reproduce --only missing -> missing
reproduce --only -> --only
reproduce --only '' -> ''
reproduce --seeds 0 -> 0
reproduce --seeds x -> x
reproduce --workers 0 -> 0
reproduce --workers 1000 -> 1000
reproduce --threads 0 -> 0
reproduce --engine slurm -> slurm
reproduce --address 10.0.0.1:6379 -> add --engine ray
reproduce --engine ray --address nonsense -> 'nonsense'
reproduce --print-jobs --address 10.0.0.1:6379 -> add --engine ray
reproduce --job experiments/ad.seed0 -> experiments/add.seed0
reproduce --job experiments/add.seed99999 -> experiments/add.seed0
reproduce --job insight/add.seed0 --only add -> --only
reproduce --job insight/add.seed0 --print-jobs -> --print-jobs
reproduce --nonsense -> --nonsense
reproduce extra -> extra

sweep -> OPERATION
sweep add --learner nobody -> nobody
sweep add --recipe fast -> fast
sweep add --seeds 0 -> 0
sweep add --job sweep/add -> sweep/add
sweep add --epochs 0 -> 0
sweep add --out text.png -> text.png
sweep add --nonsense -> --nonsense

report --runs missing -> missing
report --results text.png -> text.png
report --nonsense -> --nonsense
report extra -> extra

runs missing -> missing
runs text.png -> text.png
runs '' '' -> unrecognized
runs folder extra -> extra
runs --nonsense -> --nonsense

serve --port -1 -> -1
serve --port 65536 -> 65536
serve --port x -> x
serve --port 99999999999999999999 -> 99999999999999999999
serve --host 256.256.256.256 -> 256.256.256.256
serve --host '' --port -5 -> -5
serve --nonsense -> --nonsense
serve extra -> extra

page --out text.png -> text.png
page --out text.png/below -> text.png
page --nonsense -> --nonsense
page extra -> extra
"""


def cases() -> list[tuple[list[str], str]]:
    """Arguments and what the complaint names."""
    lines = [line.rsplit("->", 1) for line in CASES.splitlines() if line]
    return [(shlex.split(words), named.strip()) for words, named in lines]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory, small_run: va.Run) -> Path:
    """A folder with runs and files, good ones and bad ones."""
    here = tmp_path_factory.mktemp("things")
    shutil.copytree(small_run.path, here / "RUN")
    dots = np.random.default_rng(0).integers(0, 2, (300, 1, 6, 9)).astype(np.uint8) * 255
    brought = va.PictureSet.from_arrays(dots, dots[..., ::-1])
    small = va.learner_config(hidden_layers=1, width=4)
    va.learn(brought, small, examples=40, test_pairs=20, epochs=1, threads=1, out=here / "PICTURES")
    rule = va.Task("a + 2*b", digits=2)
    va.learn(rule, small, examples=40, test_pairs=20, epochs=1, threads=1, out=here / "RULE")
    (here / "folder").mkdir()
    (here / "folder" / "notes.txt").write_text("mine")
    (here / "folder.png").mkdir()
    good = small_run.task.layout.typeset(np.array([[1, 2]], np.uint8))[0] / 255
    save_png(good, here / "good.png")
    save_png(np.zeros((15, 60)), here / "wide.png")
    Image.fromarray(np.zeros((15, 20), np.uint8)).save(here / "photo.jpg")
    (here / "text.png").write_text("I am no picture")
    (here / "empty.png").touch()
    (here / "cut.png").write_bytes((here / "good.png").read_bytes()[:60])
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 0, 0, 0, 0)
    (here / "large.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b""))
    (here / "broken.npz").write_bytes(b"PK but no archive")
    np.savez(here / "empty.npz")
    np.savez(here / "other.npz", inputs=dots, answers=dots)
    for name in ("damaged", "unscored", "unweighted", "newer", "array"):
        shutil.copytree(small_run.path, here / name)
    (here / "damaged" / "experiment.json").write_text("{")
    (here / "unscored" / "score.json").unlink()
    (here / "unweighted" / "weights.safetensors").write_bytes(b"\0" * 100)
    experiment = json.loads((here / "newer" / "experiment.json").read_text())
    (here / "newer" / "experiment.json").write_text(json.dumps(experiment | {"format": 99}))
    (here / "array" / "experiment.json").write_text("[1, 2]")
    return here


@pytest.mark.parametrize(("arguments", "named"), cases(), ids=[" ".join(words) for words, _ in cases()])
def test_wrong_input_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    things: Path,
    arguments: list[str],
    named: str,
) -> None:
    monkeypatch.chdir(things)
    before = {path: path.stat().st_mtime_ns for path in things.rglob("*")}
    started = time.perf_counter()
    code, out, err = run(capsys, *arguments)
    assert time.perf_counter() - started < SECONDS
    assert (code, out) == (2, ""), err
    assert err.startswith("visarith: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert named in err
    assert any(remedy in err.removeprefix("visarith: ") for remedy in REMEDIES), err
    assert {path: path.stat().st_mtime_ns for path in things.rglob("*")} == before


def test_there_are_two_hundred_cases_over_all_verbs() -> None:
    different = {tuple(words) for words, _ in cases()}
    assert len(different) == len(cases()) >= 200
    assert {words[0] for words, _ in cases() if words} >= set(VERBS)
