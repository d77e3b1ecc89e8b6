"""From a reply's text to a grade, and back. Every reader takes its verdict from a declared place and never guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean
from gavelkit.core.protocols import Parser
from gavelkit.parsing.closest_option import OptionParser
from gavelkit.parsing.distribution import Distribution, expectation, read_distribution
from gavelkit.parsing.grade import GradeParser
from gavelkit.parsing.grade_pattern import GradePatternParser
from gavelkit.parsing.json_field import JsonParser
from gavelkit.parsing.json_mean import JsonMeanParser
from gavelkit.parsing.json_option import JsonOptionParser
from gavelkit.parsing.rating import RatingParser
from gavelkit.parsing.score import ScoreFirstParser, ScoreParser
from gavelkit.parsing.thinking import without_thinking

__all__ = [
    "Distribution",
    "GradeParser",
    "GradePatternParser",
    "JsonMeanParser",
    "JsonOptionParser",
    "JsonParser",
    "OptionParser",
    "RatingParser",
    "ScoreFirstParser",
    "ScoreParser",
    "expectation",
    "parser_for",
    "read_distribution",
    "without_thinking",
]

_PLAIN: dict[str, Callable[[], Parser]] = {
    "rating": RatingParser,
    "score": ScoreParser,
    "score_first": ScoreFirstParser,
}


def parser_for(
    name: str,
    *,
    grade_pattern: str | None = None,
    grades: Sequence[str] = (),
    score_field: str | Mapping[str, float] = "score",
    clamp: bool = False,
) -> Parser:
    """The reader of that name. Raises ConfigError: no such reader, or a setting it does not take.

    `clamp` is for several score fields, each with the most it can be; the scale clamps a single one.
    """
    if name == "grade":
        if grade_pattern is None:
            return GradeParser(tuple(grades))
        return GradePatternParser(grade_pattern, tuple(grades))
    if name not in _PLAIN and name != "json":
        known = sorted([*_PLAIN, "grade", "json"])
        message = f"no parser {name!r}: there are {', '.join(known)}{_near(name, known)}"
        raise ConfigError(message)
    if grade_pattern is not None or grades:
        message = f"grade_pattern and grades belong to the parser grade, not to {name}"
        raise ConfigError(message)
    if name != "json":
        return _PLAIN[name]()
    return JsonParser(score_field) if isinstance(score_field, str) else _mean(score_field, clamp=clamp)


def _mean(most: Mapping[str, float], *, clamp: bool) -> Parser:
    return JsonMeanParser(tuple(most.items()), clamp)


def _near(name: str, known: list[str]) -> str:
    hint = did_you_mean(name, known)
    return hint if "did you mean" in hint else ""
