"""Ways to reach a model, and what is wrapped round them: retry, a ceiling on calls in flight, stored replies."""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "CallableEngine": "callable",
    "Ceiling": "ceiling",
    "HttpClient": "http",
    "OpenAIChat": "openai_chat",
    "RecordedEngine": "recorded",
    "Replaying": "replay",
    "RetryPolicy": "retry",
    "Retrying": "retry",
    "ScriptedEngine": "scripted",
    "StoredOnly": "replay",
    "SystemClock": "clock",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a table of lazy names, so that a run without a network loads no client


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{home}"), name)
