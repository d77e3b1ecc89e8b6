"""Which cut replies left a judge without a verdict, and so are worth a second try."""

from __future__ import annotations

from collections.abc import Callable

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Options
from gavelkit.core.message import Request
from gavelkit.core.status import Status
from gavelkit.judges.direct import Direct
from gavelkit.judges.pairwise import Pairwise
from gavelkit.judges.turns import ASSESSMENT, SECOND, SELECTION, Turns
from gavelkit.judges.two_step import TwoStep
from gavelkit.judges.verdict import read_verdict
from gavelkit.parsing import without_thinking

Unread = Callable[[Request, Completion], bool]
"""Whether the reply to a request was cut before what it was asked for."""


def unread_by(judge: Direct | TwoStep | Pairwise) -> Unread:
    """How to tell for this judge.

    A direct judge's reply is unread where its parser finds no verdict. Of a two-step judgment the assessment is
    unread where nothing but thinking came, the choice where no option was read, and a summary never.
    """
    if isinstance(judge, Direct):
        direct = judge
        return lambda _request, reply: _truncated(reply, direct)
    options = _options(judge)
    turns = judge.turns
    return lambda request, reply: _unread(request, reply, turns, options)


def _truncated(reply: Completion, judge: Direct) -> bool:
    return read_verdict(reply, judge.parser, judge.criterion).status is Status.TRUNCATED


def _unread(request: Request, reply: Completion, turns: Turns, options: Options | None) -> bool:
    step = request.labels.step.removeprefix(SECOND)
    if reply.refusal or not reply.cut:
        return False
    if step == SELECTION and options is not None:
        return turns.choice.read(reply, options).status is Status.TRUNCATED
    return step in {ASSESSMENT, SELECTION} and not without_thinking(reply.text).strip()


def _options(judge: TwoStep | Pairwise) -> Options | None:
    """What there is to choose from; None where each row brings its own, which a request does not tell."""
    if isinstance(judge, Pairwise):
        return judge.answers.options(swapped=False)
    scale = judge.criterion.scale
    return scale if isinstance(scale, Options) else None
