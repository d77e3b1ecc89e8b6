"""Ways to reach a model, and what is wrapped round them: retry, a ceiling on calls in flight, stored replies."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gavelkit.engines.batch import BatchedEngine, batched_engine
    from gavelkit.engines.budget import Budget, Ledger
    from gavelkit.engines.callable import CallableEngine
    from gavelkit.engines.ceiling import Ceiling
    from gavelkit.engines.clock import SystemClock
    from gavelkit.engines.entrance import GateRules
    from gavelkit.engines.gate import Gate, Gated
    from gavelkit.engines.http import HttpClient
    from gavelkit.engines.ollama import Ollama
    from gavelkit.engines.openai_chat import OpenAIChat
    from gavelkit.engines.openai_completions import OpenAICompletions
    from gavelkit.engines.openai_endpoint import HttpClients
    from gavelkit.engines.recorded import RecordedEngine
    from gavelkit.engines.repair import Repairing, RepairMemory
    from gavelkit.engines.replay import Replaying, StoredOnly
    from gavelkit.engines.retry import Retrying, RetryPolicy
    from gavelkit.engines.scripted import ScriptedEngine
    from gavelkit.engines.second_try import SecondTry

_HOMES = {
    "BatchedEngine": "batch",
    "Budget": "budget",
    "CallableEngine": "callable",
    "Ceiling": "ceiling",
    "Gate": "gate",
    "GateRules": "entrance",
    "Gated": "gate",
    "HttpClient": "http",
    "HttpClients": "openai_endpoint",
    "Ledger": "budget",
    "Ollama": "ollama",
    "OpenAIChat": "openai_chat",
    "OpenAICompletions": "openai_completions",
    "RecordedEngine": "recorded",
    "RepairMemory": "repair",
    "Repairing": "repair",
    "Replaying": "replay",
    "RetryPolicy": "retry",
    "Retrying": "retry",
    "ScriptedEngine": "scripted",
    "SecondTry": "second_try",
    "StoredOnly": "replay",
    "SystemClock": "clock",
    "batched_engine": "batch",
}

__all__ = [
    "BatchedEngine",
    "Budget",
    "CallableEngine",
    "Ceiling",
    "Gate",
    "GateRules",
    "Gated",
    "HttpClient",
    "HttpClients",
    "Ledger",
    "Ollama",
    "OpenAIChat",
    "OpenAICompletions",
    "RecordedEngine",
    "RepairMemory",
    "Repairing",
    "Replaying",
    "RetryPolicy",
    "Retrying",
    "ScriptedEngine",
    "SecondTry",
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
