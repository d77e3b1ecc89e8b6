"""One row of the data, as the rest of the flow sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ONLY_SYSTEM = ""
"""The name of the system where a row holds one unnamed response."""


@dataclass(frozen=True, slots=True)
class Uses:
    """Which parts of an example somebody reads: names of fields, and fields of `doc` (None: all of it).

    `everything` is True where a row itself says what is read of it.
    """

    names: frozenset[str] = frozenset()
    doc: frozenset[str] | None = frozenset()
    everything: bool = False

    def __or__(self, other: Uses) -> Uses:
        doc = None if self.doc is None or other.doc is None else self.doc | other.doc
        return Uses(self.names | other.names, doc, self.everything or other.everything)


@dataclass(frozen=True, slots=True)
class Example:
    """One row.

    `fields` holds every column, with the mapped names on top; `doc` is the full document (the row's own `doc`
    column where it has one, else the row); `responses` maps a system's name to what it answered.
    `source` and `line` say where the row stands, for messages.
    """

    id: str
    fields: Mapping[str, Any]
    responses: Mapping[str, Any]
    references: tuple[Any, ...] = ()
    doc: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    line: int = 0

    @property
    def reference(self) -> Any:
        """The one reference, the list of them where there are several, None where there is none."""
        if not self.references:
            return None
        return self.references[0] if len(self.references) == 1 else list(self.references)

    @property
    def place(self) -> str:
        """`file:line` where known, else the row's id."""
        return f"{self.source}:{self.line}" if self.source else f"row {self.id!r}"

    def only(self, uses: Uses) -> Example:
        """The same row without what nobody reads; responses and references always stay."""
        if uses.everything:
            return self
        doc = self.doc if uses.doc is None else {k: v for k, v in self.doc.items() if k in uses.doc}
        fields = {k: v for k, v in self.fields.items() if k in uses.names}
        return Example(self.id, fields, self.responses, self.references, doc, self.source, self.line)
