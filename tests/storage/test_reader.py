"""A run read back in order, by anybody, while it is written or long after."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.makers import a_judge, a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.criterion import Options, Range
from gavelkit.core.errors import StorageError
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.message import Labels
from gavelkit.core.protocols import Entry, Records
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage import open_reader
from gavelkit.storage.totals import CallTotals

from .records import JUDGE, SLOT, a_record, an_example, failed, kept, ok

ODD = "Größe\ud800 \0 It is right.\nScore: 7"


def entries(folder: Path) -> list[Entry]:
    reader = open_reader(folder)
    records: Records = reader  # the interface that reports may rely on
    try:
        return list(records.entries())
    finally:
        reader.close()


def stored(reply: Completion) -> Completion:
    return replace(reply, replayed=True)


def test_a_judgment_comes_back_as_it_was_given(tmp_path: Path) -> None:
    made: list[Judgment] = []

    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            reply = kept(run, ODD)
            grade = Grade(7.0, "It is right.", {"n": 2**63, "odd": "\ud800"}, ambiguous=True)
            made.append(replace(ok(SLOT, reply, grade=grade), position_bias=False))
            run.journal.judged(position, made)

    asyncio.run(main())
    ((entry,), (judgment,)) = entries(tmp_path), made
    assert entry.judgment == replace(judgment, steps=(Step("judge", stored(judgment.steps[0].completion)),))
    assert entry.example.id == "r1"
    assert entry.example.fields == {"question": "What is 1?"}
    assert entry.example.responses == {"": "It is 1."}


def test_whether_a_score_passes_is_told_by_the_threshold_of_the_last_start(tmp_path: Path) -> None:
    async def main(threshold: float, *, judged: bool) -> None:
        with a_record(tmp_path, replace(JUDGE, threshold=threshold)) as run:
            position = run.journal.begin(an_example())
            if judged:
                run.journal.judged(position, [ok(SLOT, kept(run, ODD))])

    asyncio.run(main(7.0, judged=True))
    assert [entry.judgment.passed for entry in entries(tmp_path)] == [True]
    asyncio.run(main(8.0, judged=False))
    assert [entry.judgment.passed for entry in entries(tmp_path)] == [False]


def test_a_failure_comes_back_with_its_raw_reply(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            unread = Failure("no score", raw=ODD)
            run.journal.judged(
                position,
                [
                    Judgment(SLOT, Status.PARSE_ERROR, failure=unread, steps=(Step("judge", kept(run, ODD)),)),
                    failed(replace(SLOT, repeat=1), status=Status.CALL_ERROR),
                ],
            )

    asyncio.run(main())
    unread, unreached = (entry.judgment for entry in entries(tmp_path))
    assert unread.failure == Failure("no score", raw=ODD)
    assert unreached.failure is not None
    assert unreached.failure.raw == "raw"
    assert unreached.steps == ()


def test_several_steps_come_back_in_order_with_their_names(tmp_path: Path) -> None:
    replies: list[Completion] = []

    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            replies.extend(kept(run, f"reply {n}", f"prompt {n}") for n in range(3))
            steps = tuple(Step(f"step {n}", reply) for n, reply in enumerate(replies))
            run.journal.judged(position, [Judgment(SLOT, Status.OK, 1.0, Grade(1.0, "reply 2"), steps=steps)])

    asyncio.run(main())
    (entry,) = entries(tmp_path)
    assert entry.judgment.steps == tuple(Step(f"step {n}", stored(reply)) for n, reply in enumerate(replies))
    assert entry.judgment.grade == Grade(1.0, "reply 2")


def test_a_single_step_keeps_its_own_name(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            step = Step("assessment", kept(run, "odd"))
            run.journal.judged(position, [replace(failed(), steps=(step,))])

    asyncio.run(main())
    (entry,) = entries(tmp_path)
    assert [step.name for step in entry.judgment.steps] == ["assessment"]


def test_an_assessment_is_the_explanation_of_the_choice_and_one_reply_may_serve_two_steps(tmp_path: Path) -> None:
    made: list[Judgment] = []

    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            assessment, choice = kept(run, ODD), kept(run, "Yes", "choose")
            steps = tuple(
                Step(name, reply)
                for name, reply in (
                    ("assessment", assessment),
                    ("positional_bias_assessment", assessment),
                    ("positional_bias_option_selection", choice),
                    ("option_selection", choice),
                )
            )
            grade = Grade("Yes", ODD, {"distribution": {"Yes": 0.75, "No": 0.25}})
            made.append(Judgment(SLOT, Status.OK, 1.0, grade, steps=steps))
            run.journal.judged(position, made)

    asyncio.run(main())
    (entry,) = entries(tmp_path)
    assert entry.judgment == replace(
        made[0], steps=tuple(Step(step.name, stored(step.completion)) for step in made[0].steps)
    )


@pytest.mark.parametrize("bias", [True, False, None])
def test_whether_the_order_decided_comes_back(tmp_path: Path, bias: bool | None) -> None:  # noqa: FBT001 - a table
    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example(a="x", b="y"))
            contest = Slot("accuracy", "r1", ("a", "b"))
            run.journal.judged(position, [replace(ok(contest, grade=Grade("tie")), position_bias=bias)])

    asyncio.run(main())
    (entry,) = entries(tmp_path)
    assert entry.judgment.position_bias is bias
    assert entry.judgment.slot.systems == ("a", "b")


def test_entries_go_by_row_judge_system_and_repeat(tmp_path: Path) -> None:
    slots = [
        Slot(judge, f"r{n}", (system,), repeat)
        for n in (1, 2)
        for judge in ("accuracy", "tone")
        for system in ("a", "b")
        for repeat in (0, 1)
    ]

    async def main() -> None:
        with a_record(tmp_path, JUDGE, a_judge(str, "tone")) as run:
            positions = {f"r{n}": run.journal.begin(an_example(n, a="x", b="y")) for n in (1, 2)}
            run.journal.judged(positions["r1"], [ok(slots[0]), ok(slots[2])])  # names the systems in order
            for slot in reversed(slots):
                run.journal.judged(positions[slot.example_id], [ok(slot)])

    asyncio.run(main())
    assert [entry.judgment.slot for entry in entries(tmp_path)] == slots
    reader = open_reader(tmp_path)
    assert [judgment.slot for judgment in reader.outcomes()] == slots
    assert [example.id for example in reader.examples()] == ["r1", "r2"]
    reader.close()


def test_outcomes_say_whether_the_order_mattered_and_hold_the_grades_asked_for(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path, JUDGE, a_judge(str, "tone")) as run:
            position = run.journal.begin(an_example())
            for name in ("accuracy", "tone"):
                judgment = ok(Slot(name, "r1", ("a", "b")), grade=Grade(7.0, "words", {"selection": "A"}))
                run.journal.judged(position, [replace(judgment, position_bias=True)])

    asyncio.run(main())
    reader = open_reader(tmp_path)
    grades = {each.slot.judge: each.grade for each in reader.outcomes(grades_of=["tone"])}
    assert grades == {"accuracy": None, "tone": Grade(7.0, "", {"selection": "A"})}
    assert [each.position_bias for each in reader.outcomes()] == [True, True]
    assert [judge.compares for judge in reader.judges] == [False, False]
    reader.close()


def test_a_judge_left_out_of_the_last_start_is_not_shown(tmp_path: Path) -> None:
    async def main(*names: str, judged: bool) -> None:
        with a_record(tmp_path, *(a_judge(str, name) for name in names)) as run:
            position = run.journal.begin(an_example())
            if judged:
                run.journal.judged(position, [ok(Slot(name, "r1", ("",))) for name in names])

    asyncio.run(main("accuracy", "tone", judged=True))
    asyncio.run(main("tone", judged=False))
    assert [entry.judgment.slot.judge for entry in entries(tmp_path)] == ["tone"]
    reader = open_reader(tmp_path)
    assert [judgment.slot.judge for judgment in reader.outcomes()] == ["tone"]
    reader.close()


def test_totals_are_by_judge_and_say_how_many_calls_counted_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path, JUDGE, a_judge(str, "tone")) as run:
            for number, usage in enumerate((Usage(10, 2, 5), Usage(20, 3), Usage(None, 1), Usage())):
                request = a_request(str(number), labels=Labels("1", "accuracy", ("",), "judge"))
                run.journal.reply(request, Completion("x", usage=usage, attempts=number + 1))
            run.journal.reply(a_request("x", labels=Labels("1", "a panel's member")), Completion("x"))

    asyncio.run(main())
    reader = open_reader(tmp_path)
    assert reader.totals() == {"accuracy": CallTotals(4, 30, 6, 5, 2, 10), "tone": CallTotals()}
    reader.close()


def test_the_key_of_a_call_is_found_by_its_number(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            kept(run, "x")

    asyncio.run(main())
    reader = open_reader(tmp_path)
    assert (reader.key(1), reader.key(2)) == (a_request().key, None)
    assert reader.folder == tmp_path
    reader.close()


@pytest.mark.parametrize(
    ("settings", "scale"),
    [
        ({"scale": (0, 5), "clamp": True}, Range(0, 5, clamp=True)),
        ({"scale": None}, None),
        ({"scale": None, "parser": "grade", "options": {"C": 1, "I": 0}}, Options({"C": 1.0, "I": 0.0})),
    ],
)
def test_a_judge_is_described_with_its_scale(tmp_path: Path, settings: dict[str, Any], scale: object) -> None:
    made = a_judge(str, higher_is_better=False, threshold=2.0, model="m", **settings)

    async def main() -> None:
        with a_record(tmp_path, made):
            pass

    asyncio.run(main())
    reader = open_reader(tmp_path)
    (judge,) = reader.judges
    reader.close()
    assert judge.criterion.scale == scale
    assert (judge.criterion.higher_is_better, judge.threshold, judge.model, judge.preset) == (False, 2.0, "m", "")
    assert judge.asks["model"] == "m"


def test_a_reader_sees_the_run_grow_and_disturbs_nobody(tmp_path: Path) -> None:
    async def main() -> list[int]:
        seen = []
        with a_record(tmp_path) as run:
            reader = open_reader(tmp_path)
            for number in range(1, 4):
                example = an_example(number)
                position = run.journal.begin(example)
                run.journal.judged(position, [ok(Slot("accuracy", example.id, ("",)), kept(run, "x", example.id))])
                await run.journal.settle()
                reader.close()
                reader = open_reader(tmp_path)
                half_read = cast("Generator[Entry, None, None]", reader.entries())
                next(half_read)
                seen.append(len(entries(tmp_path)))
                half_read.close()
            reader.close()
        return seen

    assert asyncio.run(main()) == [1, 2, 3]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["run.db", "run.lock"]


def test_a_folder_without_a_run_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no run here"):
        open_reader(tmp_path)


def test_entries_come_as_in_the_data_where_rows_have_moved(tmp_path: Path) -> None:
    async def main(*lines: tuple[int, int]) -> None:
        with a_record(tmp_path) as run:
            for number, line in lines:
                position = run.journal.begin(replace(an_example(number), line=line))
                slot = replace(SLOT, example_id=f"r{number}")
                if run.journal.held(position, slot) is None:
                    run.journal.judged(position, [ok(slot)])
            run.journal.finish_pass()

    def found(*, as_in_data: bool) -> list[str]:
        reader = open_reader(tmp_path)
        try:
            return [f"{each.example.id}:{each.example.line}" for each in reader.entries(as_in_data=as_in_data)]
        finally:
            reader.close()

    asyncio.run(main((1, 1), (2, 2), (3, 3)))
    assert found(as_in_data=True) == ["r1:1", "r2:2", "r3:3"]
    asyncio.run(main((4, 1), (3, 2), (1, 4)))
    assert found(as_in_data=True) == ["r4:1", "r3:2", "r1:4"]
    assert found(as_in_data=False) == ["r1:4", "r3:2", "r4:1"]
