"""The standings of systems compared, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.standings import Contests, Standing
from gavelkit.reports.markdown_text import escaped, table_row
from gavelkit.reports.standings import (
    LEGEND,
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


def standings_markdown(contests: Contests) -> Iterator[str]:
    """A heading, a table by rank, then how steady the judge was and why a number is missing."""
    yield f"### Standings by {escaped(contests.judge)}"
    yield ""
    title = interval_title(contests)
    titles = ["rank", "system", "win rate", title, "at worst", "at best", "won-tied-lost", "failed", "strength", title]
    yield table_row(titles)
    yield table_row(["---:", "---", *["---:"] * (len(titles) - 2)])
    yield from (table_row(_cells(each)) for each in contests.standings)
    yield ""
    yield escaped(LEGEND)
    yield ""
    yield from (f"- {escaped(text)}" for text in (*steadiness(contests), *missing(contests)))


def _cells(standing: Standing) -> list[str]:
    return [
        *(rank(standing), escaped(standing.system)),
        *(rate(standing.win_rate.value), rate_ends(standing.win_rate.interval)),
        *(rate(standing.worst), rate(standing.best)),
        *(record(standing), f"{standing.failed:,}"),
        *(strength(standing.strength.value), strength_ends(standing.strength.interval)),
    ]
