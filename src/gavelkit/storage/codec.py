"""Records as rows and back: texts that SQLite cannot hold, completions, judgments, examples."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import msgspec

from gavelkit.core.completion import Completion, Token, Usage
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step

Row = tuple[Any, ...]

CALL_COLUMNS = (
    "call.call, call.key, call.judge, call.reply, call.reasoning, call.refusal, call.finish_reason, call.served_model, "
    "call.prompt_tokens, call.completion_tokens, call.cached_tokens, call.reasoning_tokens, call.effective, "
    "call.seconds, call.requests, call.logprobs"
)
CALL_WIDTH = CALL_COLUMNS.count(",") + 1
STEP = "judge"
"""The name of a judgment's only step that needs not be kept."""

_SPAN = 1 << 32
_SPAN_BEFORE = 1 << 28
_MOST_BEFORE = 1 << 7

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
        to_json([[token.text, dict(token.top)] for token in completion.logprobs]) if completion.logprobs else None,
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
        logprobs,
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
        logprobs=() if logprobs is None else _tokens(logprobs),
    )


def _tokens(text: str) -> tuple[Token, ...]:
    """The tokens again; JSON has null for minus infinity, the logarithm of nothing."""
    return tuple(
        Token(written, {each: -math.inf if value is None else value for each, value in top.items()})
        for written, top in from_json(text)
    )


def judgment_row(number: int, status: int, judgment: Judgment) -> Row:
    """A judgment as a row of `judgment`. An explanation that stands in one of its replies is kept as its place."""
    grade, failure, steps = judgment.grade, judgment.failure, judgment.steps
    last = steps[-1].completion if steps else None
    return (
        number,
        status,
        judgment.score,
        judgment.position_bias,
        None if grade is None else _value(grade.value),
        None if grade is None else _kept(grade.explanation, steps),
        None if grade is None or not (grade.parts or grade.ambiguous or grade.cut) else _parts(grade),
        None if failure is None else _failure(failure, steps),
        None if last is None else last.call,
        to_json([[step.name, step.completion.call] for step in steps])
        if steps and (len(steps) > 1 or steps[0].name != STEP)
        else None,
    )


def read_grade(value: Any, explanation: Any, parts: str | None, replies: Sequence[str]) -> Grade | None:
    """The grade again, from the row and the replies of the judgment's steps."""
    if value is None:
        return None
    value = from_text(value) if isinstance(value, str | bytes) else value
    words = _found(explanation, replies) if isinstance(explanation, int) else from_text(explanation)
    if parts is None:
        return Grade(value, words)
    rest = from_json(parts)
    return Grade(value, words, rest["parts"], rest["ambiguous"], rest["cut"])


def steps_of(text: str | None) -> frozenset[str]:
    """The steps that a failure is about; none where it names none."""
    return frozenset() if text is None else frozenset(from_json(text)[4:])


def read_failure(text: str | None, replies: Sequence[str]) -> Failure | None:
    """The failure again; what was kept with a reply comes from there."""
    if text is None:
        return None
    kind, message, raw, fatal, *steps = from_json(text)
    if raw is None:
        raw = replies[-1] if replies else ""
    elif isinstance(raw, int):
        raw = _found(raw, replies)
    return Failure(message, kind=FailureKind(kind) if kind else None, raw=raw, fatal=fatal, steps=tuple(steps))


def _value(value: float | str) -> float | str | bytes:
    return to_text(value) if isinstance(value, str) else value


def _kept(text: str, steps: Sequence[Step]) -> int | str | bytes | None:
    """A text's place in a reply where one holds it whole, else the text."""
    place = _place(text, steps) if text else None
    return (to_text(text) or None) if place is None else place


def _place(text: str, steps: Sequence[Step]) -> int | None:
    """Where a text stands in the last reply that holds it, as one integer.

    In the last step's reply that is its start and its length, and the number is not negative. A negative number
    also tells how many steps before the last the reply is; there is none where a part is too large for its bits.
    """
    for before, step in enumerate(reversed(steps)):
        start = step.completion.text.find(text)
        if start >= 0 and before == 0:
            return start * _SPAN + len(text)
        if start >= 0 and max(start, len(text)) < _SPAN_BEFORE and before < _MOST_BEFORE:
            return ~((before * _SPAN_BEFORE + start) * _SPAN_BEFORE + len(text))
    return None


def _found(place: int, replies: Sequence[str]) -> str:
    """The text at a place; nothing where the reply is not at hand."""
    if place >= 0:
        before, (start, length) = 0, divmod(place, _SPAN)
    else:
        rest, length = divmod(~place, _SPAN_BEFORE)
        before, start = divmod(rest, _SPAN_BEFORE)
    return replies[-1 - before][start : start + length] if before < len(replies) else ""


def _parts(grade: Grade) -> str:
    return to_json({"parts": grade.parts, "ambiguous": grade.ambiguous, "cut": grade.cut})


def _failure(failure: Failure, steps: Sequence[Step]) -> str:
    raw = failure.raw
    if steps and raw == steps[-1].completion.text:
        kept: int | str | None = None
    else:
        place = _place(raw, steps) if raw else None
        kept = raw if place is None else place
    return to_json([failure.kind, failure.message, kept, failure.fatal, *failure.steps])
