"""A tally loses no judgment and rests on examples."""

from __future__ import annotations

import pytest

from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.errors import GavelError
from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.stats.tally import JudgeFacts, Tally

FACTS = JudgeFacts("helpful", Criterion("helpful", Range(1, 5)), threshold=3)


def judgment(example: str, score: float | None, *, repeat: int = 0, status: Status = Status.PARSE_ERROR) -> Judgment:
    slot = Slot("helpful", example, ("",), repeat)
    return Judgment(slot, status if score is None else Status.OK, score=score)


def tally(*judgments: Judgment, facts: JudgeFacts = FACTS) -> Tally:
    made = Tally(facts)
    for each in judgments:
        made.add(each)
    made.close()
    return made


def test_repeats_are_averaged_before_examples_are() -> None:
    made = tally(judgment("a", 1), judgment("a", 2, repeat=1), judgment("b", 4))
    assert made.ok.n == 2
    assert made.ok.mean == 2.75
    assert made.passed.mean == 0.5


def test_a_failed_repeat_costs_its_part_of_the_example() -> None:
    made = tally(judgment("a", 5), judgment("a", None, repeat=1), judgment("b", 5))
    assert made.ok.mean == 5
    assert made.worst.mean == (3 + 5) / 2
    assert made.best.mean == (5 + 5) / 2
    assert made.zero.mean == (2.5 + 5) / 2


def test_only_failed_judgments_are_priced() -> None:
    statuses = [Status.ABSTAINED, Status.SKIPPED, Status.PENDING]
    made = tally(*(judgment(str(at), None, status=status) for at, status in enumerate(statuses)))
    assert made.worst.n == made.zero.n == made.ok.n == 0
    assert dict(made.counts) == {Status.ABSTAINED: 1, Status.SKIPPED: 1, Status.PENDING: 1}


def test_without_a_scale_there_is_no_worst() -> None:
    made = tally(judgment("a", 5), judgment("b", None), facts=JudgeFacts("helpful", Criterion("helpful")))
    assert made.worst.n == made.best.n == 0
    assert made.passed.n == 0


def test_the_worst_is_the_top_where_lower_is_better() -> None:
    facts = JudgeFacts("harm", Criterion("harm", Range(0, 10), higher_is_better=False), threshold=2)
    made = tally(judgment("a", 0), judgment("b", None), judgment("c", 2), facts=facts)
    assert made.worst.mean == 4
    assert made.best.mean == pytest.approx(2 / 3)
    assert made.passed.ones == 2


def test_counts_stand_in_the_order_of_the_statuses() -> None:
    made = tally(judgment("a", None, status=Status.PENDING), judgment("b", None), judgment("c", 1))
    assert list(made.counts) == [Status.OK, Status.PARSE_ERROR, Status.PENDING]


def test_a_judgment_counted_and_not_used_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tally, "_fold", lambda _self: None)
    with pytest.raises(GavelError, match="1 judgments are ok or failed, and the means rest on 0"):
        tally(judgment("a", 1))
