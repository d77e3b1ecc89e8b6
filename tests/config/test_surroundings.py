"""What judges are put together in: one client for all judges of an endpoint."""

from __future__ import annotations

from tests.config.assembled import PLAIN, reaching

from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment


def test_judges_of_one_endpoint_share_a_client() -> None:
    surroundings = Surroundings(Environment({}))
    one, two = (assemble({**PLAIN, "name": n}, surroundings, where="x") for n in "ab")
    other = assemble({**PLAIN, "api_base": "http://localhost:1/v1"}, surroundings, where="x")
    clients = [reaching(judge)[-1]._client for judge in (one, two, other)]
    assert clients[0] is clients[1]
    assert clients[0] is not clients[2]
