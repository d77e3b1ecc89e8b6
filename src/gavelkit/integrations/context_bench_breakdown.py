"""context-bench's figures beside a mean: each dataset's own, systems ranked by two figures, and a judge's failures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from gavelkit.core.status import Status
from gavelkit.integrations.context_bench_rows import EvalRow


@dataclass(frozen=True, slots=True)
class PerDatasetBreakdown:
    """`dataset:<name>`: the mean of one score over the rows of each dataset; of rows without one, `dataset:unknown`."""

    score_field: str = "f1"

    @property
    def name(self) -> str:
        """`per_dataset`."""
        return "per_dataset"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """A figure for each dataset, sorted; none for no rows. A row without the score counts as 0."""
        scores: dict[str, list[float]] = {}
        for row in rows:
            scores.setdefault(row.dataset or "unknown", []).append(row.scores.get(self.score_field, 0.0))
        return {f"dataset:{name}": fmean(scores[name]) for name in sorted(scores)}


@dataclass(frozen=True, slots=True)
class ParetoRank:
    """`pareto_rank`: 1 + how many other systems are at least as good and as cheap, and better in one of the two."""

    quality_field: str = "score"
    cost_field: str = "cost_of_pass"

    @property
    def name(self) -> str:
        """`pareto_rank`."""
        return "pareto_rank"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:  # noqa: ARG002 - a metric's signature
        """0.0 whatever the rows, as documented: one system by itself has no rank. `rank_systems` ranks several."""
        return {"pareto_rank": 0.0}

    @staticmethod
    def rank_systems(
        summary: Mapping[str, Mapping[str, float]],
        quality_field: str = "mean_score",
        cost_field: str = "cost_of_pass",
    ) -> dict[str, int]:
        """Each system's rank from its figures; 1 where no other system beats it.

        A quality that is missing or no number counts as 0, such a cost as infinite.
        """
        places = {
            system: (_number(figures.get(quality_field), 0.0), _number(figures.get(cost_field), math.inf))
            for system, figures in summary.items()
        }
        return {
            system: 1
            + sum(other != place and other[0] >= place[0] and other[1] <= place[1] for other in places.values())
            for system, place in places.items()
        }


@dataclass(frozen=True, slots=True)
class JudgeFailures:
    """`judge_failed`: how many rows have no rating of the judge; `mean_judged`: the mean score of those that have one.

    context-bench's means count a failed judgment as the 0.0 that stands in its row; these two say what that is worth.
    """

    score_field: str = "judge_score"

    @property
    def name(self) -> str:
        """`judge_failures`."""
        return "judge_failures"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """Both figures by name; `mean_judged` is NaN where nothing was judged."""
        judged = [row.scores[self.score_field] for row in rows if self.score_field in row.scores and not failed(row)]
        return {
            "judge_failed": float(sum(map(failed, rows))),
            "mean_judged": fmean(judged) if judged else math.nan,
        }


def failed(row: EvalRow) -> bool:
    """Whether the row's `metadata["judge_status"]` says that its judgment failed. A row without one has none."""
    status = row.metadata.get("judge_status")
    return status is not None and str(status) != Status.OK


def failures(rows: Sequence[EvalRow]) -> dict[str, dict[str, int]]:
    """How often the judge failed, by system and status; only what failed at all."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if failed(row):
            counts.setdefault(row.system, Counter())[str(row.metadata["judge_status"])] += 1
    return {system: dict(sorted(each.items())) for system, each in counts.items()}


def _number(value: float | None, otherwise: float) -> float:
    return otherwise if value is None or math.isnan(value) else value
