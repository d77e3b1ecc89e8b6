"""Files and rows in memory become examples, lazily and in order."""

from gavelkit.datasets.mapping import RowMapping
from gavelkit.datasets.source import Source, open_source, refuse_duplicates, rows_source

__all__ = ["RowMapping", "Source", "open_source", "refuse_duplicates", "rows_source"]
