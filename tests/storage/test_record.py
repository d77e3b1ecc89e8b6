"""A run's folder: what it refuses, what it takes on, and that a refusal changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE, a_judge

from gavelkit.core.errors import ConfigError, RunHeld, StorageError
from gavelkit.core.event import Event
from gavelkit.core.protocols import Judge
from gavelkit.storage import open_reader
from gavelkit.storage.record import MAX_JUDGES

from .records import JUDGE, SLOT, a_record, an_example, kept, ok, rows


def opened(folder: Path, *judges: Judge, **more: Any) -> tuple[str, ...]:
    """Open and close a record; the judges whose replies must be read again."""

    async def main() -> tuple[str, ...]:
        with a_record(folder, *judges, **more) as run:
            return run.reread

    return asyncio.run(main())


def refusal(folder: Path, *judges: Judge, **more: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        opened(folder, *judges, **more)
    return str(caught.value)


def recorded_judges(folder: Path) -> Sequence[tuple[Any, ...]]:
    return rows(folder, "SELECT judge, name, asks, reads, spec FROM judge ORDER BY judge")


def test_a_folder_is_made_with_its_parents_and_let_go_afterwards(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    opened(folder)
    assert {each.name for each in folder.iterdir()} == {"run.db", "run.lock"}
    opened(folder)


def test_a_second_writer_is_refused_and_the_lock_goes_with_the_first(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path), pytest.raises(RunHeld):
            a_record(tmp_path)
        with a_record(tmp_path):
            pass

    asyncio.run(main())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"prompt_template": TEMPLATE.replace("Rate", "Judge")}, "+Judge this."),
        ({"temperature": 0.5}, 'now {"max_tokens":1024,"temperature":0.5}'),
        ({"model": "other"}, 'now "other"'),
        ({"system_prompt": "Be fair."}, 'system_prompt: recorded null, now "Be fair."'),
    ],
)
def test_a_judge_that_asks_something_else_is_refused_with_the_difference(
    tmp_path: Path, settings: dict[str, Any], words: str
) -> None:
    opened(tmp_path)
    before = recorded_judges(tmp_path)
    message = refusal(tmp_path, a_judge(str, **settings))
    assert message.startswith("judge 'accuracy' asks something else than this run recorded; use --new-run")
    assert words in message
    assert recorded_judges(tmp_path) == before


def test_another_mapping_is_refused_with_the_difference(tmp_path: Path) -> None:
    opened(tmp_path, mapping={"question": "q"})
    message = refusal(tmp_path, mapping={"question": "doc.q"})
    assert f"{tmp_path}: this run read its rows by another map" in message
    assert 'question: recorded "q", now "doc.q"' in message


def test_a_refusal_of_one_judge_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    tone = a_judge(str, "tone")
    opened(tmp_path, JUDGE, tone)
    before = recorded_judges(tmp_path)
    refusal(tmp_path, a_judge(str, scale=(0, 5)), a_judge(str, "tone", temperature=1.0))
    assert recorded_judges(tmp_path) == before


def test_a_refused_folder_can_be_used_again_at_once(tmp_path: Path) -> None:
    opened(tmp_path)
    refusal(tmp_path, a_judge(str, model="other"))
    opened(tmp_path)


def test_limits_threshold_and_engine_may_change(tmp_path: Path) -> None:
    opened(tmp_path)
    assert opened(tmp_path, a_judge(str, concurrency=2, max_error_rate=0.5, threshold=3.0)) == ()
    reader = open_reader(tmp_path)
    (judge,) = reader.judges
    reader.close()
    assert (judge.threshold, judge.max_error_rate) == (3.0, 0.5)


@pytest.mark.parametrize("settings", [{"scale": (0, 5)}, {"clamp": True}, {"parser": "rating"}])
def test_a_judge_that_reads_in_another_way_is_named_until_its_replies_are_read_again(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    opened(tmp_path)
    other = a_judge(str, **settings)
    assert opened(tmp_path, other) == ("accuracy",)
    assert opened(tmp_path, other) == ("accuracy",)

    async def main() -> None:
        with a_record(tmp_path, other) as run:
            run.read_again([other])

    asyncio.run(main())
    assert opened(tmp_path, other) == ()
    assert rows(tmp_path, "SELECT value FROM meta WHERE name='reread'") == [('["accuracy"]',)]


def test_an_added_judge_has_the_next_number_and_a_judge_left_out_is_kept(tmp_path: Path) -> None:
    opened(tmp_path, JUDGE, a_judge(str, "tone"))
    opened(tmp_path, a_judge(str, "third"))
    assert [(each[0], each[1]) for each in recorded_judges(tmp_path)] == [(1, "accuracy"), (2, "tone"), (3, "third")]
    reader = open_reader(tmp_path)
    assert [judge.name for judge in reader.judges] == ["third"]
    reader.close()


def test_more_judges_than_a_slot_can_tell_apart_are_refused(tmp_path: Path) -> None:
    judges = [a_judge(str, f"j{number}") for number in range(MAX_JUDGES + 1)]
    assert "at most 255 judges" in refusal(tmp_path, *judges)
    opened(tmp_path, *judges[:-1])


def test_facts_are_kept_beside_the_rows(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            run.journal.note("settings", {"a": [1, "\ud800"]})

    asyncio.run(main())
    reader = open_reader(tmp_path)
    assert reader.meta["settings"] == {"a": [1, "\ud800"]}
    assert reader.meta["map"] == {}
    reader.close()


@pytest.mark.parametrize("page", [1, 2, 4, 6, -1])
def test_a_damaged_run_is_refused_and_nothing_of_it_changes(tmp_path: Path, page: int) -> None:
    async def fill() -> None:
        with a_record(tmp_path) as run:
            for number in range(1, 200):
                example = an_example(number)
                position = run.journal.begin(example)
                run.journal.judged(
                    position, [ok(type(SLOT)("accuracy", example.id, ("",)), kept(run, "x" * 50, example.id))]
                )

    asyncio.run(fill())
    path = tmp_path / "run.db"
    data = bytearray(path.read_bytes())
    at = page * 4096 % len(data)
    data[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    with pytest.raises(StorageError, match="damaged, or no record of a run"):
        opened(tmp_path, a_judge(str, threshold=9.0))
    after = bytearray(path.read_bytes())
    for counter in (slice(24, 28), slice(92, 96)):  # SQLite counts whoever opened the file for writing
        data[counter] = after[counter] = bytes(4)
    assert after == data


def test_a_truncated_run_is_refused(tmp_path: Path) -> None:
    opened(tmp_path)
    path = tmp_path / "run.db"
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(StorageError, match="damaged, or no record of a run"):
        opened(tmp_path)


def test_a_file_in_the_folders_place_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(StorageError, match="File exists"):
        opened(tmp_path / "run")
    assert (tmp_path / "run").read_text() == "mine"


def test_nobody_observes_before_anything_is_on_disk(tmp_path: Path) -> None:
    events: list[Event] = []
    opened(tmp_path, observe=events.append)
    assert events == []
