"""A model with a key of its own: it gets that key and no other, and messages name its variable."""

from __future__ import annotations

import asyncio

import pytest

from gavelkit.config import Surroundings
from gavelkit.config.environment import Environment
from gavelkit.config.own_key import OwnKey, reach
from gavelkit.core.errors import ConfigError, EndpointError
from gavelkit.core.event import ignore
from gavelkit.core.identity import Identity
from gavelkit.judges import FunctionJudge, Scored
from gavelkit.run.preflight import preflight

VARIABLES = {"MINE": "sk-mine-0123456789", "OPENAI_API_KEY": "sk-other", "LLM_JUDGE_API_KEY": "sk-third"}
ELSEWHERE = "https://anywhere.example/v1"


def test_its_own_key_is_sent_wherever_it_is_told_to_go_and_no_other_one_is() -> None:
    assert OwnKey(VARIABLES, "sk-mine-0123456789", "MINE").api_key("judge", ELSEWHERE) == "sk-mine-0123456789"
    assert OwnKey(VARIABLES).api_key("judge", "http://127.0.0.1:9/v1") is None


def test_a_key_that_no_header_can_carry_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match="judge 'm'") as error:
        reach("m", OwnKey({}, "sk-ä"), Surroundings(), name="m", api_base=ELSEWHERE)
    assert "sk-" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "variable", "named"), [("sk-1", "MINE", "MINE"), ("", "MINE", ""), ("", "", ""), ("sk-1", "", "")]
)
def test_messages_name_the_variable_that_holds_the_key_or_would(key: str, variable: str, named: str) -> None:
    own = OwnKey(VARIABLES, key, variable)
    _engine, (probe,) = reach("m", own, Surroundings(environment=Environment(VARIABLES)), name="m", api_base=ELSEWHERE)
    assert (probe.key_variable, probe.key_variables) == (named, (variable,) if variable else ())


def test_no_key_is_shown_where_it_is_printed() -> None:
    assert "sk-" not in repr(OwnKey(VARIABLES, "sk-mine-0123456789", "MINE"))


def test_what_no_setting_says_is_as_for_any_judge() -> None:
    _engine, (probe,) = reach("m", OwnKey({}), Surroundings(), name="m", api_base=ELSEWHERE)
    assert (probe.api_base, probe.model, probe.wanted) == (ELSEWHERE, "m", True)
    _engine, (probe,) = reach("m", OwnKey({}), Surroundings(), name="m", api_base=ELSEWHERE, preflight_check=False)
    assert not probe.wanted


def test_a_failed_try_is_told_in_the_words_of_whoever_named_the_address() -> None:
    """Nothing listens on the port of `discard`."""
    _engine, probes = reach(
        "m",
        OwnKey({}),
        Surroundings(),
        name="mine",
        address="base_url",
        whose="the system 'mine'",
        api_base="http://127.0.0.1:9/v1",
        retry_attempts=0,
    )
    judge = FunctionJudge("j", lambda *_: Scored(1.0), Identity({}), probes=probes)
    with pytest.raises(EndpointError, match=r"Check base_url \(the system 'mine'\)$"):
        asyncio.run(preflight([judge], observe=ignore))


def test_whoever_asks_for_plain_completions_is_told_of_a_chat_in_their_own_words() -> None:
    _engine, (probe,) = reach(
        "m", OwnKey({}), Surroundings(), name="mine", as_chat="--way chat", engine="openai_completions"
    )
    assert (probe.engine, probe.as_chat) == ("openai_completions", "--way chat")
