"""How one endpoint, model and key is tried before a run. It tells keys apart, and neither holds nor shows one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from gavelkit.core.completion import Completion


@dataclass(frozen=True, slots=True)
class Probe:
    """A tiny request of a judge's, and what to say where it fails.

    `account` differs where the endpoint or the key does. `key_variable` names the variable whose key is sent, empty
    where none is set; `key_variables` are all that are looked at, none where no key is sent. `ask` raises CallError;
    `models` names what the endpoint offers, nothing where it does not say. `reopen` forgets that it failed in an
    earlier run. `wanted` is False where a user wants no such request. `engine` is the setting that says how it is
    called, `address` the one that holds its URL, `whose` the words for who asks it where that is no judge, and
    `as_chat` how its users write that it is a chat.
    """

    judge: str
    model: str
    api_base: str
    account: str
    key_variable: str
    key_variables: tuple[str, ...]
    ask: Callable[[], Awaitable[Completion]]
    models: Callable[[], Awaitable[Sequence[str]]]
    reopen: Callable[[], None] = lambda: None
    wanted: bool = True
    engine: str = "openai_chat"
    address: str = "api_base"
    whose: str = ""
    as_chat: str = "engine: openai_chat"
