"""context-bench's OpenAIProxy: a model behind an OpenAI-compatible endpoint as the system that is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from gavelkit.config.own_key import OwnKey, reach
from gavelkit.config.surroundings import of_process
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, ConfigError
from gavelkit.core.event import ignore
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.core.threads import in_thread
from gavelkit.integrations.context_bench_identity import name_of
from gavelkit.run import on_loop

T = TypeVar("T")
BuildMessages = Callable[[dict[str, Any]], Iterable[Mapping[str, str]]]
"""From an example to its messages, each with `role` and `content`."""

KEY: Final = "OPENAI_API_KEY"
_MOST_AT_ONCE: Final = 256  # whoever evaluates says how many really are
_LONGEST_WAIT: Final = 60.0
_OURS: Final = frozenset({"messages", "stream"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's output, the seconds that its calls took, and how many requests they were."""

    processed: Any
    seconds: float
    requests: int = 1


class OpenAIProxy:
    """Asks the model behind `{base_url}/v1/chat/completions`: the question as the user, with the context as the system.

    `system_prompt` comes before the context; `build_messages` makes the messages from an example instead.
    Without an `api_key` that of `OPENAI_API_KEY` is sent, where there is one. `timeout` is in seconds, `extra_body`
    further fields of each request. A failure that may pass is tried again `max_retries` times, the waits growing from
    `retry_base_delay` seconds. Raises ConfigError for an address or a key that cannot be used.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the signature that context-bench's users know
        self,
        base_url: str,
        model: str = "gpt-3.5-turbo",
        name: str | None = None,
        api_key: str | None = None,
        system_prompt: str | None = None,
        build_messages: BuildMessages | None = None,
        timeout: float = 30.0,
        extra_body: Mapping[str, Any] | None = None,
        max_retries: int = 3,
        retry_base_delay: float = 1.0,
    ) -> None:
        self.base_url = base_url.removesuffix("/")
        self.model = model
        self._name = name or f"{model}@{urlsplit(base_url).netloc}"
        self._system_prompt = system_prompt
        self._build_messages = build_messages
        self._parameters = Parameters(model, _extra(extra_body))
        self._engine, self.probes = reach_bench(
            self.base_url,
            model,
            api_key=api_key or os.environ.get(KEY),
            name=self._name,
            whose=f"the system {self._name!r}",
            timeout=timeout,
            extra_body=_extra(extra_body),
            retry_attempts=max_retries,
            retry_min_wait=float(retry_base_delay),
            retry_max_wait=max(_LONGEST_WAIT, float(retry_base_delay)),
        )

    def __repr__(self) -> str:
        return f"OpenAIProxy({self.base_url!r}, model={self.model!r}, name={self._name!r})"

    @property
    def name(self) -> str:
        """The name given, else `model@host`."""
        return self._name

    @property
    def identity(self) -> dict[str, object]:
        """What shapes its answers, beside its name: where it asks, and what."""
        build = self._build_messages
        return {
            "base_url": self.base_url,
            "asked": self._parameters.text,
            "system_prompt": self._system_prompt,
            "build_messages": None if build is None else name_of(build),
        }

    def process(self, example: dict[str, Any]) -> dict[str, Any]:
        """`response`, and `api_usage` where the endpoint counted tokens. Raises RuntimeError where none comes."""
        return _waited(self._single(example))

    def process_conversation(self, turns: Sequence[Mapping[str, str] | str]) -> list[dict[str, str]]:
        """The whole conversation: each of the user's messages, and the reply to it. Raises RuntimeError."""
        messages, _ = _waited(self._conversation(turns))
        return [{"role": message.role, "content": message.content} for message in messages]

    async def answer(self, example: dict[str, Any]) -> Answer:
        """What an example comes to, several turns or one. Raises CallError."""
        if not (example.get("multi_turn") and "turns" in example):
            completion = await self._ask(await self._messages(example))
            return Answer({"response": completion.text, **_counted([completion])}, *_took([completion]))
        messages, completions = await self._conversation(example["turns"])
        responses = [message.content for message in messages if message.role == "assistant"]
        told = {"response": responses[-1] if responses else "", "turn_responses": responses}
        return Answer({**told, **_counted(completions)}, *_took(completions))

    def messages(self, example: dict[str, Any]) -> list[Message]:
        """What an example is asked with. Raises ValueError where it has neither question nor context."""
        if self._build_messages is not None:
            return [_message(each) for each in self._build_messages(example)]
        question, context = (_words(example.get(name)) for name in ("question", "context"))
        if not question and not context:
            message = "the example has neither a question nor a context"
            raise ValueError(message)
        beside = context if question and context != question else ""
        system = "\n\n".join(each for each in (self._system_prompt or "", beside) if each)
        return [*([Message("system", system)] if system else []), Message("user", question or context)]

    async def _messages(self, example: dict[str, Any]) -> list[Message]:
        """A function of the user's runs beside the loop, which it would hold up."""
        return self.messages(example) if self._build_messages is None else await in_thread(self.messages, example)

    async def _single(self, example: dict[str, Any]) -> dict[str, Any]:
        completion = await self._ask(await self._messages(example))
        return {"response": completion.text, **_counted([completion])}

    async def _conversation(self, turns: Sequence[Mapping[str, str] | str]) -> tuple[list[Message], list[Completion]]:
        messages = [Message("system", self._system_prompt)] if self._system_prompt else []
        completions: list[Completion] = []
        for turn in turns:
            messages.append(Message("user", turn) if isinstance(turn, str) else _message(turn))
            if messages[-1].role == "user":
                completions.append(await self._ask(messages))
                messages.append(Message("assistant", completions[-1].text))
        return messages, completions

    async def _ask(self, messages: Sequence[Message]) -> Completion:
        request = Request(tuple(messages), self._parameters, labels=Labels(judge=self._name, step="answer"))
        return await self._engine.complete(request)


def reach_bench(
    base_url: str, model: str, *, api_key: str | None, name: str, **settings: Any
) -> tuple[Engine, tuple[Probe, ...]]:
    """The engine of an endpoint in context-bench's form, and how to try it. The key goes where it is told to go.

    Everything of a process that asks the same endpoint with one key shares a gate. Raises ConfigError.
    """
    if not base_url.lower().startswith(("http://", "https://")):
        known = "an endpoint's URL without its /v1, such as http://localhost:8000"
        message = f"{name}: base_url is {known}, not {base_url!r}"
        raise ConfigError(message)
    own = OwnKey(os.environ, api_key or "", KEY)
    chosen = {"temperature": 0.0, "concurrency": _MOST_AT_ONCE, **settings, "api_base": f"{base_url}/v1"}
    return reach(model, own, of_process(ignore), name=name, address="base_url", **chosen)


def _waited(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives. Raises RuntimeError, as documented, where it ends in a CallError."""
    try:
        return on_loop(work)
    except CallError as error:
        message = f"no response: {error}"
        raise RuntimeError(message) from error


def _extra(given: Mapping[str, Any] | None) -> dict[str, Any]:
    for name in sorted(_OURS & set(given or {})):
        message = f"extra_body cannot set {name!r}; {'use build_messages' if name == 'messages' else 'leave it out'}"
        raise ConfigError(message)
    return dict(given or {})


def _message(given: Mapping[str, str]) -> Message:
    role, content = given.get("role", "user"), given.get("content")
    if not isinstance(role, str) or not isinstance(content, str):
        message = f"a message has a role and a content, both texts, and not {given!r}"
        raise TypeError(message)
    return Message(role, content)


def _words(value: object) -> str:
    return "" if value is None else str(value)


def _counted(completions: Sequence[Completion]) -> dict[str, dict[str, int]]:
    """The tokens of all calls, where the endpoint counted those of each."""
    prompts = [each.usage.prompt_tokens for each in completions]
    written = [each.usage.completion_tokens for each in completions]
    if not completions or None in prompts or None in written:
        return {}
    into, out = sum(each or 0 for each in prompts), sum(each or 0 for each in written)
    return {"api_usage": {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}}


def _took(completions: Sequence[Completion]) -> tuple[float, int]:
    return sum(each.seconds for each in completions), sum(each.attempts for each in completions)
