"""The run's record: one SQLite file in the run's folder, written by one thread, read by anybody."""

from gavelkit.storage.reader import RunReader, open_reader
from gavelkit.storage.record import RunRecord

__all__ = ["RunReader", "RunRecord", "open_reader"]
