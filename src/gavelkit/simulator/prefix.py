"""How much of a prompt a provider would have kept from the one before it."""

from __future__ import annotations

from gavelkit.simulator.chat import CHARACTERS_PER_TOKEN

_FEWEST_TOKENS = 1024
_STEP_TOKENS = 128


class PrefixCache:
    """Remembers the last prompt of each model. As is usual, it counts from 1,024 tokens, in steps of 128."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def cached_tokens(self, model: str, prompt: str) -> int:
        """How many tokens at the prompt's beginning were those of the last one."""
        if len(prompt) < _FEWEST_TOKENS * CHARACTERS_PER_TOKEN:
            return 0
        last, self._last[model] = self._last.get(model, ""), prompt
        step = _STEP_TOKENS * CHARACTERS_PER_TOKEN
        shared = 0
        while len(last) >= shared + step and prompt.startswith(last[shared : shared + step], shared):
            shared += step
        kept = shared // CHARACTERS_PER_TOKEN
        return kept if kept >= _FEWEST_TOKENS else 0
