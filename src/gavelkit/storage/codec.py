"""Records as rows and back: texts that SQLite cannot hold, completions, judgments, examples."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment

Row = tuple[Any, ...]

CALL_COLUMNS = (
    "call.call, call.key, call.judge, call.reply, call.reasoning, call.refusal, call.finish_reason, call.served_model, "
    "call.prompt_tokens, call.completion_tokens, call.cached_tokens, call.reasoning_tokens, call.effective, "
    "call.seconds, call.requests"
)
_SPAN = 1 << 32

_encode = msgspec.json.Encoder(enc_hook=str).encode


def to_text(text: str) -> str | bytes:
    """The text, or its bytes where a lone surrogate would keep SQLite from storing it."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_text(value: str | bytes | None) -> str:
    """The text again, word for word."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogatepass")
    return value or ""


def to_json(value: Any) -> str:
    """JSON text; lone surrogates escaped, and what JSON does not know (a number of numpy's) as its text."""
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, msgspec.MsgspecError, OverflowError):
        return json.dumps(value, default=str)


def from_json(text: str) -> Any:
    """The value again; the standard reader takes the surrogates and large numbers that the fast one refuses."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


def example_row(example: Example) -> str:
    """The part of an example that the record keeps."""
    return to_json([example.fields, example.doc, example.responses, example.references])


def read_example(identifier: str, row: str, *, line: int, source: str) -> Example:
    """The example again."""
    fields, doc, responses, references = from_json(row)
    return Example(identifier, fields, responses, tuple(references), doc, source, line)


def call_row(call: int, key: bytes, judge: int, completion: Completion) -> Row:
    """A reply as a row of `call`."""
    usage = completion.usage
    return (
        call,
        key,
        judge,
        to_text(completion.text),
        to_text(completion.reasoning) or None,
        to_text(completion.refusal) or None,
        to_text(completion.finish_reason),
        to_text(completion.served_model),
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cached_tokens,
        usage.reasoning_tokens,
        None if completion.effective is None else to_json(completion.effective),
        completion.seconds,
        completion.attempts,
    )


def read_completion(row: Row) -> Completion:
    """The reply again, from the columns of `call`."""
    (
        call,
        _key,
        _judge,
        reply,
        reasoning,
        refusal,
        finish,
        served,
        prompt,
        written,
        cached,
        thought,
        effective,
        seconds,
        requests,
    ) = row
    return Completion(
        text=from_text(reply),
        reasoning=from_text(reasoning),
        refusal=from_text(refusal),
        finish_reason=from_text(finish),
        served_model=from_text(served),
        usage=Usage(prompt, written, cached, thought),
        effective=None if effective is None else from_json(effective),
        seconds=seconds,
        attempts=requests,
        call=call,
        replayed=True,
    )


def judgment_row(number: int, status: int, judgment: Judgment) -> Row:
    """A judgment as a row of `judgment`. An explanation that stands in the reply is kept as its place there."""
    grade, failure, steps = judgment.grade, judgment.failure, judgment.steps
    last = steps[-1].completion if steps else None
    return (
        number,
        status,
        judgment.score,
        judgment.position_bias,
        None if grade is None else _value(grade.value),
        None if grade is None else _explanation(grade.explanation, last),
        None if grade is None or not (grade.parts or grade.ambiguous or grade.cut) else _parts(grade),
        None if failure is None else _failure(failure, keep_raw=last is None),
        None if last is None else last.call,
        to_json([[step.name, step.completion.call] for step in steps]) if len(steps) > 1 else None,
    )


def read_grade(value: Any, explanation: Any, parts: str | None, reply: str) -> Grade | None:
    """The grade again."""
    if value is None:
        return None
    if isinstance(explanation, int):
        start, length = divmod(explanation, _SPAN)
        explanation = reply[start : start + length]
    value = from_text(value) if isinstance(value, str | bytes) else value
    words = from_text(explanation)
    if parts is None:
        return Grade(value, words)
    rest = from_json(parts)
    return Grade(value, words, rest["parts"], rest["ambiguous"], rest["cut"])


def read_failure(text: str | None, reply: str) -> Failure | None:
    """The failure again; what was kept with the reply comes from there."""
    if text is None:
        return None
    kind, message, raw, fatal = from_json(text)
    return Failure(message, kind=FailureKind(kind) if kind else None, raw=reply if raw is None else raw, fatal=fatal)


def _value(value: float | str) -> float | str | bytes:
    return to_text(value) if isinstance(value, str) else value


def _explanation(text: str, completion: Completion | None) -> int | str | bytes | None:
    if not text:
        return None
    start = -1 if completion is None else completion.text.find(text)
    return to_text(text) if start < 0 else start * _SPAN + len(text)


def _parts(grade: Grade) -> str:
    return to_json({"parts": grade.parts, "ambiguous": grade.ambiguous, "cut": grade.cut})


def _failure(failure: Failure, *, keep_raw: bool) -> str:
    return to_json([failure.kind, failure.message, failure.raw if keep_raw else None, failure.fatal])
