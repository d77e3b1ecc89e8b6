"""Ways to reach a model, and what is wrapped round them: retry, a ceiling on calls in flight, stored replies."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gavelkit.engines.batch import BatchedEngine, batched_engine
    from gavelkit.engines.callable import CallableEngine
    from gavelkit.engines.ceiling import Ceiling
    from gavelkit.engines.clock import SystemClock
    from gavelkit.engines.http import HttpClient
    from gavelkit.engines.openai_chat import HttpClients, OpenAIChat
    from gavelkit.engines.recorded import RecordedEngine
    from gavelkit.engines.replay import Replaying, StoredOnly
    from gavelkit.engines.retry import Retrying, RetryPolicy
    from gavelkit.engines.scripted import ScriptedEngine

_HOMES = {
    "BatchedEngine": "batch",
    "CallableEngine": "callable",
    "Ceiling": "ceiling",
    "HttpClient": "http",
    "HttpClients": "openai_chat",
    "OpenAIChat": "openai_chat",
    "RecordedEngine": "recorded",
    "Replaying": "replay",
    "RetryPolicy": "retry",
    "Retrying": "retry",
    "ScriptedEngine": "scripted",
    "StoredOnly": "replay",
    "SystemClock": "clock",
    "batched_engine": "batch",
}

__all__ = [
    "BatchedEngine",
    "CallableEngine",
    "Ceiling",
    "HttpClient",
    "HttpClients",
    "OpenAIChat",
    "RecordedEngine",
    "Replaying",
    "RetryPolicy",
    "Retrying",
    "ScriptedEngine",
    "StoredOnly",
    "SystemClock",
    "batched_engine",
]


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(f"{__name__}.{home}"), name)
