"""Run any LLM judge over saved model outputs, see why it said so, and know how far to trust it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gavelkit.config.assemble import judge
    from gavelkit.config.door import evaluate, evaluate_async
    from gavelkit.core.completion import Completion
    from gavelkit.core.errors import (
        CallError,
        ConfigError,
        DataError,
        EndpointError,
        GavelError,
        Interrupted,
        RunFailed,
        StorageError,
        TemplateError,
        UsageError,
    )
    from gavelkit.core.failure import FailureKind
    from gavelkit.core.report import Metric, Report
    from gavelkit.core.status import Status
    from gavelkit.engines.scripted import ScriptedEngine

__version__ = "0.1.0"

_HOMES = {
    "CallError": "core.errors",
    "Completion": "core.completion",
    "ConfigError": "core.errors",
    "DataError": "core.errors",
    "EndpointError": "core.errors",
    "FailureKind": "core.failure",
    "GavelError": "core.errors",
    "Interrupted": "core.errors",
    "Metric": "core.report",
    "Report": "core.report",
    "RunFailed": "core.errors",
    "ScriptedEngine": "engines.scripted",
    "Status": "core.status",
    "StorageError": "core.errors",
    "TemplateError": "core.errors",
    "UsageError": "core.errors",
    "evaluate": "config.door",
    "evaluate_async": "config.door",
    "judge": "config.assemble",
}

__all__ = [
    "CallError",
    "Completion",
    "ConfigError",
    "DataError",
    "EndpointError",
    "FailureKind",
    "GavelError",
    "Interrupted",
    "Metric",
    "Report",
    "RunFailed",
    "ScriptedEngine",
    "Status",
    "StorageError",
    "TemplateError",
    "UsageError",
    "evaluate",
    "evaluate_async",
    "judge",
]


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
