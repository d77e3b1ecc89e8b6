"""The files beside a finished run's record: `results.json`, a file for each judge, the standings, the full export."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from gavelkit.core.clock import Clock
from gavelkit.core.names import safe_name
from gavelkit.core.protocols import Entry
from gavelkit.core.report import Report
from gavelkit.judges import AnyJudge
from gavelkit.parsing import JsonParser
from gavelkit.reports import RenderPrompt, export_jsonl, page_line, replace_file
from gavelkit.run.export import judgment_cost, prompt_renderer
from gavelkit.run.results import results_document
from gavelkit.storage import RunReader, open_reader

RESULTS = "results.json"
JUDGMENTS = "judgments.jsonl"
STANDINGS = "standings.jsonl"
_OURS = re.compile(rf"llm_judge_[A-Za-z0-9._-]+\.jsonl|{re.escape(STANDINGS)}")
_STAMP = re.compile(r"[0-9T.-]{19,32}")
_LONGEST = 200  # with the time and the ending, a file's name stays within the 255 bytes that file systems take


@dataclass(frozen=True, slots=True)
class _Before:
    """What an earlier start left: the time in its files' names, what they were made from, and their names."""

    stamp: str = ""
    content: str = ""
    files: tuple[str, ...] = ()


def result_key(judge: AnyJudge) -> str:
    """What a judge is called in the files: `llm_judge_<name>`, or `llm_judge` where nobody named it."""
    return f"llm_judge_{judge.name}" if judge.named else "llm_judge"


def write_files(report: Report, judges: Sequence[AnyJudge], *, task: str, clock: Clock) -> None:
    """Write the files of a finished run, each whole or not at all.

    The time in their names is that of the first start with these contents; when anything changed since, the new set
    takes the old one's place. Raises StorageError.
    """
    folder = Path(report.folder)
    before, now = _before(folder / RESULTS), _stamp(clock)
    reader = open_reader(folder)
    try:
        document = results_document(reader.meta, report, {judge.name: result_key(judge) for judge in judges}, task)
        stems = _stems(judges, report, task)
        structured = frozenset(judge.name for judge in judges if judge.reader == JsonParser().name)
        content = _write_lines(reader, before.stamp or now, stems, structured, document)
    finally:
        reader.close()
    stamp = before.stamp if content == before.content else now
    files = [f"{stem}_{stamp}.jsonl" for stem in stems.values()]
    for stem, file in zip(stems.values(), files, strict=True):
        (folder / f"{stem}_{before.stamp or now}.jsonl").replace(folder / file)
    files += [STANDINGS] if report.contests else []
    head = {"timestamp": stamp, "files": [JUDGMENTS, *files], "content": content}
    with replace_file(folder / RESULTS) as results:
        results.write(json.dumps({**document, **head}, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    for name in set(before.files) - set(files):
        (folder / name).unlink(missing_ok=True)


def _write_lines(
    reader: RunReader, stamp: str, stems: Mapping[str, str], structured: frozenset[str], document: Mapping[str, Any]
) -> str:
    """Write the full export, the standings and each judge's file in one pass; a hash of all that the files hold."""
    content = hashlib.blake2b(json.dumps(document, sort_keys=True).encode(), digest_size=16)
    with ExitStack() as opened:
        files = {
            judge: opened.enter_context(replace_file(reader.folder / f"{stem}_{stamp}.jsonl"))
            for judge, stem in stems.items()
        }
        export = opened.enter_context(replace_file(reader.folder / JUDGMENTS))
        render = prompt_renderer(reader)
        entries = _passing(reader.entries(as_in_data=True), files, structured, render, content.update)
        if comparing := {judge.name for judge in reader.judges if judge.compares}:
            from gavelkit.run.standings_file import with_standings  # noqa: PLC0415 - loads numpy, for contests alone

            standings = opened.enter_context(replace_file(reader.folder / STANDINGS))
            entries = with_standings(entries, comparing, standings, note=content.update)
        export_jsonl(entries, export, cost=judgment_cost(reader))
    return content.hexdigest()


def _passing(
    entries: Iterable[Entry],
    files: Mapping[str, BinaryIO],
    structured: frozenset[str],
    render: RenderPrompt,
    note: Callable[[bytes], None],
) -> Iterator[Entry]:
    """The same entries; each leaves its line in its judge's file on the way."""
    place, example = -1, None
    for entry in entries:
        if entry.example is not example:
            place, example = place + 1, entry.example
        judge = entry.judgment.slot.judge
        file = files.get(judge)
        if file is not None:
            line = page_line(entry, place=place, prompt=render(entry), structured=judge in structured)
            file.write(line)
            note(line)
        yield entry


def _stems(judges: Sequence[AnyJudge], report: Report, task: str) -> dict[str, str]:
    """The name of each judge's file without the time, for those that keep one; no two are alike."""
    models = {judge.name: judge.model for judge in report.judges}
    stems: dict[str, str] = {}
    for judge in judges:
        if not judge.save_details:
            continue
        name = [safe_name(judge.name)] if judge.named else []
        stem = _joined([safe_name(task), *name, safe_name(models[judge.name])])
        if stem.lower() in {each.lower() for each in stems.values()}:
            stem = _joined([safe_name(task), safe_name(judge.name, taken=[judge.name]), safe_name(models[judge.name])])
        stems[judge.name] = stem
    return stems


def _joined(parts: Sequence[str]) -> str:
    stem = "_".join(["llm_judge", *parts])
    return stem if len(stem) <= _LONGEST else f"llm_judge_{safe_name(stem)}"


def _stamp(clock: Clock) -> str:
    """The wall time as a part of file names: `2026-11-20T12-54-37.858`."""
    return clock.utc().partition("+")[0].replace(":", "-")


def _before(path: Path) -> _Before:
    """What the results there say of themselves; nothing where they are none of ours."""
    try:
        document = json.loads(path.read_bytes())
        stamp, files = document["timestamp"], document["files"]
        ours = tuple(name for name in files if _OURS.fullmatch(name))
        return _Before(stamp, str(document["content"]), ours) if _STAMP.fullmatch(stamp) else _Before()
    except (OSError, ValueError, LookupError, TypeError):
        return _Before()
