"""A run's judgments to a file, streamed, each prompt rendered again where it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gavelkit.core.errors import TemplateError
from gavelkit.core.message import Labels, Parameters, Request
from gavelkit.core.protocols import Entry
from gavelkit.prompts import Prompt, Template
from gavelkit.reports import RenderPrompt, export_csv, export_jsonl, replace_file
from gavelkit.storage import RunReader, open_reader


def export_run(folder: Path, file: Path, *, prompts: bool = False, raw: bool = False) -> int:
    """Write one line a judgment, `.jsonl` or `.csv` by the file's name; how many there were.

    An old file stays as it is until the new one is whole. Raises StorageError.
    """
    reader = open_reader(folder)
    try:
        render = prompt_renderer(reader) if prompts else None
        with replace_file(file) as stream:
            if file.suffix == ".csv":
                return export_csv(reader.entries(), stream, prompt=render, raw=raw)
            return export_jsonl(reader.entries(), stream, prompt=render)
    finally:
        reader.close()


def prompt_renderer(reader: RunReader) -> RenderPrompt:
    """What was sent for a judgment, rendered again from the record and checked against the call's key."""
    made = {
        judge.name: (_prompt(judge.asks), _parameters(judge.asks), bool(judge.asks.get("apart")))
        for judge in reader.judges
    }

    def render(entry: Entry) -> str | None:
        slot = entry.judgment.slot
        prompt, parameters, apart = made[slot.judge]
        try:
            messages = prompt.messages(entry.example, slot.systems[0])
            request = Request(messages, parameters, slot.repeat, Labels(), slot.place if apart else "")
        except (TemplateError, UnicodeEncodeError):
            return None
        steps = entry.judgment.steps
        if steps and reader.key(steps[-1].completion.call) != request.key:
            return None
        return "\n\n".join(message.content for message in messages)

    return render


def _prompt(asks: Any) -> Prompt:
    system = asks.get("system_prompt")
    return Prompt(
        Template(asks["prompt_template"]),
        system=None if system is None else Template(system, name="system_prompt"),
        custom=asks.get("variables"),
        response_format=asks.get("shown_format"),
    )


def _parameters(asks: Any) -> Parameters:
    return Parameters(asks["model"], asks["parameters"], asks.get("response_format", ""))
