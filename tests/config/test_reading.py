"""Which reader a judge gets."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Event, Noticed
from gavelkit.core.protocols import Parser
from gavelkit.judges import Direct
from gavelkit.parsing import JsonMeanParser, JsonParser, RatingParser, ScoreFirstParser, ScoreParser

EXAMPLE = {"reasoning": "It reads well.", "score": 8}


def read_by(observed: list[Event] | None = None, **settings: Any) -> Parser:
    events = [] if observed is None else observed
    surroundings = Surroundings(Environment({}), observe=events.append)
    given = {"prompt_template": "{{ response }}", "api_base": "http://127.0.0.1:9/v1", **settings}
    judge = assemble(given, surroundings, where="conf.yaml")
    assert isinstance(judge, Direct)
    return judge.parser


@pytest.mark.parametrize(
    ("settings", "parser"),
    [
        ({}, ScoreParser()),
        ({"parser": "json"}, JsonParser()),
        ({"parser": "json", "score_field": "overall"}, JsonParser("overall")),
        ({"response_format": EXAMPLE}, JsonParser()),
        ({"parser": "json", "score_field": {"a": 10, "b": 5}}, JsonMeanParser((("a", 10.0), ("b", 5.0)))),
        (
            {"parser": "json", "score_field": {"a": 10}, "scale": [0, 1], "clamp": True},
            JsonMeanParser((("a", 10.0),), clamp=True),
        ),
        ({"response_format": {"a": 1, "b": 1}, "score_field": {"b": 10}}, JsonMeanParser((("b", 10.0),))),
        ({"response_format": {"overall": "8"}, "score_field": "overall"}, JsonParser("overall")),
        ({"response_format": {"type": "json_object"}}, JsonParser()),
        ({"response_format": {"type": "json_schema", "json_schema": {}}}, JsonParser()),
        ({"response_format": {"type": "text"}}, ScoreParser()),
        ({"response_format": EXAMPLE, "parser": "score_first"}, ScoreFirstParser()),
        ({"response_format": {"note": "none"}, "parser": "rating"}, RatingParser()),
        ({"response_format": EXAMPLE, "preset": "mt_bench_single"}, JsonParser()),
    ],
)
def test_a_form_of_json_implies_the_reader_json(settings: dict[str, Any], parser: Parser) -> None:
    assert read_by(**settings) == parser


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"response_format": {"scor": 8}}, "no field 'score', the score_field; did you mean scor?"),
        (
            {"response_format": {"score": True}},
            "response_format.score is the score_field and must be a number, not true",
        ),
        ({"response_format": {"score": None}}, "not null"),
        ({"response_format": EXAMPLE, "score_field": "reason"}, "no field 'reason'"),
        ({"response_format": EXAMPLE, "options": {"C": 1}}, "belong to the parser grade, not to json"),
        ({"response_format": {"a": 1}, "score_field": {"a": 10, "b": 10}}, "no field 'b', the score_field"),
        ({"score_field": ""}, "score_field must be a text"),
        ({"response_format": [8]}, "response_format must be a mapping"),
    ],
)
def test_an_example_that_could_never_be_read_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_by(**settings)
    assert words in str(caught.value)


def test_a_score_field_that_no_reader_reads_is_noticed() -> None:
    events: list[Event] = []
    read_by(events, score_field="overall")
    assert events == [Noticed("conf.yaml 'judge': score_field is read by the parser json, not by score")]
