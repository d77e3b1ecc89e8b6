"""The rows worth reading are found in one pass, and no more of them are held than are shown."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.telling import DIFFERENT, ENDS, FAILED, FAILED_OF_A_KIND, Apart, OfJudge

CRITERIA = {
    "quality": Criterion("quality", Range(0, 10)),
    "harm": Criterion("harm", Range(0, 100), higher_is_better=False),
    "correct": Criterion("correct", Options({"C": 1, "I": 0})),
    "free": Criterion("free"),
    "flat": Criterion("flat", Options({"a": 1})),
}


def entry(
    identifier: object, score: float | None, judge: str = "quality", *, system: str = "", repeat: int = 0
) -> Entry:
    slot = Slot(judge, str(identifier), (system,), repeat)
    status = Status.ABSTAINED if score is None else Status.OK
    return Entry(Judgment(slot, status, score), Example(str(identifier), {}, {system: "r"}))


def failed(identifier: object, status: Status, kind: FailureKind | None = None) -> Entry:
    slot = Slot("quality", str(identifier), ("",))
    return Entry(
        Judgment(slot, status, failure=Failure("why", kind) if kind else None), Example(str(identifier), {}, {})
    )


def of_judge(entries: Sequence[Entry]) -> OfJudge:
    rows = OfJudge()
    for each in entries:
        rows.add(each)
    return rows


def ids(entries: Sequence[Entry]) -> list[str]:
    return [each.judgment.slot.example_id for each in entries]


def apart(entries: Sequence[Entry]) -> list[tuple[float, list[tuple[str, float, float]]]]:
    found = Apart(CRITERIA)
    for each in entries:
        found.add(each)
    return [(round(gap, 9), [opinion[:3] for opinion in opinions]) for gap, opinions in found.widest()]


def test_the_lowest_and_the_highest_come_first_and_of_equal_ones_the_earlier() -> None:
    rows = of_judge([entry(at, score) for at, score in enumerate([5, 1, 9, 1, 9, 0, 5, 5, 5, 5, 5, 5, 5])])
    assert ids(rows.lowest) == ["5", "1", "3", "0", "6"]
    assert ids(rows.highest) == ["2", "4", "0", "6", "7"]


def test_few_rows_are_shown_once() -> None:
    rows = of_judge([entry(at, at) for at in range(3)])
    assert (ids(rows.lowest), ids(rows.highest)) == (["0", "1"], ["2"])
    assert ids(of_judge([entry(1, 1)]).highest) == []


@given(st.lists(st.integers(0, 10), max_size=200))
def test_the_ends_are_those_of_all_rows_sorted(scores: list[int]) -> None:
    rows = of_judge([entry(at, score) for at, score in enumerate(scores)])
    ordered = sorted(scores)
    assert [each.judgment.score for each in rows.lowest] == ordered[: min(ENDS, (len(scores) + 1) // 2)]
    assert [each.judgment.score for each in rows.highest] == ordered[::-1][: min(ENDS, len(scores) // 2)]


def test_failures_of_every_kind_are_shown_before_many_of_one() -> None:
    rows = of_judge(
        [
            *(failed(at, Status.PARSE_ERROR) for at in range(9)),
            failed("t", Status.CALL_ERROR, FailureKind.TIMEOUT),
            failed("s", Status.CALL_ERROR, FailureKind.SERVER),
        ]
    )
    assert ids(rows.failed) == ["0", "1", "t", "s"]
    assert rows.failures == 11


def test_no_more_failures_are_held_than_are_shown() -> None:
    kinds = list(FailureKind)
    rows = of_judge([failed(at, Status.CALL_ERROR, kinds[at % len(kinds)]) for at in range(200)])
    assert len(rows.failed) == FAILED
    assert FAILED_OF_A_KIND * len(kinds) > FAILED


def test_what_was_skipped_or_abstained_is_no_failure() -> None:
    assert of_judge([entry(1, None)]).failures == 0


def test_judges_are_compared_on_one_response_each_on_its_own_scale() -> None:
    found = apart([entry("a", 2, "quality"), entry("a", 1, "correct"), entry("b", 9, "quality")])
    assert found == [(0.8, [("quality", 2, 0.2), ("correct", 1, 1.0)])]


def test_a_judge_for_whom_lower_is_better_is_turned_round() -> None:
    assert apart([entry("a", 10, "quality"), entry("a", 0, "harm")]) == []
    assert apart([entry("a", 10, "quality"), entry("a", 75, "harm")]) == [
        (0.75, [("harm", 75, 0.25), ("quality", 10, 1.0)])
    ]


def test_responses_of_two_systems_are_two_comparisons_the_wider_first() -> None:
    found = apart(
        [
            entry("a", 5, "quality", system="x"),
            entry("a", 0, "quality", system="y"),
            entry("a", 1, "correct", system="x"),
            entry("a", 1, "correct", system="y"),
        ]
    )
    assert [gap for gap, _ in found] == [1.0, 0.5]


def test_repeats_are_averaged() -> None:
    rows = [entry("a", 2, repeat=0), entry("a", 4, repeat=1), entry("a", 1, "correct")]
    assert apart(rows) == [(0.7, [("quality", 3, 0.3), ("correct", 1, 1.0)])]


def test_a_judge_without_a_scale_is_not_compared() -> None:
    assert apart([entry("a", 2, "quality"), entry("a", 900, "free")]) == []


def test_a_scale_of_one_score_is_at_its_lower_end() -> None:
    assert apart([entry("a", 5, "quality"), entry("a", 1, "flat")]) == [(0.5, [("flat", 1, 0.0), ("quality", 5, 0.5)])]


def test_no_more_differences_are_held_than_are_shown() -> None:
    rows = [each for at in range(30) for each in (entry(at, at / 3, "quality"), entry(at, 0, "correct"))]
    found = apart(rows)
    assert len(found) == DIFFERENT
    assert [gap for gap, _ in found] == sorted((gap for gap, _ in found), reverse=True)
    assert found[0][1][1][1] == 29 / 3
