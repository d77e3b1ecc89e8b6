"""How many tokens a request may take, before anybody has counted them."""

from __future__ import annotations

from typing import Final

from gavelkit.core.message import Parameters, Request

CHARACTERS_PER_TOKEN: Final = 4
"""An estimate that holds for English; other languages and code take more tokens."""
LIMITS: Final = ("max_tokens", "max_completion_tokens")
"""The names of the limit on a reply's tokens."""


def prompt_tokens(request: Request) -> int:
    """An estimate by the messages' characters."""
    return -(-sum(len(message.content) for message in request.messages) // CHARACTERS_PER_TOKEN)


def token_limits(parameters: Parameters) -> dict[str, int]:
    """The limits on a reply's tokens that are set, by name."""
    found = {name: parameters.values.get(name) for name in LIMITS}
    return {name: value for name, value in found.items() if isinstance(value, int) and not isinstance(value, bool)}
