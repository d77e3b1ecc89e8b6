"""Bring-your-own benchmarks as small as a test needs, as files of their own; no test is here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = """\
from gavelkit.integrations.nemo_byob import ScorerInput, benchmark, judge_score, scorer

@benchmark(
    name="qa-judge",
    dataset="qa.jsonl",
    prompt="Answer: {question}",
    extra={
        "judge": {
            "url": "URL",
            "model_id": "meta/llama-3.1-70b-instruct",
            "api_key": "NVIDIA_API_KEY",
        },
    },
)
@scorer
def qa_judge(sample: ScorerInput) -> dict:
    return judge_score(sample, template="binary_qa", criteria="Factual accuracy")
"""
"""The example of the page; but for the import line, and for the address, which stands for the page's."""

KEY = "nv-0123456789abcdef"
ROWS = (
    {"question": "What is the capital of France?", "target": "Paris"},
    {"question": "How much is 2 + 2?", "target": "4"},
    {"question": "Who wrote Faust?", "target": "Goethe"},
)


def write_page(folder: Path, url: str, text: str = PAGE, *, rows: Sequence[Mapping[str, Any]] = ROWS) -> Path:
    """The file, with its data set beside it."""
    (folder / "qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    file = folder / "bench.py"
    file.write_text(text.replace("URL", url), encoding="utf-8")
    return file


def a_file(folder: Path, body: str, **settings: Any) -> Path:
    """A file whose scorer has this body, with these settings besides the name, the data set and the prompt."""
    given = {"name": "qa", "dataset": "qa.jsonl", "prompt": "Answer: {question}", **settings}
    text = (
        "from gavelkit.integrations.nemo_byob import ScorerInput, benchmark, judge_score, scorer\n\n"
        f"@benchmark(**{given!r})\n@scorer\ndef score(sample: ScorerInput) -> dict:\n    {body}\n"
    )
    file = folder / "bench.py"
    file.write_text(text, encoding="utf-8")
    if not (folder / "qa.jsonl").exists():
        (folder / "qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return file


def results_in(folder: Path, name: str = "qa_judge") -> Any:
    """What stands in `byob_results.json`."""
    return json.loads((folder / name / "byob_results.json").read_text(encoding="utf-8"))


def predictions_in(folder: Path, name: str = "qa_judge") -> list[Any]:
    """The lines of `byob_predictions.jsonl`."""
    lines = (folder / name / "byob_predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
