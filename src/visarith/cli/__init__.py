"""The command line: one module a verb, each with its `HELP`, its `add_options` and its `run`.

A verb's module imports what is heavy inside `run`, so that help, errors in options and light verbs need no PyTorch.
"""

import argparse
import io
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any, NoReturn

from visarith.cli.terminal import visible
from visarith.errors import VisarithError, naming_flags

DESCRIPTION = "Learn arithmetic by looking: from pictures of two numbers, a network draws the picture of the answer."
GROUPS = {  # a new verb is a module of its name in this package, and its name here
    "learn": ("train",),
    "look": ("calculate", "predict", "evaluate", "read", "runs", "loop"),
    "prove": ("certify", "construct", "learnable"),
    "reproduce": ("reproduce", "report", "sweep"),
    "share": ("serve", "page"),
}
VERBS = tuple(name for names in GROUPS.values() for name in names)
TOO_LARGE = "there is not enough memory for this; use fewer examples, pairs or digits, a smaller width or pictures"
EXIT_CODES = {
    0: "done",
    1: "reproduce and sweep only: some jobs failed",
    2: "wrong input: one line on stderr says what is wrong and what to do",
    3: "not certified: certify found no certificate, or construct --check found wrong answers",
    130: "stopped by Ctrl-C",
    141: "what read the output is gone, as in visarith runs | head",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code (see `EXIT_CODES`)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
    options = _parsed(list(sys.argv[1:] if arguments is None else arguments))
    try:
        with naming_flags():
            return int(verb_module(options.verb).run(options))
    except VisarithError as error:
        return _refused(str(error))
    except KeyboardInterrupt as stop:
        print(f"visarith: {str(stop) or 'stopped'}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # such as `visarith runs | head`
        sys.stderr.close()
        return 141
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):  # PyTorch has no class for this
            raise
        return _refused(TOO_LARGE)
    except OSError as error:
        where = f"{error.filename} " if error.filename else ""
        return _refused(f"{where}cannot be used ({error.strerror or error}); choose another file")


def verb_module(name: str) -> ModuleType:
    """The module of a verb."""
    return import_module(f"visarith.cli.{name}")


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all verbs; with `only`, the others have no options, so that nothing is imported for them."""
    top = _TopParser(prog="visarith", description=DESCRIPTION, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"visarith {version('visarith')}", help="print the version")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", parser_class=_Parser)
    for name in VERBS:
        module = verb_module(name)
        verb = verbs.add_parser(name, help=module.HELP, description=sentence(module.HELP), allow_abbrev=False)
        if only in (None, name):
            module.add_options(verb)
        verb.add_argument("--json", action="store_true", help="print one line of JSON instead of text")
    return top


def _parsed(given: list[str]) -> argparse.Namespace:
    name = next((word for word in given if not word.startswith("-")), "")
    top = parser(name)
    if name and name not in VERBS:
        near = get_close_matches(name, VERBS, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        top.exit(2, f"visarith: {_on_one_line(name)!r} is no verb; {meant}use one of {', '.join(VERBS)}\n")
    options, unknown = top.parse_known_args(given)
    if unknown:
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    if not options.verb:
        top.error(f"no verb was given; use one of {', '.join(VERBS)}")
    return options


def _refused(message: str) -> int:
    print(f"visarith: {_on_one_line(message)}", file=sys.stderr)
    return 2


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def sentence(text: str) -> str:
    """A line of help as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


class _Parser(argparse.ArgumentParser):
    """Complains in one line, about an unknown option before anything that is missing."""

    words: tuple[str, ...] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.words = tuple(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        known = {"--", *self._option_string_actions}
        unknown = [word for word in self.words if word.startswith("--") and word.partition("=")[0] not in known]
        if unknown and "required" in message:
            message = f"unrecognized arguments: {' '.join(unknown)}"
        self.exit(2, f"visarith: {_on_one_line(message)}; {self._help_command()} lists what there is\n")

    def _help_command(self) -> str:
        return f"{self.prog} --help"


class _TopParser(_Parser):
    """Lists the verbs by group."""

    def format_help(self) -> str:
        lines = ["usage: visarith [--help] [--version] VERB ...", "", DESCRIPTION]
        for group, names in GROUPS.items():
            lines += ["", group, *(f"  {name:<11}{verb_module(name).HELP}" for name in names)]
        lines += ["", "options", "  -h, --help show this text; visarith VERB --help shows a verb's options"]
        lines.append("  --version  print the version")
        lines += ["", "exit codes", *(f"  {code:<11}{meaning}" for code, meaning in EXIT_CODES.items())]
        return "\n".join(lines) + "\n"

    def _help_command(self) -> str:
        verb = next((word for word in self.words if word in VERBS), "")
        return " ".join(filter(None, ["visarith", verb, "--help"]))
