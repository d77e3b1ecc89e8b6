"""Data on its way into Markdown: on one line, and nothing in it becomes markup, a link or a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gavelkit.reports.terminal import printable

# An underscore between letters or digits is no emphasis.
_PUNCTUATION = re.compile(r"[\\`*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])")
# Bare addresses, mentions and numbers become links after the text was read, so no escape stops it; a comment in
# their middle does.
_AUTOLINK = re.compile(r"[@#]|:(?=/)|/(?=/)|(?<=www)(?=\.)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_BREAK = "<!-- -->"


def escaped(text: str) -> str:
    """The text on one line, as a reader of the rendered page is to see it."""
    pieces = re.split(f"({_AUTOLINK.pattern})", printable(text), flags=re.IGNORECASE)
    # Every second piece is a match: it stays, with a comment behind it.
    return "".join(
        (piece + _BREAK) if at % 2 else _PUNCTUATION.sub(lambda found: f"&#{ord(found[0])};", piece)
        for at, piece in enumerate(pieces)
    )


def table_row(cells: Sequence[str]) -> str:
    """A row of a table, its cells escaped before."""
    return f"| {' | '.join(cells)} |"
