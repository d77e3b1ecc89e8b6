"""A limit that a drop makes smaller by a share, and clean time larger by steps. It knows no calls and no waiting."""

from __future__ import annotations

import math

_SHRINK = 0.7
_STEP = 0.05
_FIRST_STEP = 1.0  # seconds without a drop
_AUTO_START = 32


class AdaptiveLimit:
    """`now` is the limit in whole calls, from 1 to `most`; `cuts` counts how often it was lowered.

    It is lowered at most once in a `window` of seconds, and raised once in a window without a drop: half the way back
    to where it fell from (after drops with no reply between them: from the first), and beyond by a twentieth, by 1 at
    least. A limit that is to find its height itself doubles until the first drop.
    """

    __slots__ = (
        "_doubling",
        "_exact",
        "_falling",
        "_grows_at",
        "_height",
        "_next_cut",
        "_window",
        "cuts",
        "most",
        "now",
    )

    def __init__(self, *, window: float = 2.0) -> None:
        self.now = self.most = self.cuts = 0
        self._exact = self._height = 0.0
        self._window = window
        self._next_cut = self._grows_at = -math.inf
        self._doubling = self._falling = False

    def widen(self, most: int, *, auto: bool = False) -> None:
        """Make room for so many calls more; with `auto` for as many as turn out to be welcome."""
        self.most += most
        self._exact += min(_AUTO_START, most) if auto else most
        self._doubling |= auto
        self._set()

    def cut(self, now: float, *, wait: float = 0.0) -> bool:
        """A drop at this time, with a wait in seconds: whether it lowered the limit."""
        self._grows_at = now + max(_FIRST_STEP, wait)
        if now < self._next_cut:
            return False
        if not self._falling:
            self._height = self._exact
        self._falling = True
        self._exact = max(1.0, self._exact * _SHRINK)
        self._doubling = False
        self._next_cut = now + max(self._window, wait)
        self.cuts += 1
        self._set()
        return True

    def clean(self, now: float) -> None:
        """A reply at this time."""
        self._falling = False
        if now < self._grows_at or self.now >= self.most:
            return
        back = (self._height - self._exact) / 2
        self._exact += self._exact if self._doubling else max(1.0, self._exact * _STEP, back)
        self._grows_at = now + self._window
        self._set()

    def _set(self) -> None:
        self._exact = min(self._exact, float(self.most))
        self.now = int(self._exact)
