"""Examples and judges become a report: the plan, the pool, the record's order of events."""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "RunSettings": "settings",
    "Stop": "stop",
    "default_folder": "folder",
    "evaluate_async": "evaluate",
    "on_loop": "loop",
    "reparse_async": "evaluate",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a table of lazy names


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{home}"), name)
