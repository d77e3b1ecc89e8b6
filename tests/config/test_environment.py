"""Models, endpoints and keys from the environment, and where a key may go."""

from __future__ import annotations

import pytest

from gavelkit.config.environment import (
    DEFAULT_API_BASE,
    PLACEHOLDERS,
    Environment,
    check_api_base,
    check_file_key,
    is_loopback,
    sends_key_in_clear,
    variable_part,
)
from gavelkit.core.errors import ConfigError

ELSEWHERE = "https://judge.example/v1"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("accuracy", "ACCURACY"),
        ("my judge-2", "MY_JUDGE_2"),
        ("a/b  c", "A_B_C"),
        ("score_0_10", "SCORE_0_10"),
        ("naïve", "NA_VE"),
        ("-x-", "_X_"),
    ],
)
def test_a_name_in_variables_is_upper_case_with_every_other_run_an_underscore(name: str, part: str) -> None:
    assert variable_part(name) == part


@pytest.mark.parametrize(
    ("variables", "model"),
    [
        ({}, None),
        ({"LLM_JUDGE_MODEL": "all"}, "all"),
        ({"LLM_JUDGE_MODEL": "all", "LLM_JUDGE_MY_JUDGE_MODEL": "own"}, "own"),
        ({"LLM_JUDGE_MODEL": "all", "LLM_JUDGE_MY_JUDGE_MODEL": ""}, "all"),
        ({"OPENAI_MODEL": "no"}, None),
    ],
)
def test_the_most_particular_variable_names_the_model(variables: dict[str, str], model: str | None) -> None:
    assert Environment(variables).model("my judge") == model


@pytest.mark.parametrize(
    ("variables", "base"),
    [
        ({}, None),
        ({"OPENAI_BASE_URL": "c"}, "c"),
        ({"OPENAI_BASE_URL": "c", "LLM_JUDGE_API_BASE": "b"}, "b"),
        ({"OPENAI_BASE_URL": "c", "LLM_JUDGE_API_BASE": "b", "LLM_JUDGE_X_API_BASE": "a"}, "a"),
        ({"OPENAI_API_BASE": "old"}, None),
    ],
)
def test_the_most_particular_variable_names_the_endpoint(variables: dict[str, str], base: str | None) -> None:
    assert Environment(variables).api_base("x") == base


def test_openais_base_url_does_not_count_for_whom_it_is_not() -> None:
    variables = {"OPENAI_BASE_URL": "c"}
    assert Environment(variables).api_base("x", openai=False) is None
    assert Environment({**variables, "LLM_JUDGE_API_BASE": "b"}).api_base("x", openai=False) == "b"


@pytest.mark.parametrize(
    ("variables", "key"),
    [
        ({}, None),
        ({"LLM_JUDGE_API_KEY": "b"}, "b"),
        ({"LLM_JUDGE_API_KEY": "b", "LLM_JUDGE_X_API_KEY": "a", "OPENAI_API_KEY": "c"}, "a"),
        ({"LLM_JUDGE_API_KEY": "with line end\r\n"}, "with line end"),
        ({"LLM_JUDGE_API_KEY": "\n"}, None),
        ({"OPENAI_API_KEY": ""}, None),
    ],
)
def test_a_key_meant_for_judges_goes_where_the_judge_is(variables: dict[str, str], key: str | None) -> None:
    assert Environment(variables).api_key("x", ELSEWHERE) == key


@pytest.mark.parametrize(
    "base",
    [
        DEFAULT_API_BASE,
        "http://localhost:8000/v1",
        "http://127.0.0.1:1/v1",
        "http://[::1]:1/v1",
        "https://x.localhost/v1",
        "https://proxy.example/v2",
    ],
)
def test_openais_key_goes_to_openai_to_the_host_of_its_base_url_and_to_this_machine(base: str) -> None:
    environment = Environment({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://proxy.example/v1"})
    assert environment.api_key("x", base) == "sk-1"


@pytest.mark.parametrize("own", ["", "https://proxy.example", "http://[broken"])
def test_openais_key_goes_nowhere_else_and_is_not_shown(own: str) -> None:
    environment = Environment({"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": own})
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not sent to judge") as caught:
        environment.api_key("x", ELSEWHERE)
    assert "export LLM_JUDGE_API_KEY=" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-\x00", "sk-ä", "sk-\u2028"])
def test_a_key_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError, match="the API key of judge 'x'") as caught:
        Environment({"LLM_JUDGE_API_KEY": key}).api_key("x", ELSEWHERE)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    "base",
    [
        "https://api.openai.com/v1",
        "http://localhost:8000",
        "http://192.168.1.7/v1",
        "http://[::1]:8000/v1",
        "https://host/a/b/",
    ],
)
def test_an_endpoint_is_an_http_url(base: str) -> None:
    assert check_api_base(base, "conf.yaml") == base


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("localhost:8000", "api_base must be a URL such as"),
        ("ftp://host/v1", "api_base must be a URL such as"),
        ("http://", "api_base must be a URL such as"),
        ("http:///v1", "api_base must be a URL such as"),
        ("http://[::1", "api_base must be a URL such as"),
        ("http://host:port/v1", "api_base must be a URL such as"),
        ("http://host:99999/v1", "api_base must be a URL such as"),
        ("https://me:sk-secret@host/v1", "must hold no user, password or query"),
        ("https://host/v1?key=sk-secret", "must hold no user, password or query"),
        ("http://169.254.169.254/v1", "names 169.254.169.254, an address where no judge lives"),
        ("http://[fe80::1]/v1", "an address where no judge lives"),
        ("http://0.0.0.0/v1", "an address where no judge lives"),
        ("http://224.0.0.1/v1", "an address where no judge lives"),
        ("http://2852039166/v1", "an address where no judge lives"),
        ("http://0xA9FEA9FE/v1", "an address where no judge lives"),
        ("http://0251.0376.0251.0376/v1", "an address where no judge lives"),
        ("http://169.254.43518/v1", "an address where no judge lives"),
        ("http://169.254.169.254./v1", "an address where no judge lives"),
        ("http://\uff11\uff16\uff19.254.169.254/v1", "an address where no judge lives"),
        ("http://[::ffff:169.254.169.254]/v1", "an address where no judge lives"),
        ("http://[fd00:ec2::254]/v1", "an address where no judge lives"),
        ("http://Metadata.Google.internal/v1", "an address where no judge lives"),
        ("http://100.100.100.200/v1", "an address where no judge lives"),
        ("http://0/v1", "an address where no judge lives"),
        ("http://api.openai.com\\@host/v1", "api_base must be a URL such as"),
        ("http://ho\nst/v1", "api_base must be a URL such as"),
        ("http://ho st/v1", "api_base must be a URL such as"),
    ],
)
def test_anything_else_is_refused_and_no_secret_shown(base: str, words: str) -> None:
    with pytest.raises(ConfigError, match=r"^conf\.yaml: ") as caught:
        check_api_base(base, "conf.yaml")
    assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.9.9.9", True), ("::1", True), ("localhost.evil.example", False), ("10.0.0.1", False)],
)
def test_what_counts_as_this_machine(host: str, *, here: bool) -> None:
    assert is_loopback(host) is here


@pytest.mark.parametrize(
    ("base", "clear"),
    [("http://host/v1", True), ("https://host/v1", False), ("http://localhost/v1", False), ("http://[::1]/v1", False)],
)
def test_a_key_crosses_a_network_in_clear_over_plain_http(base: str, *, clear: bool) -> None:
    assert sends_key_in_clear(base) is clear


@pytest.mark.parametrize("value", sorted(PLACEHOLDERS))
def test_placeholders_that_local_servers_ask_for_are_accepted(value: str) -> None:
    check_file_key(value, "x")


@pytest.mark.parametrize("value", ["sk-secret", "Dummy", " "])
def test_a_key_in_a_file_is_refused_naming_the_variable_and_never_the_key(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_file_key(value, "my judge")
    message = "judge 'my judge': api_key stands in the file, where it is never used; remove it and "
    assert str(caught.value) == message + "export LLM_JUDGE_MY_JUDGE_API_KEY or LLM_JUDGE_API_KEY"


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, ""),
        ({"OPENAI_API_KEY": "c"}, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "c", "LLM_JUDGE_API_KEY": ""}, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "c", "LLM_JUDGE_API_KEY": "b"}, "LLM_JUDGE_API_KEY"),
        ({"LLM_JUDGE_API_KEY": "b", "LLM_JUDGE_MY_JUDGE_API_KEY": "a"}, "LLM_JUDGE_MY_JUDGE_API_KEY"),
    ],
)
def test_the_variable_that_a_key_comes_from_can_be_named(variables: dict[str, str], name: str) -> None:
    assert Environment(variables).key_variable("my judge") == name
    assert not name or name in Environment(variables).key_variables("my judge")
