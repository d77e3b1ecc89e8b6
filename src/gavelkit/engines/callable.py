"""Any Python function from prompt to text as an engine."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.core.threads import in_thread

Reply = str | Completion
Function = Callable[[str], Reply] | Callable[[str], Awaitable[Reply]]


class CallableEngine:
    """Calls the function with the messages' text, a blank line between them.

    A plain function runs in a thread, so it may block. What it raises becomes a `call_error`; a CallError of its
    own is passed on as it is.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__ is one too
        )

    async def complete(self, request: Request) -> Completion:
        """The function's reply. Raises CallError."""
        prompt = "\n\n".join(message.content for message in request.messages)
        try:
            reply = await self._call(prompt)
        except CallError:
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise CallError(FailureKind.INTERNAL, message) from error
        if isinstance(reply, Completion):
            return reply
        if isinstance(reply, str):
            return Completion(text=reply, finish_reason="stop")
        message = f"the function must return a text, not {type(reply).__name__}"
        raise CallError(FailureKind.DECODE, message, retryable=False)

    async def _call(self, prompt: str) -> object:
        if self._is_async:
            return await self._function(prompt)  # type: ignore[misc] # known to be a coroutine function
        reply = await in_thread(self._function, prompt)
        return await reply if inspect.isawaitable(reply) else reply
