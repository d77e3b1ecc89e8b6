"""What a judge's endpoint is tried with before a run. The request's words lie in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gavelkit.catalog import shipped_file
from gavelkit.config.environment import Environment
from gavelkit.config.provider import Provider, is_keyed
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine

_MOST_TOKENS = 16  # enough for "OK", and above the least that some endpoints accept
_LEFT_OUT = frozenset({"format", "response_format", "max_completion_tokens"})
"""An answer in a form does not fit so few tokens."""


def probe_for(
    settings: Mapping[str, Any],
    environment: Environment,
    *,
    name: str,
    model: str,
    provider: Provider,
    engine: Engine,
    reopen: Callable[[], None],
) -> Probe:
    """How to try the endpoint that `provider` calls: through `engine`, so that it is retried as the judge is."""
    values = {key: value for key, value in settings.get("extra_body", {}).items() if key not in _LEFT_OUT}
    parameters = Parameters(model, {**values, "temperature": settings["temperature"], "max_tokens": _MOST_TOKENS})
    words = shipped_file("preflight.txt").read_text(encoding="utf-8").strip()
    request = Request((Message("user", words),), parameters, labels=Labels(judge=name, step="preflight"))
    return Probe(
        judge=name,
        model=model,
        api_base=settings["api_base"],
        account=provider.account,
        key_variable=environment.key_variable(name) if is_keyed(settings) else "",
        key_variables=environment.key_variables(name) if is_keyed(settings) else (),
        ask=partial(engine.complete, request),
        models=provider.models,
        reopen=reopen,
        wanted=settings["preflight_check"],
        engine=settings["engine"],
    )
