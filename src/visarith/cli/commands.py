"""The reference of all verbs and options, docs/commands.md: `python -m visarith.cli.commands > docs/commands.md`."""

import argparse
from typing import cast

from visarith.cli import DESCRIPTION, EXIT_CODES, GROUPS, parser, sentence, verb_module


def text() -> str:
    """The page as Markdown, made from the parser; it depends on nothing else."""
    lines = ["# Commands", "", DESCRIPTION, "`visarith VERB --help` prints the same in a terminal.", ""]
    (found,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    verbs = cast("dict[str, argparse.ArgumentParser]", found.choices)
    for group, names in GROUPS.items():
        lines += [f"## {group.capitalize()}", ""]
        for name in names:
            lines += [f"### visarith {name}", "", sentence(verb_module(name).HELP), ""]
            lines += [f"    {_usage(name, verbs[name])}", "", *_table(verbs[name]), ""]
    lines += ["## Exit codes", "", "| code | meaning |", "| --- | --- |"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(lines) + "\n"


def _usage(name: str, verb: argparse.ArgumentParser) -> str:
    """The verb with what it cannot do without."""
    needed = [_written(action) for action in verb._actions if action.option_strings and action.required]
    values = []
    for action in verb._actions:
        if not action.option_strings:
            value = str(action.metavar)
            values.append({"?": f"[{value}]", "+": f"{value}..."}.get(str(action.nargs), value))
    return " ".join(["visarith", name, *values, *needed, "[options]"])


def _table(verb: argparse.ArgumentParser) -> list[str]:
    rows = [(_written(action), str(action.help)) for action in verb._actions if action.dest != "help"]
    return ["| option | meaning |", "| --- | --- |", *(f"| `{name}` | {meaning} |" for name, meaning in rows)]


def _written(action: argparse.Action) -> str:
    """An option with the value that it takes."""
    if not action.option_strings:
        return str(action.metavar)
    if action.nargs == 0:
        return action.option_strings[-1]
    value = action.metavar or ("{" + ",".join(action.choices) + "}" if action.choices else action.dest.upper())
    return f"{action.option_strings[-1]} {value}{'...' if action.nargs == '+' else ''}"


if __name__ == "__main__":
    print(text(), end="")
