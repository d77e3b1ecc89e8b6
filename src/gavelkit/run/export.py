"""A run's judgments to a file, streamed, each prompt rendered again where it is asked for."""

from __future__ import annotations

from pathlib import Path

from gavelkit.core.answer import is_answer
from gavelkit.core.errors import DataError, TemplateError
from gavelkit.core.protocols import Entry
from gavelkit.reports import RenderPrompt, export_csv, export_jsonl, replace_file
from gavelkit.reports.export_jsonl import Cost
from gavelkit.run.asked_again import asked_again
from gavelkit.run.cost import cost_of, recorded_price
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
            return export_jsonl(reader.entries(), stream, prompt=render, cost=judgment_cost(reader))
    finally:
        reader.close()


def prompt_renderer(reader: RunReader) -> RenderPrompt:
    """What was sent for a judgment, rendered again from the record and checked against the call's key.

    Of several steps it is the last one's whole conversation.
    """
    again = {judge.name: asked_again(judge.name, judge.asks) for judge in reader.judges}

    def render(entry: Entry) -> str | None:
        judgment = entry.judgment
        if not entry.example.responses.keys() >= {*judgment.slot.systems}:
            return None  # a system never answered, so nothing was asked about its response
        steps = [step for step in judgment.steps if not is_answer(step.name)]
        last = steps[-1] if steps else None
        try:
            requests = again[judgment.slot.judge](judgment, entry.example)
        except (TemplateError, DataError, UnicodeEncodeError):
            return None
        request = next(iter(requests.values()), None) if last is None else requests.get(last.name)
        if request is None or (last is not None and reader.key(last.completion.call) != request.key):
            return None
        return "\n\n".join(message.content for message in request.messages)

    return render


def judgment_cost(reader: RunReader) -> Cost:
    """What each judgment's replies cost, at the prices that the run recorded."""
    prices = {judge.name: recorded_price(reader.meta, judge.name, model=judge.model)[0] for judge in reader.judges}

    def cost(entry: Entry) -> float | None:
        price = prices[entry.judgment.slot.judge]
        return None if price is None else cost_of((step.completion for step in entry.judgment.steps), price)

    return cost
