"""What judges are put together in: one client for all judges of an endpoint."""

from __future__ import annotations

from typing import Any

from tests.config.assembled import PLAIN

from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.judges import Direct


def test_judges_of_one_endpoint_share_a_client() -> None:
    surroundings = Surroundings(Environment({}))
    one, two = (assemble({**PLAIN, "name": n}, surroundings, where="x") for n in "ab")
    other = assemble({**PLAIN, "api_base": "http://localhost:1/v1"}, surroundings, where="x")
    engines: list[Any] = [judge.engine for judge in (one, two, other) if isinstance(judge, Direct)]
    clients = [engine._inner._inner._client for engine in engines]
    assert clients[0] is clients[1]
    assert clients[0] is not clients[2]
