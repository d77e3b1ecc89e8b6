"""Runs libcurl transfers on an asyncio loop; it knows sockets and timers, nothing of HTTP.

All sockets live in one poller of their own, and the event loop watches only that poller: any
number of ready sockets cost the loop one wake-up, and many transfers end in one pass.
"""

from __future__ import annotations

import asyncio
import math
import select
import selectors
import sys
from collections.abc import Iterable
from typing import Protocol

import pycurl


class CurlLoop:
    """Many transfers at once on the loop that is running when it is made."""

    def __init__(self, *, connections: int) -> None:
        """Keep up to `connections` connections open for reuse."""
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[pycurl.Curl, asyncio.Future[tuple[int, str]]] = {}
        self._poller = make_poller()
        self._timer: asyncio.TimerHandle | None = None
        self._due = math.inf
        self._soon = False
        self._closed = False
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._loop.add_reader(self._poller.fileno(), self._on_ready)

    def run(self, curl: pycurl.Curl) -> asyncio.Future[tuple[int, str]]:
        """Begin a transfer; the future gives libcurl's code (0: all went well) and its words."""
        if asyncio.get_running_loop() is not self._loop:
            msg = "the HTTP client belongs to another event loop"
            raise RuntimeError(msg)
        self._multi.add_handle(curl)
        done = self._waiting[curl] = self._loop.create_future()
        return done

    def drop(self, curl: pycurl.Curl) -> None:
        """Abort a transfer that has not ended and close its connection; else do nothing."""
        if self._waiting.pop(curl, None) is not None:
            self._multi.remove_handle(curl)

    def close(self) -> None:
        """Abort everything: the futures get RuntimeError, every connection is closed."""
        for curl, done in self._waiting.items():
            self._multi.remove_handle(curl)
            if not done.done():
                done.set_exception(RuntimeError("the HTTP client was closed"))
        self._waiting.clear()
        self._multi.close()
        self._closed = True
        self._loop.remove_reader(self._poller.fileno())
        self._poller.close()
        if self._timer is not None:
            self._timer.cancel()

    def _on_socket(self, what: int, fd: int, multi: object, data: object) -> None:  # noqa: ARG002 - pycurl's signature
        if what == pycurl.POLL_REMOVE:
            self._poller.forget(fd)
        else:
            self._poller.watch(fd, what)

    def _on_ready(self) -> None:
        act = self._multi.socket_action
        for fd, events in self._poller.ready():
            act(fd, events)
        self._harvest()

    def _on_timer(self, milliseconds: int) -> None:
        if milliseconds == 0:
            # Never from inside libcurl; and one pass then starts all transfers just added.
            if not self._soon:
                self._soon = True
                self._loop.call_soon(self._expire)
            return
        self._due = math.inf if milliseconds < 0 else self._loop.time() + milliseconds / 1000
        # libcurl moves its deadline with every reply: a timer that is early enough is kept, and
        # looks at the deadline when it fires.
        if self._due < math.inf and (self._timer is None or self._timer.when() > self._due):
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_alarm)

    def _on_alarm(self) -> None:
        self._timer = None
        if self._loop.time() >= self._due:
            self._due = math.inf
            self._expire()
            self._ask()
        elif self._due < math.inf:
            self._arm()

    def _ask(self) -> None:
        """Ask for the next deadline: libcurl does not repeat one that was met a little early."""
        left = -1 if self._closed else self._multi.timeout()
        if left >= 0 and self._due == math.inf:
            self._on_timer(max(left, 1))

    def _expire(self) -> None:
        self._soon = False
        if not self._closed:
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
            self._harvest()

    def _harvest(self) -> None:
        _, ended, failed = self._multi.info_read()
        for curl in ended:
            self._finish(curl, (0, ""))
        for curl, code, text in failed:
            self._finish(curl, (code, text))

    def _finish(self, curl: pycurl.Curl, outcome: tuple[int, str]) -> None:
        self._multi.remove_handle(curl)
        done = self._waiting.pop(curl)
        if not done.done():
            done.set_result(outcome)


class Poller(Protocol):
    """Which sockets are ready; interests and events are libcurl's bits (1 to read, 2 to write)."""

    def fileno(self) -> int:
        """Return a descriptor that is readable while any socket is ready."""

    def watch(self, fd: int, interest: int) -> None:
        """Watch a socket, or change what it is watched for."""

    def forget(self, fd: int) -> None:
        """Watch a socket no longer."""

    def ready(self) -> Iterable[tuple[int, int]]:
        """Give the sockets that are ready now with their events, without waiting."""

    def close(self) -> None:
        """Give the poller's own descriptor back."""


class SelectorPoller:
    """The poller for systems without epoll (macOS: kqueue, which nests in the loop's own)."""

    def __init__(self) -> None:
        """Open the selector."""
        self._selector = selectors.DefaultSelector()

    def fileno(self) -> int:
        """Return a descriptor that is readable while any socket is ready."""
        return self._selector.fileno()

    def watch(self, fd: int, interest: int) -> None:
        """Watch a socket, or change what it is watched for."""
        try:
            self._selector.register(fd, interest)
        except KeyError:
            self._selector.modify(fd, interest)

    def forget(self, fd: int) -> None:
        """Watch a socket no longer."""
        self._selector.unregister(fd)

    def ready(self) -> Iterable[tuple[int, int]]:
        """Give the sockets that are ready now with their events, without waiting."""
        return [(key.fd, events) for key, events in self._selector.select(0)]

    def close(self) -> None:
        """Give the poller's own descriptor back."""
        self._selector.close()


if sys.platform == "linux":

    class EpollPoller:
        """The poller for Linux: epoll without the bookkeeping of `selectors`."""

        def __init__(self) -> None:
            """Open the epoll descriptor."""
            self._epoll = select.epoll()
            self._known: set[int] = set()

        def fileno(self) -> int:
            """Return a descriptor that is readable while any socket is ready."""
            return self._epoll.fileno()

        def watch(self, fd: int, interest: int) -> None:
            """Watch a socket, or change what it is watched for."""
            mask = (interest & 1) * select.EPOLLIN | (interest >> 1 & 1) * select.EPOLLOUT
            if fd in self._known:
                self._epoll.modify(fd, mask)
            else:
                self._epoll.register(fd, mask)
                self._known.add(fd)

        def forget(self, fd: int) -> None:
            """Watch a socket no longer."""
            self._known.discard(fd)
            self._epoll.unregister(fd)

        def ready(self) -> Iterable[tuple[int, int]]:
            """Give the sockets that are ready now with their events, without waiting."""
            # An error or a hang-up counts as readable: reading is how libcurl learns its cause.
            return [
                (fd, (events & ~select.EPOLLOUT != 0) | (events & select.EPOLLOUT != 0) << 1)
                for fd, events in self._epoll.poll(0)
            ]

        def close(self) -> None:
            """Give the poller's own descriptor back."""
            self._epoll.close()


def make_poller() -> Poller:
    """Return the cheapest poller of this system."""
    if sys.platform == "linux":
        poller: Poller = EpollPoller()
    else:
        poller = SelectorPoller()
    return poller
