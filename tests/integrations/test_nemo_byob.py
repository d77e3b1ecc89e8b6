"""`judge_call` and `judge_score` as their users know them: what is posted, what comes back, and what a failure is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

import pytest
from tests.fake_clock import FakeClock
from tests.makers import chat_answer, chat_body, endpoint, prompt_of

from gavelkit.core.errors import CallError, ConfigError, TemplateError
from gavelkit.integrations import nemo_byob
from gavelkit.integrations.nemo_byob import (
    ByobError,
    JudgeConfig,
    JudgeSession,
    ScorerInput,
    benchmark,
    clear_registry,
    judge_call,
    judge_score,
    scorer,
)
from gavelkit.simulator import running_simulator
from gavelkit.simulator.server import Handler, HttpAnswer, HttpRequest

PAGES_OWN_TEMPLATE = """\
Question: {question}
Response: {response}
Reference: {reference}

Custom Criteria: {my_criteria}

Output GRADE: PASS or GRADE: FAIL
"""
JUDGE: dict[str, Any] = {"url": "http://127.0.0.1:9/v1", "model_id": "judge-a"}


class Theirs:
    """A session as `requests` has them; it keeps what was posted and replies the same to everything."""

    def __init__(self, content: Any = "It fits.\nGRADE: C", *, status: int = 200, body: Any = None) -> None:
        self.posted: list[tuple[str, dict[str, Any], Mapping[str, str], float]] = []
        self.body = chat_body(content) if body is None else body
        self.status = status

    def post(self, url: str, *, json: Any, headers: Mapping[str, str], timeout: float) -> Theirs:
        self.posted.append((url, json, headers, timeout))
        return self

    def raise_for_status(self) -> None:
        if self.status >= 400:
            message = f"{self.status} Client Error"
            raise OSError(message)

    def json(self) -> Any:
        return self.body

    @property
    def prompt(self) -> str:
        return str(self.posted[-1][1]["messages"][0]["content"])


def a_sample(session: Any = None, **judges: Any) -> ScorerInput:
    config = {"judge": JUDGE, **judges} | ({} if session is None else {"_judge_session": session})
    return ScorerInput("Paris.", "Paris", {"question": "What is the capital of France?"}, config=config)


def scored(content: Any, **settings: Any) -> dict[str, Any]:
    return judge_score(a_sample(Theirs(content)), **settings)


def test_the_signature_is_that_of_the_page() -> None:
    shown = {
        name: each.default
        for name, each in signature(judge_score).parameters.items()
        if each.kind is Parameter.POSITIONAL_OR_KEYWORD
    }
    assert shown == {
        "sample": Parameter.empty,
        "template": "binary_qa",
        "criteria": "",
        "grade_pattern": None,
        "score_mapping": None,
        "judge_key": "judge",
        "response_format": None,
        "judge_output_parser": None,
    }
    assert signature(judge_score).parameters["template_kwargs"].kind is Parameter.VAR_KEYWORD


def test_the_pages_example_runs_with_the_simulated_endpoint() -> None:
    with running_simulator() as simulator:

        @benchmark(
            name="qa-judge",
            dataset="qa.jsonl",
            prompt="Answer: {question}",
            extra={"judge": {"url": simulator.url, "model_id": "meta/llama-3.1-70b-instruct"}},
        )
        @scorer
        def qa_judge(sample: ScorerInput) -> dict[str, Any]:
            return judge_score(sample, template="binary_qa", criteria="Factual accuracy")

        extra = nemo_byob.get_registered_benchmarks()["qa_judge"].extra
        clear_registry()
        right, wrong = (
            qa_judge(ScorerInput(said, "Paris", {"question": "The capital of France?"}, config=extra))
            for said in ("It is Paris.", "No idea.")
        )
    assert right == {"judge_score": 1.0, "judge_grade": "C"}
    assert wrong == {"judge_score": 0.0, "judge_grade": "I"}


def test_one_user_message_is_posted_with_the_settings_of_the_page() -> None:
    session = Theirs()
    assert judge_call(JudgeConfig("http://judge/v1/", "judge-a"), "Is it?", session=session) == "It fits.\nGRADE: C"
    ((url, body, headers, timeout),) = session.posted
    assert url == "http://judge/v1/chat/completions"
    assert body == {
        "model": "judge-a",
        "messages": [{"role": "user", "content": "Is it?"}],
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 4096,
    }
    assert headers == {"Content-Type": "application/json"}
    assert timeout == 600


def test_a_response_format_is_posted_as_it_is_given() -> None:
    session = Theirs('{"grade": "C"}')
    judge_score(a_sample(session), response_format={"type": "json_object"})
    assert session.posted[0][1]["response_format"] == {"type": "json_object"}


def test_the_key_is_read_from_the_variable_that_api_key_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVIDIA_API_KEY", "key-of-the-judge")
    session = Theirs()
    judge_score(a_sample(session, judge={**JUDGE, "api_key": "NVIDIA_API_KEY"}))
    assert session.posted[0][2]["Authorization"] == "Bearer key-of-the-judge"


def test_a_variable_that_is_not_set_is_a_call_error_which_names_it_and_nothing_is_posted() -> None:
    session = Theirs()
    result = judge_score(a_sample(session, judge={**JUDGE, "api_key": "NVIDIA_API_KEY"}))
    assert session.posted == []
    assert result == {
        "judge_score": 0.0,
        "judge_grade": "CALL_ERROR",
        "judge_status": "call_error",
        "judge_error": "api_key names an environment variable that is not set: NVIDIA_API_KEY",
    }


def test_a_key_in_the_place_of_a_variables_name_is_not_shown() -> None:
    result = judge_score(a_sample(Theirs(), judge={**JUDGE, "api_key": "nvapi-abcdef123456"}))
    assert result["judge_grade"] == "CALL_ERROR"
    assert "nvapi" not in str(result)


def test_the_modules_own_judge_call_is_called_so_that_it_can_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[JudgeConfig, str, Any, Any]] = []

    def mine(config: JudgeConfig, prompt: str, session: Any = None, response_format: Any = None) -> str:
        seen.append((config, prompt, session, response_format))
        return "GRADE: I"

    monkeypatch.setattr(nemo_byob, "judge_call", mine)
    assert judge_score(a_sample()) == {"judge_score": 0.0, "judge_grade": "I"}
    assert seen[0][0] == JudgeConfig(**JUDGE)
    assert isinstance(seen[0][2], JudgeSession)


@pytest.mark.parametrize(
    ("template", "grade", "score"),
    [
        ("binary_qa", "C", 1.0),
        ("binary_qa", "I", 0.0),
        ("binary_qa_partial", "C", 1.0),
        ("binary_qa_partial", "P", 0.5),
        ("binary_qa_partial", "I", 0.0),
        ("likert_5", "1", 0.2),
        ("likert_5", "2", 0.4),
        ("likert_5", "3", 0.6),
        ("likert_5", "4", 0.8),
        ("likert_5", "5", 1.0),
        ("safety", "SAFE", 1.0),
        ("safety", "UNSAFE", 0.0),
    ],
)
def test_each_templates_grades_become_the_scores_of_the_page(template: str, grade: str, score: float) -> None:
    assert scored(f"I see.\nGRADE: {grade}", template=template) == {"judge_score": score, "judge_grade": grade}


def test_the_template_is_filled_from_the_sample_and_the_criteria() -> None:
    session = Theirs()
    judge_score(a_sample(session), template="{question}|{response}|{reference}|{criteria}", criteria="Be strict.")
    assert session.prompt == "What is the capital of France?|Paris.|Paris|Evaluation criteria: Be strict."


@pytest.mark.parametrize(
    ("metadata", "question"), [({"question": "Q", "prompt": "P"}, "Q"), ({"prompt": "P"}, "P"), ({}, "")]
)
def test_the_question_is_the_rows_question_else_its_prompt(metadata: dict[str, str], question: str) -> None:
    session = Theirs()
    judge_score(
        ScorerInput("r", "t", metadata, config={"judge": JUDGE, "_judge_session": session}), template="{question}!"
    )
    assert session.prompt == f"{question}!"


@pytest.mark.parametrize(("grade", "score"), [("PASS", 1.0), ("FAIL", 0.0)])
def test_the_pages_custom_template_takes_its_own_pattern_mapping_and_variable(grade: str, score: float) -> None:
    session = Theirs(f"GRADE: {grade}, since it says why.")  # the plain pattern would take the comma too
    result = judge_score(
        a_sample(session),
        template=PAGES_OWN_TEMPLATE,
        grade_pattern=r"GRADE:\s*(PASS|FAIL)",
        score_mapping={"PASS": 1.0, "FAIL": 0.0},
        my_criteria="Check for factual accuracy and completeness",
    )
    assert result == {"judge_score": score, "judge_grade": grade}
    assert session.prompt == (
        "Question: What is the capital of France?\nResponse: Paris.\nReference: Paris\n\n"
        "Custom Criteria: Check for factual accuracy and completeness\n\nOutput GRADE: PASS or GRADE: FAIL\n"
    )


def test_variables_of_ones_own_win_over_those_of_the_sample() -> None:
    session = Theirs()
    judge_score(a_sample(session), template="{question} {response}", question="Mine?")
    assert session.prompt == "Mine? Paris."


def test_what_a_response_says_is_never_a_placeholder() -> None:
    session = Theirs()
    sample = ScorerInput("{reference}", "gold", {}, config={"judge": JUDGE, "_judge_session": session})
    judge_score(sample, template="Said: {response}")
    assert session.prompt == "Said: {reference}"


def test_a_custom_template_reads_the_word_after_grade_as_a_number_where_there_is_no_mapping() -> None:
    assert scored("GRADE: 7.5", template="Rate {response}") == {"judge_score": 7.5, "judge_grade": "7.5"}


def test_a_grade_that_is_neither_mapped_nor_a_number_is_zero_and_says_so() -> None:
    result = scored("GRADE: maybe", template="Rate {response}", score_mapping={"yes": 1})
    assert (result["judge_score"], result["judge_grade"], result["judge_status"]) == (0.0, "maybe", "out_of_range")
    assert "'maybe' is neither in score_mapping nor a finite number" in result["judge_error"]


@pytest.mark.parametrize("grade", ["nan", "inf", "-Infinity", "1e999"])
def test_a_grade_that_is_not_finite_is_zero_and_out_of_range(grade: str) -> None:
    result = scored(f"GRADE: {grade}", template="Rate {response}")
    assert (result["judge_score"], result["judge_grade"], result["judge_status"]) == (0.0, grade, "out_of_range")


def test_thinking_is_left_out_and_the_last_match_counts() -> None:
    assert scored("<think>GRADE: I</think>\nGRADE: C")["judge_grade"] == "C"
    assert scored('The response says "GRADE: C".\nGRADE: I')["judge_grade"] == "I"


@pytest.mark.parametrize("reply", ["No idea.", "", None, "GRADE: C or GRADE: I", "<think>GRADE: C", "GRADE: Correct"])
def test_a_reply_without_one_grade_is_a_parse_error_with_zero(reply: str | None) -> None:
    result = scored(reply)
    assert list(result) == ["judge_score", "judge_grade", "judge_status", "judge_error"]
    assert (result["judge_score"], result["judge_grade"], result["judge_status"]) == (0.0, "PARSE_ERROR", "parse_error")
    assert result["judge_error"]


def test_with_a_response_format_the_grade_is_a_field_of_the_json() -> None:
    reply = '{"reasoning": "GRADE: I would be wrong", "grade": "C"}'
    result = scored(reply, response_format={"type": "json_object"})
    assert result == {"judge_score": 1.0, "judge_grade": "C"}


def test_a_parser_of_ones_own_reads_the_whole_reply_and_may_return_a_number() -> None:
    result = scored("<think>x</think>five", template="Rate {response}", judge_output_parser=len)
    assert result == {"judge_score": 20.0, "judge_grade": 20}


@pytest.mark.parametrize("reply", ["five", None])
def test_a_parser_of_ones_own_that_fails_or_finds_nothing_is_a_parse_error(reply: str | None) -> None:
    def broken(raw: str) -> str:
        message = f"cannot read {raw}"
        raise LookupError(message)

    for parser in (broken, lambda _raw: None):
        result = scored(reply, judge_output_parser=parser)
        assert (result["judge_grade"], result["judge_score"]) == ("PARSE_ERROR", 0.0)
        assert result["judge_error"]


def test_whatever_a_session_of_ones_own_raises_is_a_call_error() -> None:
    result = judge_score(a_sample(Theirs(status=401)))
    assert result["judge_error"] == "401 Client Error"
    assert (result["judge_grade"], result["judge_score"], result["judge_status"]) == ("CALL_ERROR", 0.0, "call_error")


@pytest.mark.parametrize("body", [{}, {"choices": []}, [], {"error": "no"}, {"choices": [{"text": "old"}]}])
def test_a_body_without_a_message_is_a_call_error(body: Any) -> None:
    with pytest.raises(CallError, match=r"no choices\[0\]\.message"):
        judge_call(JudgeConfig(**JUDGE), "?", session=Theirs(body=body))


def test_content_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "GRADE: "}, {"type": "text", "text": "C"}]
    assert judge_call(JudgeConfig(**JUDGE), "?", session=Theirs(parts)) == "GRADE: C"


def test_a_bad_status_of_the_endpoint_raises_and_the_key_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "hush-hush-key")

    def refuse(request: HttpRequest) -> HttpAnswer:
        return chat_answer({"error": {"message": "hush-hush-key is no key"}}, status=401)

    with endpoint(refuse) as url:
        config = {"url": url, "model_id": "m", "api_key": "JUDGE_KEY"}
        with pytest.raises(CallError, match="HTTP 401: the endpoint refuses the key") as raised:
            judge_call(JudgeConfig.from_dict(config), "?")
        result = judge_score(a_sample(judge=config))
    assert result["judge_grade"] == "CALL_ERROR"
    assert "hush" not in f"{raised.value} {raised.value.failure} {result}"


def test_an_endpoint_that_is_not_there_is_a_call_error() -> None:
    result = judge_score(a_sample(JudgeSession(2, clock=FakeClock()), judge={**JUDGE, "url": "http://127.0.0.1:9/v1"}))
    assert (result["judge_grade"], result["judge_score"], result["judge_status"]) == ("CALL_ERROR", 0.0, "call_error")


def test_several_judges_stand_under_keys_of_their_own() -> None:
    asked: list[tuple[str, str]] = []

    def saying(grade: str) -> Handler:
        def reply(request: HttpRequest) -> HttpAnswer:
            asked.append((grade, json.loads(request.body)["model"]))
            return chat_answer(chat_body(f"GRADE: {grade}"))

        return reply

    with endpoint(saying("C")) as first, endpoint(saying("4")) as second:
        sample = a_sample(judge={"url": first, "model_id": "judge-a"}, judge_1={"url": second, "model_id": "judge-b"})
        a = judge_score(sample, template="binary_qa")
        b = judge_score(sample, template="likert_5", judge_key="judge_1")
    assert {**a, "quality": b["judge_score"]} == {"judge_score": 1.0, "judge_grade": "C", "quality": 0.8}
    assert asked == [("C", "judge-a"), ("4", "judge-b")]


def test_a_judge_may_be_given_as_its_settings_object() -> None:
    with endpoint(lambda request: chat_answer(chat_body(f"{len(prompt_of(request))}\nGRADE: C"))) as url:
        assert judge_score(a_sample(judge=JudgeConfig(url, "m")))["judge_score"] == 1.0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"judge_key": "judge_9"}, ValueError, r"requires sample.config\['judge_9'\]"),
        ({"grade_pattern": "GRADE: [CI]"}, ConfigError, "exactly one group"),
        ({"grade_pattern": "(GRADE): ([CI])"}, ConfigError, "exactly one group"),
        ({"template": "binary_qq"}, ByobError, "did you mean binary_qa"),
        ({"template": None}, ByobError, "a shipped template's name or a text, not None"),
        ({"response_format": "json"}, ByobError, "response_format is a mapping"),
        ({"template": "{nothing} {question}"}, TemplateError, r"\{nothing\}, which has no value"),
        ({"score_mapping": {"C": "one"}}, ByobError, "must give a number for 'C'"),
    ],
)
def test_a_mistake_of_ones_own_is_raised_before_anything_is_posted(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    session = Theirs()
    with pytest.raises(error, match=message):
        judge_score(a_sample(session), **settings)
    assert session.posted == []
