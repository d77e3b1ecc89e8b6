"""A system is found by its name among the standings."""

from __future__ import annotations

import pytest

from gavelkit.core.standings import Contests, Figure, Standing


def a_standing(system: str) -> Standing:
    return Standing(system, 1, 1, 0, 0, 0, Figure(1.0, 1), 1.0, 1.0, 1, Figure(reason="unbounded"), 1002.0, 1.0)


def test_a_standing_is_found_by_its_system() -> None:
    found = Contests("arena", 1, 1, 0, (a_standing("A"), a_standing("B")), Figure(), Figure(), Figure(), seed=0)
    assert found.standing("B").system == "B"
    with pytest.raises(KeyError, match="'C' met nobody; there are A, B"):
        found.standing("C")
