"""Judgments in, metrics out: means with honest intervals. Knows nothing of models, prompts or files."""

from __future__ import annotations

from gavelkit.stats.estimate import Bootstrap
from gavelkit.stats.gates import decide
from gavelkit.stats.interval import student_t, wilson
from gavelkit.stats.quantile import normal_quantile, student_t_cdf, student_t_quantile
from gavelkit.stats.summary import OnFailure, summarise
from gavelkit.stats.tally import JudgeFacts, Tally

__all__ = [
    "Bootstrap",
    "JudgeFacts",
    "OnFailure",
    "Tally",
    "decide",
    "normal_quantile",
    "student_t",
    "student_t_cdf",
    "student_t_quantile",
    "summarise",
    "wilson",
]
