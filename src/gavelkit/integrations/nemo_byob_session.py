"""A session in the shape of the `requests` library's over our own HTTP client: it posts, and tries again by itself."""

from __future__ import annotations

import json as json_text
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gavelkit.core.clock import Clock
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines import HttpClient, HttpClients, SystemClock
from gavelkit.engines.hints import beyond
from gavelkit.engines.http import HttpReply
from gavelkit.engines.refusal import refusal
from gavelkit.integrations.nemo_byob_config import JudgeConfig
from gavelkit.run import on_loop

_CONNECTIONS = 64
_OK = 200
_SHORTEST_SECRET = 4
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 60.0
_LONGEST_HINT = 300.0
_MOST_DOUBLINGS = 10  # the longest wait is reached long before


@dataclass(frozen=True, slots=True)
class Reply:
    """What came: `status_code`, and the body as `text` or `json()`."""

    inner: HttpReply

    @property
    def status_code(self) -> int:
        return self.inner.status

    @property
    def text(self) -> str:
        return self.inner.body.decode("utf-8", "replace")

    @property
    def refused(self) -> CallError | None:
        """Why it is no answer; None where it is one."""
        if 200 <= self.inner.status < 300:  # noqa: PLR2004 - the statuses that say all is well
            return None
        return refusal(self.inner.status, self.inner.body, self.inner.header)

    def raise_for_status(self) -> None:
        """Raises CallError where the status says that this is no answer."""
        error = self.refused
        if error is not None:
            raise error

    def json(self) -> Any:
        """The body, decoded. Raises CallError where it is no JSON."""
        try:
            return json_text.loads(self.inner.body)
        except (ValueError, RecursionError) as error:
            message = f"the reply is no JSON: {self.text[:200]!r}"
            raise CallError(FailureKind.DECODE, message) from error


class JudgeSession:
    """Posts as `requests.Session` does, from any thread.

    A passing failure (429, 5xx, a lost connection, a timeout) is tried again up to `max_retries` times. Waits double
    from half a second to a minute, with jitter, and are never shorter than what the server asks for; a server that
    asks for more than five minutes ends the call.
    """

    def __init__(
        self, max_retries: int, *, clock: Clock | None = None, spread: Callable[[], float] = random.random
    ) -> None:
        self._max_retries = max_retries
        self._clock = clock or SystemClock()
        self._spread = spread
        self._clients = HttpClients(lambda: HttpClient(connections=_CONNECTIONS))

    def post(self, url: str, *, json: Any, headers: Mapping[str, str], timeout: float) -> Reply:
        """The last reply, whatever its status; `timeout` is in seconds. Raises CallError where none came."""
        lines = [f"{name.lower()}: {value}" for name, value in headers.items()]
        body = json_text.dumps(json).encode()
        return on_loop(self._posted(url, [*lines, "user-agent: gavelkit"], body, timeout))

    async def _posted(self, url: str, headers: list[str], body: bytes, seconds: float) -> Reply:
        tried = 0
        while True:
            reply: Reply | None = None
            try:
                came = await self._clients.request("POST", url, headers=headers, body=body, timeout=seconds)
            except CallError as error:
                failure = error
            else:
                reply = Reply(_without(headers, came))
                if reply.refused is None:
                    return reply
                failure = reply.refused
            if not self._tries_again(failure, tried):
                if reply is None:
                    raise failure
                return reply
            await self._clock.sleep(self._wait(failure, tried))
            tried += 1

    def _tries_again(self, failure: CallError, tried: int) -> bool:
        """Raises CallError where the server asks for too long a wait."""
        most = self._max_retries
        if failure.most_retries is not None:
            most = min(most, failure.most_retries)
        if not failure.retryable or tried >= most:
            return False
        if (end := beyond(failure, _LONGEST_HINT)) is not None:
            raise end
        return True

    def _wait(self, failure: CallError, tried: int) -> float:
        longest: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(tried, _MOST_DOUBLINGS))
        return max(failure.retry_after or 0.0, longest / 2 * (1 + self._spread()))


def _without(headers: list[str], came: HttpReply) -> HttpReply:
    """A refusal without the key that it was asked with, should it repeat it."""
    keys = (line.rpartition(" ")[2].encode() for line in headers if line.startswith("authorization:"))
    key = next(keys, b"")
    known = came.status != _OK and len(key) >= _SHORTEST_SECRET and key in came.body
    return replace(came, body=came.body.replace(key, b"(key)")) if known else came


_SESSIONS: dict[JudgeConfig, JudgeSession] = {}


def session_of(config: JudgeConfig) -> JudgeSession:
    """The one session of a judge's settings."""
    return _SESSIONS.setdefault(config, JudgeSession(int(config.max_retries)))
