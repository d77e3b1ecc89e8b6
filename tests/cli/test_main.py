"""`gavel` itself: help, versions, wrong command lines, and errors that become messages and exit codes."""

from __future__ import annotations

import re
import sys

import pytest

import gavelkit
from gavelkit.cli import main as module
from gavelkit.cli.ending import ended, resume_command
from gavelkit.cli.main import COMMANDS, main
from gavelkit.config.schema import JUDGE, RUN, TOP
from gavelkit.core.errors import StorageError

from .conftest import Gavel


def test_without_a_command_the_help_is_shown(gavel: Gavel) -> None:
    ended = gavel()
    assert (ended.code, ended.err) == (0, "")
    assert all(re.search(rf"^    {name}\s", ended.out, re.MULTILINE) for name in COMMANDS)
    assert "exit codes: 0 ok; 1 a bug; 2 usage" in ended.out


def test_the_version_is_told(gavel: Gavel) -> None:
    ended = gavel("--version")
    assert (ended.code, ended.out) == (0, f"gavel {gavelkit.__version__}\n")


@pytest.mark.parametrize("given", [["--api-key", "sk-secret"], ["--api-key=sk-secret"], ["--api_key", "sk-secret"]])
def test_a_key_on_the_command_line_is_refused_and_not_repeated(gavel: Gavel, given: list[str]) -> None:
    ended = gavel("score", "answers.jsonl", "--judge", "score_0_10", *given)
    assert (ended.code, ended.out) == (2, "")
    assert "a key is never an argument" in ended.err
    assert "LLM_JUDGE_API_KEY" in ended.err
    assert "sk-secret" not in ended.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(gavel: Gavel, command: str) -> None:
    ended = gavel(command, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"usage: gavel {command} ")
    assert "100%%" not in ended.out


@pytest.mark.parametrize("command", ["run", "score", "pairwise", "check"])
def test_every_setting_with_a_flag_is_in_the_help_of_what_judges(gavel: Gavel, command: str) -> None:
    text = gavel(command, "--help").out
    skipped = {"run": {"prices"}, "score": {"data", "prices"}, "pairwise": {"data", "prices"}}.get(command, set())
    flags = {setting.flag for setting in (*TOP, *RUN, *JUDGE) if setting.flag and setting.name not in skipped}
    assert flags <= set(re.findall(r"--[a-z-]+", text))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["jugde"], "invalid choice: 'jugde'"),
        (["run"], "the following arguments are required: CONFIG.yaml"),
        (["run", "x.yaml", "--lim", "3"], "unrecognized arguments: --lim 3"),
        (["run", "x.yaml", "--map", "question"], "takes NAME=PATH, such as question=doc.question, not 'question'"),
        (["run", "x.yaml", "--map", "=x"], "takes NAME=PATH"),
        (["list"], "the following arguments are required: kind"),
        (["list", "prompts"], "invalid choice: 'prompts'"),
        (["report", "--format", "pdf"], "invalid choice: 'pdf'"),
        (["export"], "required: -o/--output"),
    ],
)
def test_a_wrong_command_line_ends_with_two_and_says_what_is_wrong(
    gavel: Gavel, arguments: list[str], words: str
) -> None:
    ended = gavel(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def broken(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command that raises."""

    def run(_options: object) -> int:
        raise error

    monkeypatch.setattr("gavelkit.cli.show.run", run)
    return main(["show", "x"])


def test_a_bug_of_ours_is_told_as_one_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert broken(LookupError("odd\x1b[31m"), monkeypatch) == 1
    err = capsys.readouterr().err
    assert "gavel: this is a bug of gavelkit: LookupError: odd\\x1b[31m" in err
    assert "set GAVEL_TRACEBACK=1 to see where" in err
    assert "Traceback" not in err
    monkeypatch.setenv("GAVEL_TRACEBACK", "1")
    assert broken(LookupError("odd"), monkeypatch) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_interruption_outside_a_run_ends_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert broken(KeyboardInterrupt(), monkeypatch) == 130
    assert capsys.readouterr().err == "gavel: interrupted\n"


def test_the_command_to_go_on_can_be_pasted_and_begins_nothing_anew() -> None:
    assert resume_command(["run", "my conf.yaml", "--limit", "3"], "runs/a") == "gavel run 'my conf.yaml' --limit 3"
    assert resume_command(["run", "c.yaml", "--new-run"], "runs/a-2") == "gavel run c.yaml -o runs/a-2"
    assert resume_command(["run", "c.yaml", "--new-run"], "") == "gavel run c.yaml"
    assert resume_command(["run", "c.yaml", "--new-run"], "", began=False) == "gavel run c.yaml --new-run"


@pytest.mark.parametrize("command", ["run", "score", "pairwise", "byob", "context-bench"])
def test_whatever_judges_tells_how_to_go_on(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    def full() -> int:
        message = "the disk is full"
        raise StorageError(message)

    assert ended(full, [command, "rows.jsonl"]) == 5
    assert f"to go on: gavel {command} rows.jsonl" in capsys.readouterr().err
    assert ended(full, ["export", command]) == 5
    assert "to go on" not in capsys.readouterr().err


def test_only_the_command_that_is_asked_for_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("gavelkit.cli.") and each != "gavelkit.cli.main"]:
        monkeypatch.delitem(sys.modules, name)
    assert module._command(["--quiet", "list"]).__name__ == "gavelkit.cli.list_command"  # type: ignore[union-attr] # it is there
    assert "gavelkit.cli.run" not in sys.modules
    assert module._command(["nothing"]) is None
