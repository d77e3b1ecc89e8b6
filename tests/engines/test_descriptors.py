"""How many connections the limit on open files leaves."""

from __future__ import annotations

import resource

import pytest

from gavelkit.engines.descriptors import most_connections

INFINITE = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("limits", "refuses", "connections", "set_to"),
    [
        ((4096, 4096), False, 1024, None),
        ((INFINITE, INFINITE), False, 1024, None),
        ((256, 4096), False, 1024, 1064),
        ((256, INFINITE), False, 1024, 1064),
        ((64, 64), False, 24, 64),
        ((64, 500), False, 460, 500),
        ((256, 4096), True, 216, None),
        ((20, 20), False, 1, 20),
    ],
)
def test_connections_fit_the_limit_which_is_raised_where_it_may_be(
    monkeypatch: pytest.MonkeyPatch,
    limits: tuple[int, int],
    *,
    refuses: bool,
    connections: int,
    set_to: int | None,
) -> None:
    asked: list[int] = []

    def setrlimit(_which: int, wanted: tuple[int, int]) -> None:
        if refuses:
            raise ValueError
        asked.append(wanted[0])

    monkeypatch.setattr(resource, "getrlimit", lambda _which: limits)
    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    assert most_connections(1024) == connections
    assert asked == ([] if set_to is None else [set_to])
