"""What an observer of a run hears."""

from __future__ import annotations

from gavelkit.core.event import Noticed, ignore


def test_an_event_may_be_ignored() -> None:
    ignore(Noticed("a warning"))
