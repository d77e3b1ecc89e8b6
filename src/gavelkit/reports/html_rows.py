"""The telling rows of the HTML report: what was asked, answered and said, each a click away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.reports.figures import counted, number
from gavelkit.reports.html_summary import named
from gavelkit.reports.html_text import as_text, block, inline, plain
from gavelkit.reports.page import Difference, Opinion, Page, TellingRow, TellingRows

_EVEN = 0.5
_PASSED = {None: "", True: "passed", False: "not passed"}
_START = 160  # characters of an explanation that stand on the closed row


def telling_rows(page: Page) -> Iterator[str]:
    """Judge by judge: the lowest, the highest, and those that failed."""
    names = {judge.name: named(judge) for judge in page.report.judges}
    for rows in page.telling:
        yield f"<section><h3>{names.get(rows.judge) or inline(rows.judge)}</h3>"
        low, high = _ends(rows)
        for title, found in ((low, rows.lowest), (high, rows.highest), (_failed_title(rows), rows.failed)):
            if found:
                yield f"<h4>{title}</h4>"
                yield from (_row(row) for row in found)
        if not (rows.lowest or rows.failed):
            yield "<p>Nothing was judged yet.</p>"
        yield "</section>"


def differences(page: Page) -> Iterator[str]:
    """The responses on which judges differ, the widest first."""
    names = {judge.name: named(judge) for judge in page.report.judges}
    return (_difference(each, names) for each in page.differences)


def _ends(rows: TellingRows) -> tuple[str, str]:
    first = next(iter(rows.lowest), None)
    if first is None or len(first.entry.judgment.slot.systems) == 1:
        return "Lowest", "Highest"
    return "The second of two systems ahead", "The first of two systems ahead"


def _failed_title(rows: TellingRows) -> str:
    return "Failed" if rows.failures == len(rows.failed) else f"Failed: {len(rows.failed)} of {rows.failures:,}"


def _row(row: TellingRow) -> str:
    judgment = row.entry.judgment
    where = " · ".join(filter(None, (_where(row.entry), _PASSED[judgment.passed])))
    inside = f'<div class="two"><div>{_answered(row.entry)}</div><div>{_said(row)}</div></div>'
    return _details(_chip(judgment), where, plain(_start(judgment)), inside)


def _difference(each: Difference, names: Mapping[str, str]) -> str:
    entry = each.opinions[0].row.entry
    told = " · ".join(f"{inline(opinion.judge)} {number(opinion.score)}" for opinion in each.opinions)
    opinions = "".join(
        _opinion(opinion, names.get(opinion.judge) or inline(opinion.judge)) for opinion in each.opinions
    )
    inside = f'<div class="two"><div>{_answered(entry)}</div><div>{opinions}</div></div>'
    chip = f'<span class="chip" title="difference on 0 to 1">{number(each.gap)}</span>'
    return _details(chip, _where(entry), told, inside)


def _opinion(opinion: Opinion, name: str) -> str:
    title = f"{name}: {number(opinion.score)}, {number(opinion.share)} on 0 to 1"
    return f"<h5>{title}</h5>{_said(opinion.row)}"


def _details(chip: str, where: str, told: str, inside: str) -> str:
    line = f'{chip}<span class="where">{where}</span><span class="told">{told}</span>'
    return f'<details class="row"><summary>{line}</summary><div class="inside">{inside}</div></details>'


def _chip(judgment: Judgment) -> str:
    if judgment.score is None:
        return f'<span class="chip bad">{judgment.status}</span>'
    return f'<span class="chip">{_verdict(judgment.slot, judgment.score)}</span>'


def _verdict(slot: Slot, score: float) -> str:
    """A score; of a contest who won, with the first system's share where that is not plain."""
    if len(slot.systems) == 1:
        return number(score)
    if score == _EVEN:
        return "tie"
    won = f"{inline(slot.systems[0] if score > _EVEN else slot.systems[1])} won"
    return won if score in {0.0, 1.0} else f"{won}, {number(score)}"


def _where(entry: Entry) -> str:
    slot = entry.judgment.slot
    named = " vs ".join(inline(system) for system in slot.systems if system)
    parts = [f"<b>{inline(slot.example_id)}</b>", named, f"repeat {slot.repeat}" if slot.repeat else ""]
    return " · ".join(part for part in parts if part)


def _start(judgment: Judgment) -> str:
    """The first words that say why."""
    explanation = judgment.grade.explanation if judgment.grade else ""
    text = judgment.failure.message if judgment.failure else explanation
    words = " ".join(text[: 4 * _START].split())
    return words if len(words) <= _START else f"{words[:_START]}…"


def _answered(entry: Entry) -> str:
    """What was judged: the responses meant, and the references."""
    example, systems = entry.example, entry.judgment.slot.systems
    parts = [
        _titled(f"Response of {inline(system)}" if system else "Response", as_text(example.responses.get(system)))
        for system in systems
    ]
    parts += [_titled("Reference", as_text(reference)) for reference in example.references if reference is not None]
    return "".join(parts)


def _said(row: TellingRow) -> str:
    """What the judge replied, why there is no score, and what it was asked."""
    judgment = row.entry.judgment
    several = len(judgment.steps) > 1
    parts = [_failure(judgment), *(_step(step, several=several) for step in judgment.steps), _explanation(judgment)]
    if row.prompt is None:
        parts.append('<p class="quiet">The prompt can no longer be told from the record.</p>')
    else:
        parts.append(_folded("Prompt", row.prompt))
    return "".join(parts)


def _failure(judgment: Judgment) -> str:
    if judgment.failure is None:
        return ""
    kind = f" ({judgment.failure.kind})" if judgment.failure.kind else ""
    raw = judgment.failure.raw
    seen = any(step.completion.text == raw for step in judgment.steps)
    shown = "" if seen or not raw else _folded("What came back", raw)
    return f'<p class="bad">{judgment.status}{kind}: {inline(judgment.failure.message)}</p>{shown}'


def _step(step: Step, *, several: bool) -> str:
    completion = step.completion
    title = f"Reply, step {inline(step.name)}" if several else "Reply"
    reasoning = _folded("Reasoning", completion.reasoning) if completion.reasoning else ""
    refusal = _titled("Refusal", completion.refusal) if completion.refusal else ""
    return f'{_titled(title, completion.text)}{refusal}<p class="quiet">{_about(step)}</p>{reasoning}'


def _about(step: Step) -> str:
    completion, usage = step.completion, step.completion.usage
    words = [
        inline(completion.served_model) if completion.served_model else "",
        f"ended by {inline(completion.finish_reason)}" if completion.finish_reason else "",
        f"{usage.prompt_tokens:,} tokens in" if usage.prompt_tokens is not None else "",
        f"{usage.completion_tokens:,} tokens out" if usage.completion_tokens is not None else "",
        counted(completion.attempts, "attempt") if completion.attempts > 1 else "",
    ]
    return ", ".join(word for word in words if word)


def _explanation(judgment: Judgment) -> str:
    """The explanation, where it is no piece of the reply."""
    explanation = judgment.grade.explanation if judgment.grade else ""
    if not explanation or any(explanation in step.completion.text for step in judgment.steps):
        return ""
    return _titled("Explanation", explanation)


def _titled(title: str, text: str) -> str:
    return f'<div class="text"><h6>{title}</h6>{block(text)}</div>'


def _folded(title: str, text: str) -> str:
    return f'<details class="text"><summary>{title}</summary>{block(text)}</details>'
