"""The command line: its verbs and options. What a verb does is in `verbs`, which is imported when it is needed."""

import argparse
import io
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from visarith.errors import VisarithError, naming_flags


class _Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> NoReturn:
        line = " ".join(message.split())
        self.exit(2, f"visarith: {line}; {self.prog} --help lists what there is\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; 0 when it worked, 2 when the input was wrong, 130 when it was stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser(next((word for word in given if not word.startswith("-")), "")).parse_args(given)
    try:
        from visarith import verbs

        with naming_flags():
            return int(getattr(verbs, options.verb)(options))
    except VisarithError as error:
        print(f"visarith: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("visarith: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # such as `visarith runs | head`
        sys.stderr.close()
        return 141
    except OSError as error:
        where = f"{error.filename} " if error.filename else ""
        print(f"visarith: {where}cannot be used ({error.strerror or error}); choose another file", file=sys.stderr)
        return 2


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all verbs; with `only`, the others have no options, so that nothing is imported for them."""
    top = _Parser(prog="visarith", description="Learn arithmetic by looking.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"visarith {version('visarith')}")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=_Parser)
    for name, options, text in (
        ("train", _train, "learn an operation from pictures, judge it, keep the run"),
        ("evaluate", _evaluate, "judge a run on fresh pairs"),
        ("calculate", _calculate, "let a learner draw the answer to '1234567 + 2345678'"),
        ("predict", _predict, "let a run draw the answer to pictures of your own"),
        ("certify", _certify, "try all that a run of columns can do, and say at which lengths it is exact"),
        ("loop", _loop, "feed what a run draws back to it, and count the steps until the first error"),
        ("construct", _construct, "build a network by hand, without training, and try it"),
        ("learnable", _learnable, "ask of an operation, or an expression in a and b, whether it is learnable"),
        ("reproduce", _reproduce, "run the paper's experiments and write the report"),
        ("report", _report, "write the report again from what is stored"),
        ("runs", _runs, "list the runs and their scores"),
        ("serve", _serve, "open the page: calculate, paint and watch in the browser"),
        ("page", _page, "write the page as files that need no server"),
    ):
        verb = verbs.add_parser(name, help=text, allow_abbrev=False)
        if only in (None, name):
            options(verb)
        verb.add_argument("--json", action="store_true", help="print one line of JSON for machines")
    return top


def _train(verb: argparse.ArgumentParser) -> None:
    from visarith.options import DEVICES, LEARNER_NAMES, OPERATION_NAMES, TASK_OPTIONS, flag, learner_options

    add = verb.add_argument
    add("operation", nargs="?", choices=OPERATION_NAMES, metavar="OPERATION", help=", ".join(OPERATION_NAMES))
    add("--pictures", type=Path, metavar="DIR", help="learn from a folder with a manifest.csv, or an .npz file")
    add(
        "--learner",
        choices=LEARNER_NAMES,
        default="perceptron",
        metavar="NAME",
        help=f"who learns: {', '.join(LEARNER_NAMES)}",
    )
    add(
        "--recipe",
        default="",
        help="how: paper, columns, adam, entropy or slow (default paper; columns for the learners columns and tally)",
    )
    add("--set", action="append", default=[], metavar="FIELD=VALUE", help="change one field of the recipe")
    add("--seed", type=int, default=0, help="of everything random (default 0)")
    add("--examples", type=int, help="training pairs (default 150000, or as many as there are)")
    add("--test-pairs", type=int, help="held-out pairs (default 30000, or as many as there are)")
    add("--epochs", type=int, help="default: the recipe's, 50 (6 for columns)")
    for name, (text, choices, kind) in learner_options().items():
        add(flag(name), type=kind, choices=choices or None, default=None, help=text)
    for name, settings in TASK_OPTIONS.items():
        add(flag(name), **settings)  # type: ignore[arg-type]
    add("--tesseract", type=int, metavar="N", help="answers that Tesseract reads too (default 0; of pictures 2000)")
    add("--threads", type=int, help="default: as many as there are cores")
    add(
        "--device",
        choices=DEVICES,
        default="cpu",
        help="auto is a GPU if there is one (default cpu)",
    )
    add("--out", type=Path, help="the run's folder (default runs/NAME)")
    add("--resume", action="store_true", help="continue the run in --out if it was stopped")


def _evaluate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN")
    verb.add_argument("--reader", choices=("templates", "tesseract"), default="", help="default: templates, if any")
    verb.add_argument("--pictures", type=Path, metavar="DIR", help="judge on these instead, as for train")
    verb.add_argument("--pairs", type=int, help="fresh pairs (default 30000, 2000 for tesseract)")
    verb.add_argument("--seed", type=int, default=0, help="which fresh pairs (default 0)")
    verb.add_argument("--noise", type=float, help="another noise than the run was trained with")
    verb.add_argument("--digits", type=int, help="another length, for learners that can take one")


def _calculate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("expression", help="such as '1234567 + 2345678', '9 - 3', '12 x 12' or 'XII + VIII'")
    verb.add_argument("--learner", default="", metavar="NAME", help="of those that ship: perceptron, columns or tally")
    verb.add_argument("--run", type=Path, metavar="RUN", help="a run of your own (default: the best that ships)")
    verb.add_argument("--save", type=Path, metavar="PNG", help="keep the answer picture")


def _predict(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN")
    verb.add_argument("pictures", type=Path, nargs="+", metavar="PNG", help="one for each operand, of the run's size")
    verb.add_argument("--out", type=Path, required=True, metavar="PNG", help="where the answer goes")


def _certify(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN")


def _loop(verb: argparse.ArgumentParser) -> None:
    from visarith.options import SEQUENCES

    verb.add_argument("run", type=Path, metavar="RUN")
    verb.add_argument("--steps", type=int, help="at most (default 1000, for products 100)")
    verb.add_argument("--sequence", choices=SEQUENCES, default="", help="default: the first that fits the operation")
    verb.add_argument("--seed", type=int, default=0, help="of the numbers that are added or subtracted (default 0)")


def _construct(verb: argparse.ArgumentParser) -> None:
    from visarith.options import CONSTRUCTIONS, NOTATION_NAMES

    add = verb.add_argument
    add("operation", choices=CONSTRUCTIONS, metavar="OPERATION", help=", ".join(CONSTRUCTIONS))
    add("--digits", type=int, help="of the longest number (default 7)")
    add("--base", type=int, default=10, help="2 to 36 (default 10)")
    add("--notation", choices=NOTATION_NAMES, default="arabic", help="how numbers are written (default arabic)")
    add("--gates", choices=("relu", "sigmoid"), default="relu", help="two ReLUs or a steep sigmoid (default relu)")
    add(
        "--form",
        choices=("thresholds", "fewest", "carries"),
        default="",
        help="the paper's, that of fewest gates or of small weights (default: the paper's, if floats can hold it)",
    )
    add("--check", type=int, metavar="N", help="draw the answers of N pairs and count the wrong ones")
    add("--noise", type=float, default=0.0, help="say too how many digits are wrong with such noise on the inputs")
    add("--seed", type=int, default=0, help="of the pairs (default 0)")
    add("--out", type=Path, help="keep it as a run in this folder")


def _learnable(verb: argparse.ArgumentParser) -> None:
    from visarith.options import NOTATION_NAMES

    add = verb.add_argument
    add("operation", metavar="OPERATION", help="an operation's name, or an expression such as 'max(a, b)' or 'a * 3'")
    add("--notation", choices=NOTATION_NAMES, default="arabic", help="how numbers are written (default arabic)")
    add("--digits", type=int, default=7, help="of the longest number (default 7)")
    add("--base", type=int, default=10, help="2 to 36 (default 10)")
    add("--train", action="store_true", help="also train a little, one-hot and on pictures: about a minute")
    add("--seed", type=int, default=0, help="of everything random (default 0)")


def _reproduce(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--only",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME",
        help="experiments or groups; --list names them",
    )
    verb.add_argument("--list", action="store_true", help="list the experiments and end")
    verb.add_argument("--seeds", type=int, default=1, help="runs of each experiment (default 1)")
    verb.add_argument("--workers", type=int, help="runs at a time (default: as many as there are cores)")
    _report(verb)


def _report(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--quick", action="store_true", help="a few minutes, at a size that proves nothing")
    verb.add_argument("--runs", type=Path, metavar="FOLDER", help="of the runs (default runs/reproduce, or runs/quick)")
    verb.add_argument(
        "--results", type=Path, metavar="FOLDER", help="of the results (default: results in that of the runs)"
    )
    verb.add_argument("--out", type=Path, metavar="FOLDER", help="of the report (default: report in that of the runs)")


def _runs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("folder", type=Path, nargs="?", default=Path("runs"), help="default runs")


def _serve(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1, this machine only)")
    verb.add_argument("--port", type=int, default=8000, help="default 8000; 0 takes any that is free")


def _page(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--out", type=Path, default=Path("site"), metavar="FOLDER", help="where it goes (default site)")
