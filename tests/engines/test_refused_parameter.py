"""What servers say of a parameter they refuse, word for word, and which parameter each of them means."""

from __future__ import annotations

import json

import pytest

from gavelkit.engines.refusal import refusal
from gavelkit.engines.refused_parameter import refused_parameters

SENT = ("max_tokens", "temperature", "top_p", "seed", "response_format", "logprobs", "top_logprobs")
NEWER = ("max_completion_tokens", "temperature")

OPENAI_TOKENS: dict[str, object] = {
    "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "type": "invalid_request_error",
    "param": "max_tokens",
    "code": "unsupported_parameter",
}
OPENAI_TEMPERATURE = {
    "message": "Unsupported value: 'temperature' does not support 0 with this model. "
    "Only the default (1) value is supported.",
    "type": "invalid_request_error",
    "param": "temperature",
    "code": "unsupported_value",
}
OPENAI_SCHEMA = {
    "message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn "
    "more about supported models at the Structured Outputs guide: "
    "https://platform.openai.com/docs/guides/structured-outputs",
    "type": "invalid_request_error",
    "param": None,
    "code": None,
}


def forbidden(name: str) -> str:
    """What vLLM said of any field beyond its own."""
    where = f"'loc': ('body', '{name}')"
    return f"[{{'type': 'extra_forbidden', {where}, 'msg': 'Extra inputs are not permitted', 'input': 800}}]"


def named(status: int, body: object, sent: tuple[str, ...] = SENT) -> set[str]:
    return set(refused_parameters(refusal(status, json.dumps(body).encode(), lambda _name: None), sent))


@pytest.mark.parametrize(
    ("status", "body", "refused"),
    [
        pytest.param(400, {"error": OPENAI_TOKENS}, {"max_tokens"}, id="OpenAI, max_tokens"),
        pytest.param(400, {"error": OPENAI_TOKENS | {"param": None, "code": "invalid_request_body"}}, {"max_tokens"},
                     id="Copilot, max_tokens by the words alone"),
        pytest.param(400, {"error": OPENAI_TEMPERATURE}, {"temperature"}, id="OpenAI, temperature"),
        pytest.param(400, {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this "
                                     "model.", "param": "temperature", "code": None}}, {"temperature"},
                     id="OpenRouter, temperature, no code"),
        pytest.param(400, {"error": OPENAI_SCHEMA}, {"response_format"}, id="Azure, json_schema, no param"),
        pytest.param(400, {"error": {"message": "Invalid parameter: 'response_format' of type 'json_object' is not "
                                     "supported with this model.", "param": "response_format", "code": None}},
                     {"response_format"}, id="OpenAI, json_object"),
        pytest.param(400, {"error": {"message": "'messages' must contain the word 'json' in some form, to use "
                                     "'response_format' of type 'json_object'.", "param": "messages", "code": None}},
                     {"response_format"}, id="OpenAI, json_object and no json in the prompt"),
        pytest.param(403, {"error": {"message": "You are not allowed to request logprobs from this model",
                                     "type": "invalid_request_error", "param": None, "code": None}},
                     {"logprobs"}, id="OpenAI, logprobs, as a 403"),
        pytest.param(400, {"error": {"message": "Unrecognized request argument supplied: logprobs"}}, {"logprobs"},
                     id="OpenAI, an older model"),
        pytest.param(400, {"error": {"code": 400, "message": "Logprobs is not enabled for models/gemini-2.5-pro",
                                     "status": "INVALID_ARGUMENT"}}, {"logprobs"}, id="Gemini, logprobs"),
        pytest.param(400, {"error": {"message": "`logprobs` is not supported with this model"}}, {"logprobs"},
                     id="Groq, logprobs"),
        pytest.param(400, {"error": {"message": "litellm.UnsupportedParamsError: ollama_chat does not support "
                                     "parameters: ['logprobs'], for model=llama3.1:70b. To drop these, set "
                                     "`litellm.drop_params=True` or for proxy:", "type": "None", "param": "None",
                                     "code": "400"}}, {"logprobs"}, id="LiteLLM, Ollama's logprobs"),
        pytest.param(400, {"error": {"message": "litellm.UnsupportedParamsError: together_ai does not support "
                                     "parameters: ['response_format'], for model=meta-llama/Llama-4-Maverick."}},
                     {"response_format"}, id="LiteLLM, Together's response_format"),
        pytest.param(400, {"error": {"message": "litellm.UnsupportedParamsError: together_ai does not support "
                                     "parameters: {'response_format': {'type': 'json_object'}}, for model=x"}},
                     {"response_format"}, id="LiteLLM, Together's, as a mapping"),
        pytest.param(400, {"error": {"message": "litellm.UnsupportedParamsError: gpt-5 models don't support "
                                     "temperature=0. Only temperature=1 is supported. To drop unsupported params set "
                                     "`litellm.drop_params = True`"}}, {"temperature"}, id="LiteLLM, temperature"),
        pytest.param(400, {"object": "error", "message": forbidden("max_tokens"), "type": "BadRequestError",
                           "param": None, "code": 400}, {"max_tokens"}, id="vLLM, a field it does not know"),
        pytest.param(400, {"object": "error", "message": "The provided JSON schema contains features not supported by "
                           "xgrammar.", "type": "BadRequestError", "param": None, "code": 400}, {"response_format"},
                     id="vLLM, a schema beyond its grammar"),
        pytest.param(400, {"error": {"message": 'invalid format: expected "json" or a JSON schema',
                                     "type": "invalid_request_error", "param": None, "code": None}},
                     {"response_format"}, id="Ollama, the format"),
        pytest.param(400, {"error": {"message": "This response_format type is unavailable now",
                                     "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}},
                     {"response_format"}, id="DeepSeek, json_schema"),
        pytest.param(422, "Failed to deserialize the JSON body into the target type: response_format: "
                     "response_format.type `json_schema` is unavailable now at line 1 column 12440",
                     {"response_format"}, id="DeepSeek, as a 422"),
        pytest.param(400, {"error": {"code": "InvalidParameter", "message": "The parameter `response_format.type` "
                                     "specified in the request are not valid: invalid value: `json_schema`, supported "
                                     "values are: `json_object` and `text`.", "param": "response_format.type",
                                     "type": "BadRequest"}}, {"response_format"}, id="Volcengine, json_schema"),
        pytest.param(400, {"detail": "Unsupported parameter: response_format"}, {"response_format"}, id="a proxy"),
        pytest.param(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "`temperature` and "
                           "`top_p` cannot both be specified for this model. Please use only one."}}, {"top_p"},
                     id="Claude, one of two"),
        pytest.param(400, {"error": {"message": "Unknown parameter: 'seed'.", "param": "seed",
                                     "code": "unknown_parameter"}}, {"seed"}, id="OpenAI, an unknown one"),
    ],
)  # fmt: skip
def test_the_parameter_that_is_refused_is_known_by_what_servers_say(
    status: int, body: object, refused: set[str]
) -> None:
    assert named(status, body) - {"top_logprobs"} == refused


@pytest.mark.parametrize(
    "message",
    [
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"],
                     "msg": "Extra inputs are not permitted", "input": 32000}]},
        forbidden("max_completion_tokens"),
    ],
    ids=["Mistral", "vLLM"],
)  # fmt: skip
def test_the_newer_name_is_known_where_only_the_older_is_taken(message: object) -> None:
    body = {"object": "error", "message": message, "type": "invalid_request_error", "param": None, "code": None}
    assert named(422, body, NEWER) == {"max_completion_tokens"}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "max_tokens is too large: 100000. This model supports at most 16384 completion "
                         "tokens", "param": "max_tokens", "code": "invalid_value"}}),
        (400, {"error": {"message": "Invalid schema for response_format 'x': 'minimum' is not permitted.",
                         "param": "response_format", "code": None}}),
        (400, {"error": {"message": "Cannot request more than 5 logprobs."}}),
        (400, {"error": {"message": "'temperature' must be between 0 and 2", "param": "temperature"}}),
        (400, {"error": {"message": "prompt_logprobs are not supported"}}),
        (400, {"error": {"message": "Unsupported parameter: 'stop' is not supported with this model.",
                         "param": "stop", "code": "unsupported_parameter"}}),
        (400, {"error": {"message": "images are not supported by this model"}}),
        (400, {"error": {"message": "the temperature of the sun" + " is" * 60 + " not supported"}}),
        (500, {"error": {"message": "temperature is not supported"}}),
        (429, {"error": {"message": "temperature is not supported"}}),
        (401, {"error": {"message": "temperature is not supported"}}),
        (400, {"error": {"message": "maximum context length is 4096, and max_tokens is not supported"}}),
        (400, {}),
    ],
)  # fmt: skip
def test_what_is_about_a_value_or_another_thing_refuses_no_parameter(status: int, body: object) -> None:
    assert named(status, body) == set()


def test_a_parameter_that_the_words_do_not_name_is_known_by_the_errors_own_field() -> None:
    assert named(400, {"error": {"message": "This value is not supported.", "param": "seed"}}) == {"seed"}
    assert named(400, {"error": {"message": "This value is odd.", "param": "seed"}}) == set()


def test_only_what_was_sent_can_be_refused() -> None:
    assert named(400, {"error": OPENAI_TEMPERATURE}, ("max_tokens", "seed")) == set()
    assert named(400, {"error": OPENAI_TOKENS}, ("seed",)) == set()
    assert named(400, {"error": OPENAI_TOKENS}, ()) == set()


def test_where_both_names_of_a_limit_were_sent_it_is_the_refused_one() -> None:
    assert named(400, {"error": OPENAI_TOKENS}, ("max_tokens", "max_completion_tokens")) == {"max_tokens"}
