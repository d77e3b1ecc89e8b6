"""Examples and judges become a report: the plan, the pool, the record's order of events."""

from gavelkit.run.evaluate import evaluate_async, reparse_async
from gavelkit.run.folder import default_folder, find_run, next_free, pointing
from gavelkit.run.loop import on_loop
from gavelkit.run.settings import RunSettings
from gavelkit.run.stop import Stop

__all__ = [
    "RunSettings",
    "Stop",
    "default_folder",
    "evaluate_async",
    "find_run",
    "next_free",
    "on_loop",
    "pointing",
    "reparse_async",
]
