"""Readers by name."""

from __future__ import annotations

import dataclasses

import pytest

import gavelkit.parsing
from gavelkit.core.errors import ConfigError
from gavelkit.parsing import GradeParser, GradePatternParser, JsonMeanParser, JsonParser, parser_for


@pytest.mark.parametrize("name", ["grade", "json", "rating", "score", "score_first"])
def test_every_reader_has_its_name_and_version(name: str) -> None:
    parser = parser_for(name)
    assert (parser.name, parser.version) == (name, 1)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        setattr(parser, "name", "other")  # noqa: B010 - a plain assignment would not type-check
    assert not hasattr(parser, "__dict__")


def test_grade_takes_grades_and_a_pattern() -> None:
    assert parser_for("grade", grades=["C", "I"]) == GradeParser(("C", "I"))
    assert parser_for("grade", grade_pattern="(.)", grades=["C"]) == GradePatternParser("(.)", ("C",))


def test_json_takes_the_name_of_its_field() -> None:
    assert parser_for("json") == JsonParser("score")
    assert parser_for("json", score_field="overall") == JsonParser("overall")
    assert parser_for("json", score_field={"a": 10}, clamp=True) == JsonMeanParser((("a", 10),), clamp=True)


def test_an_unknown_reader_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"'scor'.*grade, json, rating, score, score_first; did you mean score\?"):
        parser_for("scor")
    with pytest.raises(ConfigError, match=r"'zzz': there are grade, json, rating, score, score_first$"):
        parser_for("zzz")


def test_only_grade_takes_a_pattern_or_grades() -> None:
    with pytest.raises(ConfigError, match="not to score"):
        parser_for("score", grade_pattern="(.)")
    with pytest.raises(ConfigError, match="not to rating"):
        parser_for("rating", grades=["C"])
    with pytest.raises(ConfigError, match="not to json"):
        parser_for("json", grades=["C"])


def test_the_public_names_are_sorted() -> None:
    assert gavelkit.parsing.__all__ == sorted(gavelkit.parsing.__all__)
