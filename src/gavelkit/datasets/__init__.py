"""Files and rows in memory become examples, lazily and in order."""

from gavelkit.datasets.joined import JoinedSource, joined_source
from gavelkit.datasets.mapping import RowMapping
from gavelkit.datasets.source import Source, open_source, refuse_duplicates, rows_source

__all__ = ["JoinedSource", "RowMapping", "Source", "joined_source", "open_source", "refuse_duplicates", "rows_source"]
