"""The standings of systems compared, in the HTML report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gavelkit.core.standings import Contests, Standing
from gavelkit.reports.html_chart import whisker
from gavelkit.reports.html_text import inline, plain
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

_SHARE = (0.0, 1.0)


def standings_html(every: Sequence[Contests]) -> Iterator[str]:
    """Judge by judge: a table by rank, then how steady the judge was and why a number is missing."""
    for contests in every:
        yield f"<section><h3>{inline(contests.judge)}</h3>"
        yield from _table(contests)
        notes = (f"<li>{inline(text)}</li>" for text in (*steadiness(contests), *missing(contests)))
        yield f"<ul>{''.join(notes)}</ul></section>"
    if every:
        yield f'<p class="quiet">{plain(LEGEND)} Elo rests on the order of the contests. average: over opponents.</p>'


def _table(contests: Contests) -> Iterator[str]:
    interval = interval_title(contests)
    titles = ["rank", "system", "win rate", interval, "from 0 to 1", "at worst", "at best", "won-tied-lost", "failed"]
    titles += ["strength", interval, "Elo", "average win rate"]
    label = plain(f"Standings by {contests.judge}")
    yield f'<div class="wide" role="region" aria-label="{label}" tabindex="0"><table class="numbers"><thead><tr>'
    yield "".join(f'<th scope="col" class="{_side(title)}">{plain(title)}</th>' for title in titles)
    yield "</tr></thead><tbody>"
    yield from (f"<tr>{_cells(each)}</tr>" for each in contests.standings)
    yield "</tbody></table></div>"


def _cells(standing: Standing) -> str:
    rated, points = standing.win_rate, standing.strength
    numbers = [
        f"<strong>{rate(rated.value)}</strong>",
        rate_ends(rated.interval),
        whisker(rated.value, rated.interval, _SHARE),
        *(rate(standing.worst), rate(standing.best), record(standing), f"{standing.failed:,}"),
        *(strength(points.value), strength_ends(points.interval)),
        *(strength(standing.elo), rate(standing.average_win_rate)),
    ]
    return "".join(
        [
            f'<td class="number">{rank(standing)}</td><th scope="row">{inline(standing.system)}</th>',
            *(f'<td class="number">{text}</td>' for text in numbers),
        ]
    )


def _side(title: str) -> str:
    return "text" if title == "system" else "number"
