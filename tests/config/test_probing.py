"""What an endpoint is tried with: as the judge asks, and small."""

from __future__ import annotations

from functools import partial
from typing import Any

import gavelkit
from gavelkit.core.message import Request
from gavelkit.core.probe import Probe


def probe(**settings: Any) -> Probe:
    judge = gavelkit.judge("score_0_10", **{"model": "m", "api_base": "http://localhost:8000", **settings})
    (only,) = judge.probes
    return only


def request(made: Probe) -> Request:
    assert isinstance(made.ask, partial)
    (found,) = made.ask.args
    assert isinstance(found, Request)
    return found


def test_it_asks_for_few_tokens_at_the_judges_temperature_with_the_fields_of_its_own() -> None:
    asked = request(probe(temperature=0.7, extra_body={"top_k": 5, "response_format": {"type": "json_object"}}))
    assert asked.parameters.model == "m"
    assert asked.parameters.values == {"temperature": 0.7, "max_tokens": 16, "top_k": 5}
    assert [message.content for message in asked.messages] == ["Reply with OK."]
    assert asked.labels.judge == "score_0_10"


def test_ollama_is_asked_for_as_few_tokens_and_for_no_form() -> None:
    made = probe(engine="ollama", extra_body={"num_ctx": 8192, "format": "json"})
    assert request(made).parameters.values == {"temperature": 0.0, "max_tokens": 16, "num_ctx": 8192}
    assert made.engine == "ollama"


def test_accounts_differ_by_endpoint_and_key_and_show_neither(monkeypatch: Any) -> None:
    plain = probe()
    assert plain.account == probe(api_base="http://localhost:8000/v1/").account
    assert plain.account != probe(api_base="http://localhost:8001/v1").account
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-secret-0123456789")
    keyed = probe()
    assert keyed.account != plain.account
    assert "sk-secret" not in repr(keyed)


def test_it_is_not_wanted_where_the_setting_says_so() -> None:
    assert probe().wanted
    assert not probe(preflight_check=False).wanted
