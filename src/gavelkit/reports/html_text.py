"""Data on its way into HTML: escaped, isolated, and its hidden characters made visible. Everything passes here."""

from __future__ import annotations

import html
import json

from gavelkit.reports.terminal import printable
from gavelkit.reports.wellformed import plain_json

_LONGEST_LINE = 2_000
_MOST_CHARACTERS = 20_000  # a reply may hold megabytes; nobody reads them on a page


def inline(text: str) -> str:
    """A name or message within a line. Its direction does not touch what stands beside it."""
    return f"<bdi>{plain(text)}</bdi>"


def plain(text: str) -> str:
    """A text on one line, for attributes and for elements that take no other; cut where it is no line any more."""
    shown = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
    return html.escape(printable(shown))


def block(text: str) -> str:
    """A text of many lines as it is, cut where it is very long."""
    shown = html.escape(printable(text[:_MOST_CHARACTERS], lines=True))
    left = len(text) - _MOST_CHARACTERS
    cut = f'<p class="quiet">{left:,} more characters; <code>gavel export</code> has them all.</p>' if left > 0 else ""
    # HTML drops a line feed that follows <pre> at once.
    return f'<pre dir="auto">\n{shown}</pre>{cut}'


def as_text(value: object) -> str:
    """A value of the data as text: strings as they are, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(plain_json(value), ensure_ascii=False, indent=2)
