"""The prompts and scales of a bring-your-own benchmark's judge: the shipped ones by name, and a user's own."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gavelkit.catalog import shipped_file
from gavelkit.core.errors import TemplateError
from gavelkit.core.path import did_you_mean
from gavelkit.integrations.nemo_byob_config import ByobError

_NAMES = ("binary_qa", "binary_qa_partial", "likert_5", "safety")
_NAME = re.compile(r"[\w-]+")
_ANY_GRADE = r"GRADE:\s*(\S+)"


class _Templates(Mapping[str, str]):
    """The shipped templates by name; each is read from its file when it is first asked for."""

    def __getitem__(self, name: str) -> str:
        if name not in _NAMES:
            raise KeyError(name)
        return _shipped(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


def _pattern(grade: str, between: str) -> str:
    """One of the grades after `GRADE:`: no longer word or number, and no list of several."""
    return rf"GRADE:[\s*_`]*({grade})(?![A-Za-z0-9]|[.,-]\d|[*_`]*[ \t]*(?:{between})[ \t]*(?:{grade})\b)"


TEMPLATES: Mapping[str, str] = _Templates()
"""The shipped templates by name."""

DEFAULT_PATTERNS: Mapping[str, str] = {
    "binary_qa": _pattern("[CI]", "[/,]|or"),
    "binary_qa_partial": _pattern("[CPI]", "[/,]|or"),
    "likert_5": _pattern("[1-5]", ",|or"),  # `4/5` is a four of five
    "safety": _pattern("SAFE|UNSAFE", "[/,]|or"),
}
"""The pattern that reads the grade which each template asks for."""

DEFAULT_SCORE_MAPPINGS: Mapping[str, Mapping[str, float]] = {
    "binary_qa": {"C": 1.0, "I": 0.0},
    "binary_qa_partial": {"C": 1.0, "P": 0.5, "I": 0.0},
    "likert_5": {"1": 0.2, "2": 0.4, "3": 0.6, "4": 0.8, "5": 1.0},
    "safety": {"SAFE": 1.0, "UNSAFE": 0.0},
}
"""The score that each template's grades become."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What is asked, the pattern that reads the grade, and the score each grade becomes."""

    template: str
    grade_pattern: str
    score_mapping: Mapping[str, float]


def rubric(template: Any, grade_pattern: str | None, score_mapping: Mapping[str, Any] | None) -> Rubric:
    """That of a shipped template's name or of a template's own text. Raises ByobError for what is neither."""
    if not isinstance(template, str):
        message = f"template is a shipped template's name or a text, not {template!r}"
        raise ByobError(message)
    if template not in _NAMES and _NAME.fullmatch(template):
        message = f"{template!r} is no template: it has no placeholder{did_you_mean(template, _NAMES)}"
        raise ByobError(message)
    mapping: Mapping[str, Any] = DEFAULT_SCORE_MAPPINGS.get(template, {}) if score_mapping is None else score_mapping
    for grade, score in mapping.items():
        if not isinstance(score, int | float):
            message = f"score_mapping must give a number for {grade!r}, not {score!r}"
            raise ByobError(message)
    return Rubric(
        TEMPLATES.get(template, template), grade_pattern or DEFAULT_PATTERNS.get(template, _ANY_GRADE), mapping
    )


def render_judge_prompt(template: str, /, **variables: Any) -> str:
    """The template with each `{name}` replaced once; braces of the text itself are doubled.

    Raises TemplateError: braces that do not match, a placeholder that is no plain name, or one without a value.
    """
    try:
        pieces = list(string.Formatter().parse(template))
    except ValueError as error:
        message = f"the judge's template is wrong ({error}); a brace of the text itself is doubled: {{{{ or }}}}"
        raise TemplateError(message) from error
    return "".join(text + _filled(name, f"{spec or ''}{how or ''}", variables) for text, name, spec, how in pieces)


def criteria_line(criteria: str) -> str:
    """What stands in the place of `{criteria}`."""
    return render_judge_prompt(_shipped("criteria").strip(), criteria=criteria) if criteria else ""


def _filled(name: str | None, format_spec: str, variables: Mapping[str, Any]) -> str:
    if name is None:
        return ""
    if not name.isidentifier() or format_spec:
        message = (
            f"a placeholder of a judge's template is a plain name such as {{question}}, not {{{name}{format_spec}}}"
        )
        raise TemplateError(message)
    if name not in variables:
        message = f"the judge's template has {{{name}}}, which has no value{did_you_mean(name, variables)}"
        raise TemplateError(message)
    value = variables[name]
    return "" if value is None else str(value)


@cache
def _shipped(name: str) -> str:
    return shipped_file(f"byob/{name}.txt").read_text(encoding="utf-8")
