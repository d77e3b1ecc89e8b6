"""NeMo Evaluator's bring-your-own benchmarks and their judges, by the names their users know, without that package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gavelkit.core.errors import CallError, OutOfRange, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_config import ByobError, JudgeConfig, judge_config
from gavelkit.integrations.nemo_byob_grades import parse_grade, read_grade, score_of
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_plan import Choices, Model
from gavelkit.integrations.nemo_byob_registry import (
    Benchmark,
    ScorerInput,
    benchmark,
    clear_registry,
    get_registered_benchmarks,
    scorer,
)
from gavelkit.integrations.nemo_byob_run import run_benchmark
from gavelkit.integrations.nemo_byob_session import JudgeSession, session_of
from gavelkit.integrations.nemo_byob_templates import (
    DEFAULT_PATTERNS,
    DEFAULT_SCORE_MAPPINGS,
    TEMPLATES,
    criteria_line,
    render_judge_prompt,
    rubric,
)
from gavelkit.parsing import GradePatternParser

__all__ = [  # noqa: RUF022 - sorted as all our names are, constants among the others
    "Benchmark",
    "ByobError",
    "Choices",
    "DEFAULT_PATTERNS",
    "DEFAULT_SCORE_MAPPINGS",
    "JudgeConfig",
    "JudgeSession",
    "Model",
    "ScorerInput",
    "TEMPLATES",
    "benchmark",
    "clear_registry",
    "get_registered_benchmarks",
    "judge_call",
    "judge_score",
    "load_benchmark",
    "parse_grade",
    "render_judge_prompt",
    "run_benchmark",
    "scorer",
]

_reader = lru_cache(maxsize=64)(GradePatternParser)


def judge_call(
    config: JudgeConfig,
    prompt: str,
    session: Any = None,
    response_format: Mapping[str, Any] | None = None,
) -> str | None:
    """The judge's reply to one prompt; None where the endpoint sends null.

    `session` has `post(url, json=..., headers=..., timeout=...)`, as a `requests.Session` has; without one, the
    settings' own is used, which tries again by itself. Raises ByobError where the key is not set, CallError where the
    reply is none, and what a session of yours raises.
    """
    headers = {"Content-Type": "application/json"}
    key = config.resolve_api_key()
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    payload: dict[str, Any] = {
        "model": config.model_id,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": config.temperature,
        "top_p": config.top_p,
        "max_tokens": config.max_new_tokens,
    }
    if response_format is not None:
        payload["response_format"] = dict(response_format)
    poster = session_of(config) if session is None else session
    reply = poster.post(config.endpoint, json=payload, headers=headers, timeout=config.request_timeout)
    reply.raise_for_status()
    return _content(reply.json())


def judge_score(
    sample: ScorerInput,
    template: str = "binary_qa",
    criteria: str = "",
    grade_pattern: str | None = None,
    score_mapping: Mapping[str, float] | None = None,
    judge_key: str = "judge",
    response_format: Mapping[str, Any] | None = None,
    judge_output_parser: Callable[[str], Any] | None = None,
    **template_kwargs: Any,
) -> dict[str, Any]:
    """`{"judge_score": float, "judge_grade": str}` for one sample, by the judge `sample.config[judge_key]`.

    Where that failed, the score is 0.0, and `judge_status` and `judge_error` say why: the grade is then CALL_ERROR,
    PARSE_ERROR, or what was read but is no score (status out_of_range). `judge_output_parser` reads the reply in place
    of the pattern. Raises, before anything is asked, ByobError, ConfigError (`grade_pattern`) and TemplateError.
    """
    config = judge_config(sample.config, judge_key)
    _check_form(response_format)
    asked = rubric(template, grade_pattern, score_mapping)
    reader = _reader(asked.grade_pattern)
    variables = {**_variables(sample, criteria), **template_kwargs}
    prompt = render_judge_prompt(asked.template, **variables)
    session = sample.config.get("_judge_session") or session_of(config)
    how = _How(asked.score_mapping, reader, response_format, judge_output_parser)
    result = _graded(config, prompt, session, how)
    told = getattr(session, "told", None)
    if told is not None:
        told(judge_key, result)
    return result


@dataclass(frozen=True, slots=True)
class _How:
    """How a reply becomes a score."""

    scores: Mapping[str, float]
    reader: GradePatternParser
    response_format: Mapping[str, Any] | None
    own: Callable[[str], Any] | None


def _graded(config: JudgeConfig, prompt: str, session: Any, how: _How) -> dict[str, Any]:
    try:
        reply = judge_call(config, prompt, session=session, response_format=how.response_format)
    except Exception as error:  # noqa: BLE001 - a session of the user's raises what it likes
        return _failed("CALL_ERROR", Status.CALL_ERROR, config.without_key(_words(error)))
    try:
        if how.own is None:
            grade: Any = read_grade(reply or "", how.reader, structured=how.response_format is not None)
        else:
            grade = _own_grade(reply, how.own)
    except Exception as error:  # noqa: BLE001 - a reader of the user's raises what it likes
        return _failed("PARSE_ERROR", Status.PARSE_ERROR, config.without_key(_words(error)))
    try:
        return {"judge_score": score_of(grade, how.scores), "judge_grade": grade}
    except OutOfRange as error:
        return _failed(grade, Status.OUT_OF_RANGE, str(error))


def _check_form(response_format: Any) -> None:
    if response_format is not None and not isinstance(response_format, Mapping):
        message = f"response_format is a mapping such as {{'type': 'json_object'}}, not {response_format!r}"
        raise ByobError(message)


def _variables(sample: ScorerInput, criteria: str) -> dict[str, Any]:
    question = sample.metadata.get("question", sample.metadata.get("prompt", ""))
    return {
        "question": question,
        "response": sample.response,
        "reference": sample.target,
        "criteria": criteria_line(criteria),
    }


def _own_grade(reply: str | None, judge_output_parser: Callable[[str], Any]) -> Any:
    if reply is None:
        message = "the reply is empty"
        raise ParseError(message, kind=FailureKind.EMPTY)
    grade = judge_output_parser(reply)
    if grade is None:
        message = f"judge_output_parser finds no grade in {reply[:60]!r}"
        raise ParseError(message)
    return grade


def _content(decoded: Any) -> str | None:
    try:
        content = decoded["choices"][0]["message"].get("content")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        message = f"the reply has no choices[0].message: {str(decoded)[:200]}"
        raise CallError(FailureKind.DECODE, message) from error
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return None if content is None else str(content)


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _failed(grade: Any, status: Status, why: str) -> dict[str, Any]:
    return {"judge_score": 0.0, "judge_grade": grade, "judge_status": status.value, "judge_error": why}
