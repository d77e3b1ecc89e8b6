"""What a judge's contests come to, as text for any format. Nothing here is escaped."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.interval import Interval
from gavelkit.core.standings import Contests, Figure, Standing
from gavelkit.reports.figures import counted, number, percent
from gavelkit.reports.judge_lines import shares, told_level

LEGEND = (
    "win rate: of its contests, with half the ties, the mean over the rows. strength: Bradley and Terry's, 400 for a "
    "factor of ten in the odds, 1000 on average."
)
_DECIMALS = 3
_LARGE = 1e6


def interval_title(contests: Contests) -> str:
    """The title of an interval's column, with its level."""
    found = (each.win_rate.interval for each in contests.standings)
    return next((told_level(interval) for interval in found if interval), "95 % interval")


def rank(standing: Standing) -> str:
    """The rank, `-` without a verdict."""
    return "-" if standing.rank is None else str(standing.rank)


def rate(value: float | None) -> str:
    """A win rate, `-` where there is none."""
    return number(value, _DECIMALS)


def rate_ends(interval: Interval | None) -> str:
    """The ends of a win rate's interval."""
    return "-" if interval is None else f"{rate(interval.low)} to {rate(interval.high)}"


def strength(value: float | None) -> str:
    """A strength or a rating in whole points, `-` where there is none."""
    return number(value) if value is None or abs(value) >= _LARGE else f"{value:z.0f}"


def strength_ends(interval: Interval | None) -> str:
    """The ends of a strength's interval."""
    return "-" if interval is None else f"{strength(interval.low)} to {strength(interval.high)}"


def record(standing: Standing) -> str:
    """Wins, ties and losses."""
    return f"{standing.wins}-{standing.ties}-{standing.losses}"


def bounds(standing: Standing) -> str:
    """The win rate were what failed lost, or won; empty where nothing failed."""
    if not standing.failed:
        return ""
    failed = counted(standing.failed, "failed contest")
    return f"{rate(standing.worst)} to {rate(standing.best)} were its {failed} lost or won"


def steadiness(contests: Contests) -> Iterator[str]:
    """How steady the judge was, a line for each figure."""
    yield _share("position bias", contests.position_bias, "contests read in both orders changed their winner")
    yield _share("consistency", contests.consistency, "kept it")
    yield _share("first position", contests.first_position, "readings with a winner named the response shown first")


def missing(contests: Contests) -> Iterator[str]:
    """Why a number is missing, once for each reason, and of whom where it is not missing for all."""
    for title in ("win rate", "strength"):
        reasons: dict[str, list[str]] = {}
        for each in contests.standings:
            figure = each.win_rate if title == "win rate" else each.strength
            if figure.reason:
                reasons.setdefault(figure.reason, []).append(each.system)
        for reason, systems in reasons.items():
            of = "" if len(systems) == len(contests.standings) else f" of {', '.join(systems)}"
            yield f"{title}{of}: {reason}"
    if contests.unsettled and any(each.strength.interval for each in contests.standings):
        yield f"strength: {contests.unsettled:,} of {contests.resamples:,} resamples determine none and are left out"


def _share(title: str, figure: Figure, of: str) -> str:
    if figure.value is None:
        return f"{title}: {figure.reason}"
    within = f" ({told_level(figure.interval)} {shares(figure.interval)})" if figure.interval else ""
    return f"{title} {percent(figure.value)}{within}: {round(figure.value * figure.n):,} of {figure.n:,} {of}"
