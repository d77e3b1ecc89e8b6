"""What judges are put together in: one client for all judges of an endpoint."""

from __future__ import annotations

import gc
from typing import Any

from tests.config.assembled import PLAIN, reaching

import gavelkit
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.config.surroundings import of_process
from gavelkit.core.event import ignore


def test_judges_of_one_endpoint_share_a_client() -> None:
    surroundings = Surroundings(Environment({}))
    one, two = (assemble({**PLAIN, "name": n}, surroundings, where="x") for n in "ab")
    other = assemble({**PLAIN, "api_base": "http://localhost:1/v1"}, surroundings, where="x")
    clients = [reaching(judge)[-1]._endpoint._client for judge in (one, two, other)]
    assert clients[0] is clients[1]
    assert clients[0] is not clients[2]


def test_judges_made_one_by_one_share_a_gate_as_long_as_one_of_them_lives() -> None:
    where: dict[str, Any] = {"api_base": "http://127.0.0.1:9/shared", "preflight_check": False}
    one = gavelkit.judge("score_0_10", name="one", model="shared by two", concurrency=5, **where)
    other = gavelkit.judge("binary_qa", name="other", model="shared by two", concurrency=7, **where)
    apart = gavelkit.judge("score_0_10", name="apart", model="of one", **where)
    gates = [gate for (_, model), gate in of_process(ignore).gates.items() if model in {"shared by two", "of one"}]
    assert sorted(gate.most for gate in gates) == [12, 32]
    del one, other, apart, gates
    gc.collect()
    assert not [model for _, model in of_process(ignore).gates if model in {"shared by two", "of one"}]
