"""What an evaluation in context-bench's shape comes to: its rows and, for each system, its figures."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any

from gavelkit.core.errors import UsageError
from gavelkit.core.path import did_you_mean
from gavelkit.integrations.context_bench_breakdown import failures
from gavelkit.integrations.context_bench_rows import EvalRow
from gavelkit.reports.wellformed import plain_json


@dataclass(frozen=True, slots=True)
class EvalResult:
    """`summary` has the figures of each system by name, `timing` its seconds, `config` what was evaluated and how."""

    rows: list[EvalRow]
    summary: dict[str, dict[str, float]]
    timing: dict[str, float] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)

    def filter(self, **attributes: Any) -> EvalResult:
        """The same result with only the rows that have these attributes, such as `system="mine"`.

        `summary` and `timing` keep the systems that still have rows, with the figures of all their rows: nothing is
        computed again. Raises UsageError for an attribute that rows do not have.
        """
        known = [each.name for each in fields(EvalRow)]
        for name in attributes:
            if name not in known:
                message = f"rows have no attribute {name!r}{did_you_mean(name, known)}"
                raise UsageError(message)
        rows = [row for row in self.rows if all(getattr(row, name) == value for name, value in attributes.items())]
        left = {row.system for row in rows}
        return EvalResult(
            rows,
            {system: figures for system, figures in self.summary.items() if system in left},
            {system: seconds for system, seconds in self.timing.items() if system in left},
            self.config,
        )

    def to_dataframe(self) -> Any:
        """The rows as pandas' DataFrame, with a column for each attribute, score and entry of the metadata.

        Where two have one name, an attribute comes before a score, and that before metadata. Raises UsageError
        without pandas.
        """
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            message = "a DataFrame needs a package more: pip install pandas"
            raise UsageError(message) from error
        return pandas.DataFrame([_record(row) for row in self.rows])

    def to_json(self) -> str:
        """Rows, summary, timing and config as JSON, indented by 2, and `judge_failures` where a judge failed.

        A number that JSON does not have, such as an infinite `cost_of_pass`, is null; a value of another type is its
        text.
        """
        told: dict[str, object] = {
            "rows": [row_fields(row) for row in self.rows],
            "summary": self.summary,
            "timing": self.timing,
            "config": self.config,
        }
        if counts := failures(self.rows):
            told["judge_failures"] = counts
        return json.dumps(plain_json(told, as_written=True), indent=2)


def row_fields(row: EvalRow) -> dict[str, Any]:
    """A row's attributes by name, in the order that context-bench writes them."""
    return {
        "system": row.system,
        "example_id": row.example_id,
        "dataset": row.dataset,
        "scores": row.scores,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "latency": row.latency,
        "metadata": row.metadata,
    }


def _record(row: EvalRow) -> dict[str, Any]:
    told = row_fields(row)
    scores, metadata = told.pop("scores"), told.pop("metadata")
    return {**told, **{name: value for name, value in (metadata | scores).items() if name not in told}}
