"""How a benchmark's models are reached: the key by its variable's name, and no other."""

from __future__ import annotations

import pytest

from gavelkit.config import Surroundings
from gavelkit.config.environment import Environment
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_reaching import Endpoint

URL = "http://127.0.0.1:9/v1"
VARIABLES = {"MINE": "sk-mine-0123456789", "OPENAI_API_KEY": "sk-other"}


def test_what_tells_of_a_wrong_key_names_that_variable() -> None:
    surroundings = Surroundings(environment=Environment(VARIABLES))
    _engine, (probe,) = Endpoint(name="judge", url=URL, model="m", api_key="MINE").reach(surroundings)
    assert (probe.key_variable, probe.key_variables) == ("MINE", ("MINE",))


def test_where_no_variable_is_named_no_key_is_looked_for() -> None:
    surroundings = Surroundings(environment=Environment(VARIABLES))
    _engine, (probe,) = Endpoint(name="judge", url=URL, model="m").reach(surroundings)
    assert (probe.key_variable, probe.key_variables) == ("", ())


@pytest.mark.parametrize(
    ("name", "said"), [("NOT_SET", "NOT_SET, which holds the key, is not set"), ("sk-secret-1", "not a key")]
)
def test_a_variable_that_is_not_set_is_named_and_a_key_in_its_place_is_not_shown(name: str, said: str) -> None:
    with pytest.raises(ByobError) as error:
        Endpoint(name="judge_1", url=URL, model="m", api_key=name).reach(Surroundings(environment=Environment({})))
    assert said in str(error.value)
    assert "judge_1" in str(error.value)
    assert "sk-secret" not in str(error.value)
