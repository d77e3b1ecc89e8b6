"""What an engine brings back: the reply word for word, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None where it did not say, never 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """One place of a reply: what stands there, and the natural logarithms of the probabilities the endpoint listed."""

    text: str
    top: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply.

    `reasoning` is what the server sent apart from the reply; `served_model` what it says it ran; `effective` the
    parameters that were sent otherwise than asked, with what was sent (None: left out); `seconds` the wall time of
    the call; `attempts` the requests it took. `call` is its number in the record, 0 where none is kept; `replayed`
    tells a stored reply. `logprobs` are the reply's tokens in order, none where they were not asked for or not sent.
    """

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish_reason: str = ""
    served_model: str = ""
    usage: Usage = Usage()
    effective: Mapping[str, object] | None = None
    seconds: float = 0.0
    attempts: int = 1
    call: int = 0
    replayed: bool = False
    logprobs: tuple[Token, ...] = ()

    def stored(self, call: int) -> Completion:
        """The same reply with its number in the record."""
        return Completion(
            self.text,
            self.reasoning,
            self.refusal,
            self.finish_reason,
            self.served_model,
            self.usage,
            self.effective,
            self.seconds,
            self.attempts,
            call,
            self.replayed,
            self.logprobs,
        )

    @property
    def cut(self) -> bool:
        """True where the reply ended at its token limit."""
        return self.finish_reason in {"length", "max_tokens"}
