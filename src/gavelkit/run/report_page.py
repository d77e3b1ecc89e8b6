"""From the record to the HTML report: the numbers, the histograms and the telling rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gavelkit.core.protocols import Entry
from gavelkit.core.slot import subject
from gavelkit.judges.pairwise import TIE, A, B
from gavelkit.reports import RenderPrompt, render_html
from gavelkit.reports.page import Bar, Difference, Histogram, Opinion, Page, TellingRow, TellingRows
from gavelkit.run.conclude import conclude
from gavelkit.run.export import prompt_renderer
from gavelkit.run.histogram import Bins, bins_for
from gavelkit.run.telling import Apart, OfJudge
from gavelkit.storage import RunReader, open_reader


def html_report(folder: Path) -> str:
    """The run in a folder as one HTML file, finished or not. Raises StorageError."""
    return render_html(report_page(folder))


def report_page(folder: Path) -> Page:
    """What the HTML report of a run shows, gathered in one pass over its record. Raises StorageError."""
    report = conclude(folder)
    reader = open_reader(folder)
    try:
        gathered = _Gathered(reader)
        for entry in reader.entries():
            gathered.add(entry)
        render = prompt_renderer(reader)
        return Page(
            report=report,
            scales=gathered.scales,
            histograms=gathered.histograms(),
            telling=gathered.telling(render),
            differences=gathered.differences(render),
        )
    finally:
        reader.close()


class _Gathered:
    """What one pass leaves: counts, and a bounded number of rows."""

    def __init__(self, reader: RunReader) -> None:
        self._criteria = {judge.name: judge.criterion for judge in reader.judges}
        self._bins: dict[str, dict[tuple[str, ...], Bins]] = {name: {} for name in self._criteria}
        self._rows = {name: OfJudge() for name in self._criteria}
        self._apart = Apart(self._criteria)

    @property
    def scales(self) -> dict[str, tuple[float, float]]:
        scales = {name: criterion.scale for name, criterion in self._criteria.items()}
        return {name: (scale.low, scale.high) for name, scale in scales.items() if scale is not None}

    def add(self, entry: Entry) -> None:
        slot = entry.judgment.slot
        self._rows[slot.judge].add(entry)
        self._apart.add(entry)
        if entry.judgment.score is None:
            return
        bins = self._bins[slot.judge]
        if slot.systems not in bins:
            bins[slot.systems] = bins_for(self._criteria[slot.judge])
        bins[slot.systems].add(entry.judgment)

    def histograms(self) -> tuple[Histogram, ...]:
        return tuple(
            Histogram(judge, subject(systems), tuple(_bars(systems, bins)))
            for judge, by_systems in self._bins.items()
            for systems, bins in by_systems.items()
        )

    def telling(self, render: RenderPrompt) -> tuple[TellingRows, ...]:
        return tuple(
            TellingRows(
                judge,
                lowest=_shown(rows.lowest, render),
                highest=_shown(rows.highest, render),
                failed=_shown(rows.failed, render),
                failures=rows.failures,
            )
            for judge, rows in self._rows.items()
        )

    def differences(self, render: RenderPrompt) -> tuple[Difference, ...]:
        return tuple(
            Difference(
                gap,
                tuple(
                    Opinion(judge, score, share, TellingRow(entry, render(entry)))
                    for judge, score, share, entry in opinions
                ),
            )
            for gap, opinions in self._apart.widest()
        )


def _bars(systems: tuple[str, ...], bins: Bins) -> Iterator[Bar]:
    """The bars; those of a contest by who won."""
    if len(systems) == 1:
        yield from bins.bars()
        return
    won = {A: f"{systems[0]} won", B: f"{systems[1]} won", TIE: "tie"}
    for bar in bins.bars():
        yield Bar(won.get(bar.label, bar.label), won.get(bar.label, bar.told), bar.count)


def _shown(entries: list[Entry], render: RenderPrompt) -> tuple[TellingRow, ...]:
    return tuple(TellingRow(entry, render(entry)) for entry in entries)
