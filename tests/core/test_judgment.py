"""A failure is never a number."""

from __future__ import annotations

import pytest

from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import RETRIED_ON_REQUEST, RETRIED_ON_RESUME, Status

SLOT = Slot("j", "1", ("",))


def test_an_ok_judgment_has_a_score() -> None:
    assert Judgment(SLOT, Status.OK, 0.0).score == 0.0
    with pytest.raises(ValueError, match="a judgment with status ok cannot have score None"):
        Judgment(SLOT, Status.OK)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.OK])
def test_no_other_judgment_has_one(status: Status) -> None:
    assert Judgment(SLOT, status).score is None
    with pytest.raises(ValueError, match=f"a judgment with status {status} cannot have score 0.0"):
        Judgment(SLOT, status, 0.0)


def test_abstained_skipped_and_pending_are_no_failures() -> None:
    assert {status for status in Status if not status.failed} == {
        Status.OK,
        Status.ABSTAINED,
        Status.SKIPPED,
        Status.PENDING,
    }


def test_paid_replies_are_asked_again_only_on_request() -> None:
    assert {Status.PENDING, Status.CALL_ERROR} == RETRIED_ON_RESUME
    assert {Status.PARSE_ERROR, Status.REFUSED, Status.TRUNCATED} == RETRIED_ON_REQUEST
