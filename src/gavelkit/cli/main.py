"""`gavel`: finds the command, runs it, and turns every error into a message and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

COMMANDS = {
    "init": "write a commented configuration and three example rows",
    "run": "judge the rows of a configuration; the same command goes on where it stopped",
    "score": "judge one file with one shipped judge, without a configuration",
    "pairwise": "compare two or more systems, two by two, in both orders",
    "byob": "run a bring-your-own benchmark of NeMo Evaluator's kind: a model answers, a scorer and its judges score",
    "context-bench": "evaluate endpoints on datasets as context-bench does, with its judge where one is named",
    "report": "show what a run concluded",
    "export": "write every judgment of a run to a file",
    "reparse": "read the stored replies of a run again, without a call",
    "check": "validate a configuration and show the first prompt; judge nothing",
    "list": "name the shipped judges, templates or criteria",
    "show": "print a shipped judge with its prompt, a template or a criterion",
    "simulate": "serve an OpenAI-compatible endpoint that is no LLM, for trying and testing",
    "demo": "run the whole flow offline",
}
EXIT_CODES = """exit codes: 0 ok; 1 a bug; 2 usage, configuration or data; 3 too much failed or
  a gate is not met; 4 endpoint unusable; 5 storage; 130, 143, 129 interrupted. After 3, 4, 5 and the
  interruptions the same command resumes."""

_KEYS = {"--api-key", "--api_key"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. `arguments` default to the process's own."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    module = _command(given)
    parser = _parser(module)
    if any(each.partition("=")[0] in _KEYS for each in given):  # before the parser would repeat what follows it
        parser.error("a key is never an argument, where others can read it: export LLM_JUDGE_API_KEY=... instead")
    options = parser.parse_args(given)
    if module is None:
        parser.print_help()
        return 0
    from gavelkit.cli.ending import ended  # noqa: PLC0415 - the help needs none of it
    from gavelkit.cli.logs import show_logs  # noqa: PLC0415 - as above

    show_logs(os.environ)
    try:
        code = ended(lambda: int(module.run(options)), given)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _command(given: Sequence[str]) -> ModuleType | None:
    """The module of the command that is asked for; only that one is loaded."""
    name = next((each for each in given if not each.startswith("-")), "")
    return import_module(f"gavelkit.cli.{_module(name)}") if name in COMMANDS else None


def _module(command: str) -> str:
    return f"{command}_command" if command in {"list", "check"} else command.replace("-", "_")


def _parser(module: ModuleType | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gavel",
        description="Run any LLM judge over saved model outputs, see why it said so, and know how far to trust it.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if module is not None and module.__name__.endswith(f".{_module(name)}"):
            module.configure(command)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from gavelkit import __version__  # noqa: PLC0415 - asked for seldom

        print(f"gavel {__version__}")
        parser.exit()
