"""The question about the cost: when it is asked, and what each answer does."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Ended, Gavel
from tests.makers import PREFLIGHT, endpoint, prompt_of, scoring, some_rows, write_rows

from gavelkit.simulator.server import HttpAnswer, HttpRequest

Run = Callable[..., Ended]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gavel: Gavel, asked: list[str]) -> Iterator[Run]:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "answers.jsonl", some_rows(40))

    def counting(request: HttpRequest) -> HttpAnswer:
        if prompt_of(request) != PREFLIGHT:
            asked.append(prompt_of(request))
        return scoring(request)

    with endpoint(counting) as base:

        def run(answer: str, *flags: str, model: str = "gpt-4", above: float = 1.0, terminal: bool = True) -> Ended:
            (tmp_path / "judge.yaml").write_text(
                f"data: answers.jsonl\n"
                f"judges: [{{name: j, prompt_template: 'Q: {{{{ question }}}}', model: {model}, api_base: '{base}'}}]\n"
                f"run: {{output: out, confirm_above: {above}}}\n"
            )
            stdin = Terminal(answer) if terminal else io.StringIO(answer)
            monkeypatch.setattr(sys, "stdin", stdin)
            monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
            return gavel("run", "judge.yaml", "--quiet", *flags)

        yield run


@pytest.mark.parametrize("answer", ["", "n\n", "later\n"])
def test_without_a_yes_nothing_is_called(run: Run, asked: list[str], answer: str) -> None:
    ended = run(answer)
    assert ended.code == 2
    assert "this may cost up to 2.4" in ended.err.replace("\n", " ")
    assert "nothing was called; --yes answers beforehand" in ended.err
    assert asked == []


@pytest.mark.parametrize(("answer", "flags"), [("y\n", ()), ("YES\n", ()), ("", ("--yes",))])
def test_a_yes_goes_on(run: Run, asked: list[str], answer: str, flags: tuple[str, ...]) -> None:
    ended = run(answer, *flags)
    assert (ended.code, len(asked)) == (0, 40)


@pytest.mark.parametrize("how", [{"model": "nobody-lists-me"}, {"above": 10.0}, {"terminal": False}])
def test_what_is_cheap_or_not_known_or_no_terminal_asks_nothing(
    run: Run, asked: list[str], how: dict[str, object]
) -> None:
    ended = run("", **how)
    assert (ended.code, len(asked)) == (0, 40)
    assert "go on?" not in ended.err


def test_a_finished_run_is_shown_without_a_question(run: Run, asked: list[str]) -> None:
    run("y\n")
    assert run("").code == 0
    assert len(asked) == 40
