"""What the tests of the promises share: a task file, samples, and an endpoint that keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ended, Gavel, gavel
from tests.fake_clock import FakeClock
from tests.makers import PREFLIGHT, chat_answer, chat_body, endpoint, prompt_of

from gavelkit.simulator.server import HttpAnswer, HttpRequest

__all__ = ["gavel"]

STAMP = "2026-03-01T10-00-00.000000"
SAMPLES = f"samples_geography_{STAMP}.jsonl"
TEMPLATE = 'Question: {{ doc.question }}\nAnswer: {{ prediction }}\nBegin with "Score: X.XX", from 0 to 10.'
SECRET = "sk-secret-0123456789"

Answer = str | HttpAnswer | Callable[[str], str | HttpAnswer]


def entry(**settings: Any) -> dict[str, Any]:
    """An entry of `metric_list`; a setting that is None is left out. `URL` in `api_base` becomes the endpoint's."""
    given = {
        "metric": "llm_judge",
        "aggregation": "llm_judge",
        "higher_is_better": True,
        "prompt_template": TEMPLATE,
        "model": "judge-1",
        "api_base": "URL",
        **settings,
    }
    return {name: value for name, value in given.items() if value is not None}


def rows(count: int) -> list[dict[str, Any]]:
    """What lm-eval logs of so many documents."""
    return [
        {
            "doc_id": n,
            "doc": {
                "question": f"What is {n}?",
                "sentence_eng_Latn": f"English {n}",
                "sentence_ara_Arab": f"Arabic {n}",
            },
            "target": f"gold {n}",
            "resps": [["raw"]],
            "filtered_resps": [f"It is {n}."],
            "filter": "none",
            "exact_match": 1.0,
        }
        for n in range(count)
    ]


def failing(status: int, message: str = "no") -> HttpAnswer:
    return chat_answer({"error": {"message": message}}, status=status)


def row_of(prompt: str) -> int:
    """The document that a prompt asks about."""
    return int(prompt.partition("What is ")[2].partition("?")[0])


@dataclass
class Bench:
    """A folder to judge in. `requests` are what the endpoint was asked last, `preflights` those of the pre-flight."""

    folder: Path
    gavel: Gavel
    clock: FakeClock
    requests: list[HttpRequest] = field(default_factory=list)
    preflights: list[HttpRequest] = field(default_factory=list)
    url: str = ""

    def judge(
        self,
        *entries: Mapping[str, Any],
        answer: Answer = "Score: 8.5\n\nThe answer is right.",
        data: int | Sequence[Mapping[str, Any]] = 3,
        flags: Sequence[str] = ("-o", "out"),
        **task: Any,
    ) -> Ended:
        """Run a task file of these entries on these samples."""
        self.requests, self.preflights = [], []
        samples = rows(data) if isinstance(data, int) else data
        (self.folder / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in samples))
        with endpoint(lambda request: self._answer(request, answer)) as self.url:
            written = json.dumps({"task": "geography", "metric_list": list(entries or (entry(),)), **task})
            (self.folder / "task.yaml").write_text(written.replace('"URL', f'"{self.url}'))
            return self.gavel(
                "run", "task.yaml", "--data", SAMPLES, "--json", *(flag.replace("URL", self.url) for flag in flags)
            )

    def _answer(self, request: HttpRequest, answer: Answer) -> HttpAnswer:
        if request.path.endswith("/models"):
            return chat_answer({"data": [{"id": "another"}]})
        trying = prompt_of(request) == PREFLIGHT
        (self.preflights if trying else self.requests).append(request)
        if callable(answer):
            answer = answer(prompt_of(request))
        elif trying and isinstance(answer, str):
            answer = "OK"
        return chat_answer(chat_body(answer)) if isinstance(answer, str) else answer

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The requests' bodies, in the order of the rows."""
        return sorted((json.loads(request.body) for request in self.requests), key=lambda body: str(body["messages"]))

    @property
    def prompts(self) -> list[str]:
        """What was asked, in order."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    @property
    def results(self) -> Any:
        """The run's `results.json`."""
        return json.loads((self.folder / "out" / "results.json").read_text())

    @property
    def files(self) -> list[str]:
        """The names of the judges' files, without their time."""
        stamp = self.results["timestamp"]
        return sorted(path.name.replace(stamp, "<timestamp>") for path in (self.folder / "out").glob("llm_judge_*"))

    def lines(self, judge: str = "") -> list[dict[str, Any]]:
        """The lines of a judge's file."""
        (file,) = (self.folder / "out").glob(f"llm_judge_geography_{judge}*.jsonl")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    @property
    def scores(self) -> list[float | None]:
        """The scores of the only judge's file."""
        return [line["score"] for line in self.lines()]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gavel: Gavel) -> Bench:
    monkeypatch.chdir(tmp_path)
    clock = FakeClock()
    monkeypatch.setattr("gavelkit.engines.clock.SystemClock.sleep", lambda _, seconds: clock.sleep(seconds))
    monkeypatch.setattr("gavelkit.engines.clock.SystemClock.monotonic", lambda _: clock.now)
    return Bench(tmp_path, gavel, clock)
