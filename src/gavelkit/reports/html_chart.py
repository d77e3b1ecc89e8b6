"""The drawings of the HTML report: inline SVG without a style of its own, so that the page's policy can be strict."""

from __future__ import annotations

from collections.abc import Sequence

from gavelkit.core.interval import Interval
from gavelkit.reports.figures import counted
from gavelkit.reports.html_text import plain
from gavelkit.reports.page import Bar, Histogram
from gavelkit.reports.terminal import shortened

_WIDTH, _HEIGHT = 440, 168
_TOP, _BOTTOM = 18, 142
_MOST_LABELS = 12
_WIDEST_BAR = 72
_LABEL_ROOM = 5.6  # the width of a character of a label


def histogram(drawn: Histogram, *, number: int, most: int) -> str:
    """The bars of a histogram, each with its count; `most` is the count that fills the height."""
    step = _WIDTH / max(1, len(drawn.bars))
    # More labels than fit: every second or third.
    every = -(-len(drawn.bars) // _MOST_LABELS)
    bars = "".join(
        _bar(bar, at * step, step, height=(_BOTTOM - _TOP) * bar.count / max(1, most), label=at % every == 0)
        for at, bar in enumerate(drawn.bars)
    )
    return (
        f'<svg class="histogram" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-labelledby="histogram-{number} histogram-{number}-counts">'
        f'<title id="histogram-{number}">Scores of {_named(drawn)}</title>'
        f'<desc id="histogram-{number}-counts">{plain(_told(drawn.bars))}</desc>'
        f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{_BOTTOM}" y2="{_BOTTOM}"/>{bars}</svg>'
    )


def whisker(value: float | None, interval: Interval | None, scale: tuple[float, float]) -> str:
    """A mean and its interval on their scale, beside the numbers that say the same."""
    if value is None:
        return ""
    ends = (interval.low, interval.high) if interval else (value, value)
    low, high, mean = (_place(each, scale) for each in (*ends, value))
    return (
        '<svg class="whisker" viewBox="0 0 120 16" width="120" height="16" aria-hidden="true">'
        '<line class="axis" x1="4" x2="116" y1="8" y2="8"/>'
        '<line class="axis" x1="4" x2="4" y1="5" y2="11"/><line class="axis" x1="116" x2="116" y1="5" y2="11"/>'
        f'<rect class="interval" x="{low:.1f}" y="5" width="{max(1.0, high - low):.1f}" height="6"/>'
        f'<circle class="mean" cx="{mean:.1f}" cy="8" r="3.5"/></svg>'
    )


def _bar(bar: Bar, left: float, step: float, *, height: float, label: bool) -> str:
    middle = left + step / 2
    gap = max(min(3.0, step / 6), (step - _WIDEST_BAR) / 2)
    drawn = (
        f"<g><title>{plain(bar.told)}: {bar.count:,}</title>"
        f'<rect class="bar" x="{left + gap:.1f}" y="{_BOTTOM - height:.1f}"'
        f' width="{step - 2 * gap:.1f}" height="{height:.1f}"/>'
    )
    if bar.count:
        drawn += f'<text class="count" x="{middle:.1f}" y="{_BOTTOM - height - 5:.1f}">{_short(bar.count)}</text>'
    if label:
        # A label may run over the bars that have none, and is shortened beyond that.
        fitting = max(3, int(max(step, _WIDTH / _MOST_LABELS) / _LABEL_ROOM))
        shown = plain(shortened(bar.label, fitting))
        drawn += f'<text class="place" x="{middle:.1f}" y="{_BOTTOM + 16}">{shown}</text>'
    return drawn + "</g>"


def _short(count: int) -> str:
    """A count in the width of a bar: 950, 12k, 3M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= unit * 10 or (count >= unit and letter == "M"):
            return f"{count / unit:.0f}{letter}"
    return str(count)


def _named(drawn: Histogram) -> str:
    return plain(f"{drawn.judge} on {drawn.system}" if drawn.system else drawn.judge)


def _told(bars: Sequence[Bar]) -> str:
    met = [f"{bar.told}: {bar.count:,}" for bar in bars if bar.count]
    total = counted(sum(bar.count for bar in bars), "score")
    return f"{total}. {'; '.join(met)}"


def _place(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    if high <= low:
        return 4.0
    share = (value / 2 - low / 2) / (high / 2 - low / 2)
    return 4 + 112 * max(0.0, min(1.0, share))
