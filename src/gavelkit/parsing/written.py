"""The promise of every writer: what it wrote reads back."""

from __future__ import annotations

from gavelkit.core.errors import ParseError
from gavelkit.core.grade import Grade
from gavelkit.core.protocols import Parser


def proven(parser: Parser, text: str, grade: Grade) -> str:
    """The text, where the parser reads it back as the grade. Raises ValueError where it does not."""
    try:
        found = parser.parse(text)
    except ParseError as error:
        message = f"the reader {parser.name} cannot carry {grade}: {error}"
        raise ValueError(message) from error
    if found != grade:
        message = f"the reader {parser.name} cannot carry {grade}: it would read back as {found}"
        raise ValueError(message)
    return text


def reasoned(explanation: str, verdict: str) -> str:
    """The explanation, then the verdict on a line of its own."""
    return f"{explanation}\n\n{verdict}" if explanation else verdict
