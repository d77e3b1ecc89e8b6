"""From a reply to a verdict: the one place where a reply becomes a status, a grade and a score."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import OutOfRange, ParseError
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.protocols import Parser
from gavelkit.core.status import Status

_TOOLS = frozenset({"tool_calls", "function_call"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply says, before it is put in its slot."""

    status: Status
    score: float | None = None
    grade: Grade | None = None
    failure: Failure | None = None


def read_verdict(completion: Completion, parser: Parser, criterion: Criterion) -> Verdict:
    """Read a reply in the place its parser declares. Never raises, never guesses."""
    if completion.refusal:
        return _failed(Status.REFUSED, "the model refused to answer", raw=completion.refusal)
    try:
        grade = parser.parse(completion.text, cut=completion.cut)
    except ParseError as error:
        return _unread(error, completion)
    if completion.cut:
        grade = replace(grade, cut=True)
    try:
        score = criterion.score(grade.value)
    except OutOfRange as error:
        return Verdict(Status.OUT_OF_RANGE, grade=grade, failure=Failure(str(error), raw=completion.text))
    return Verdict(Status.OK, score=score, grade=grade)


def _unread(error: ParseError, completion: Completion) -> Verdict:
    if completion.cut:
        return _failed(Status.TRUNCATED, "the reply was cut at its token limit before its verdict", raw=completion.text)
    message = str(error)
    if error.kind is FailureKind.EMPTY and completion.finish_reason in _TOOLS:
        message = f"{message}: the model called a tool instead, and a judge offers none"
    return _failed(Status.PARSE_ERROR, message, raw=completion.text, kind=error.kind)


def _failed(status: Status, message: str, *, raw: str, kind: FailureKind | None = None) -> Verdict:
    return Verdict(status, failure=Failure(message, kind=kind, raw=raw))
