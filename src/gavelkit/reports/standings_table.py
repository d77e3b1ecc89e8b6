"""The standings of systems compared, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.standings import Contests, Standing
from gavelkit.reports.columns import Columns
from gavelkit.reports.figures import counted
from gavelkit.reports.standings import (
    LEGEND,
    bounds,
    interval_title,
    missing,
    rank,
    rate,
    rate_ends,
    record,
    steadiness,
    strength,
    strength_ends,
)
from gavelkit.reports.terminal import printable, wrapped

_BELOW = " " * 6


def standings_table(contests: Contests, *, width: int) -> Iterator[str]:
    """A row for each system by rank, then how steady the judge was and why a number is missing."""
    failed = f", {contests.failed:,} failed" if contests.failed else ""
    judged = f"{counted(contests.contests, 'contest')} judged{failed}"
    yield from wrapped(f"standings by {printable(contests.judge)}: {judged}", width)
    title = interval_title(contests)
    titles = ["win rate", title, "won-tied-lost", "failed", "strength", title]
    rows = [_cells(each) for each in contests.standings]
    labels = [f"{rank(each):>4}  {printable(each.system)}" for each in contests.standings]
    columns = Columns.of([titles, *rows], ["rank  system", *labels], width=width)
    yield from columns.lines("rank  system", titles)
    for each, label, cells in zip(contests.standings, labels, rows, strict=True):
        yield from columns.lines(label, cells)
        if told := bounds(each):
            yield from wrapped(told, width, indent=_BELOW)
    for text in (*steadiness(contests), *missing(contests), LEGEND):
        yield from wrapped(printable(text), width, indent="  ")


def _cells(standing: Standing) -> list[str]:
    return [
        rate(standing.win_rate.value),
        rate_ends(standing.win_rate.interval),
        record(standing),
        f"{standing.failed:,}",
        strength(standing.strength.value),
        strength_ends(standing.strength.interval),
    ]
