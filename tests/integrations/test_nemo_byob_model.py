"""What the model under test is asked: texts of either kind, and the examples before them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import TemplateError
from gavelkit.core.example import Example
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_model import (
    asked_by,
    check_endpoint_type,
    drawn,
    examples_of,
    material_of,
    text_of,
)
from gavelkit.integrations.nemo_byob_registry import Benchmark, JinjaText


def a_benchmark(prompt: str = "Q: {q}", **settings: Any) -> Benchmark:
    return Benchmark(
        name="b", normalized_name="b", dataset="d", prompt=prompt, scorer_fn=lambda _sample: {}, **settings
    )


def an_example(**row: Any) -> Example:
    return Example("0", {}, {}, doc=row, source="rows.jsonl", line=3)


@pytest.mark.parametrize(
    ("text", "row", "filled"),
    [
        ("Q: {q}", {"q": "why?"}, "Q: why?"),
        ("{a.b} {c[1]}", {"a": {"b": 1}, "c": ["x", "y"]}, "1 y"),
        ("{n:.2f} {{n}} {s!r}", {"n": 1, "s": "x"}, "1.00 {n} 'x'"),
        ("[{q}]", {"q": None}, "[]"),
        ("{q}", {"q": "{a} {{ b }}"}, "{a} {{ b }}"),
        ("{# a remark #}Q: {{ q }}", {"q": "why?"}, "Q: why?"),
        ("{% for c in cs %}{{ c }};{% endfor %}", {"cs": ["x", "y"]}, "x;y;"),
        (JinjaText("Q: {{ q }}"), {"q": "{% x %}"}, "Q: {% x %}"),
        ("Q: {{ q }}", {"q": "why?"}, "Q: { q }"),
    ],
)
def test_a_text_is_filled_from_a_row_as_its_kind_says(text: str, row: dict[str, Any], filled: str) -> None:
    assert text_of(text, "prompt").filled(row, "row 0") == filled


@given(st.text())
def test_what_a_row_says_is_never_a_template(said: str) -> None:
    assert text_of("<{q}>", "prompt").filled({"q": said}, "") == f"<{said}>"


@pytest.mark.parametrize("text", ["{q}", JinjaText("{{ q }}"), "{% if q %}x{% endif %}", "{q[0]}", "{q.title}"])
def test_a_field_that_is_missing_is_an_error_with_its_place(text: str) -> None:
    with pytest.raises(TemplateError, match=r"rows.jsonl:3"):
        asked_by(a_benchmark(text))(an_example(question="why?"))


@pytest.mark.parametrize("text", ["{", "{}", "{q..x}", "{% if %}", JinjaText("{{")])
def test_a_text_that_is_no_template_is_refused_before_any_row(text: str) -> None:
    with pytest.raises(ByobError, match=r"^prompt"):
        asked_by(a_benchmark(text))


def test_what_python_knows_of_a_value_is_out_of_reach() -> None:
    with pytest.raises(TemplateError):
        text_of("{q.__class__}", "prompt").filled({"q": "x"}, "row 0")


def test_the_system_prompt_comes_first_and_is_filled_too() -> None:
    messages = asked_by(a_benchmark(system_prompt="You know {field}."))(an_example(q="why?", field="maths"))
    assert [(each.role, each.content) for each in messages] == [("system", "You know maths."), ("user", "Q: why?")]


ROWS = [{"q": f"q{n}", "target": f"a{n}"} for n in range(20)]


def test_examples_are_shown_with_their_targets_and_a_row_is_never_its_own_example() -> None:
    benchmark = a_benchmark(fewshot_prefix="Examples:\n", fewshot_separator="\n--\n")
    for row in ROWS[:3]:
        asked = asked_by(benchmark, examples_of(benchmark, ROWS[:3], 2, seed=1))
        (message,) = asked(an_example(**row))
        others = sorted(f"Q: {each['q']} {each['target']}" for each in ROWS[:3] if each != row)
        shown = message.content.removeprefix("Examples:\n").split("\n--\n")
        assert (sorted(shown[:2]), shown[2]) == (others, f"Q: {row['q']}")


def test_a_template_of_examples_says_all_of_them() -> None:
    benchmark = a_benchmark(fewshot_template="{q} -> {target}")
    (message,) = asked_by(benchmark, examples_of(benchmark, ROWS[:1], 1, seed=1))(an_example(q="new"))
    assert message.content == "q0 -> a0\n\nQ: new"


def test_other_examples_are_another_identity_though_count_and_seed_are_the_same() -> None:
    benchmark = a_benchmark()
    one, again, other = (
        material_of(benchmark, examples_of(benchmark, rows, 2, seed=1), seed=1)
        for rows in (ROWS[:3], ROWS[:3], ROWS[1:4])
    )
    assert one == again
    assert one != other


@given(st.integers(0, 5), st.integers(0, 100))
def test_the_same_seed_draws_the_same_different_rows(most: int, seed: int) -> None:
    found = drawn(ROWS, most, seed=seed)
    assert found == drawn(ROWS, most, seed=seed)
    assert len({row["q"] for row in found}) == len(found) == most + 1


def test_another_seed_draws_others() -> None:
    assert len({str(drawn(ROWS, 3, seed=seed)) for seed in range(5)}) > 1


def test_more_examples_than_there_are_rows_are_refused() -> None:
    with pytest.raises(ByobError, match=r"3 examples are wanted .* 2 rows"):
        examples_of(a_benchmark(), ROWS[:2], 3, seed=1)


def test_what_nobody_does_is_refused() -> None:
    with pytest.raises(ByobError, match=r"'completions_logprob' is not offered.*completions for a base model"):
        check_endpoint_type("completions_logprob")
    check_endpoint_type("chat")
    check_endpoint_type("completions")


def test_how_the_model_is_asked_stands_in_the_record_where_it_is_no_chat() -> None:
    assert "endpoint_type" not in material_of(a_benchmark(), None, seed=1)
    assert material_of(a_benchmark(endpoint_type="completions"), None, seed=1)["endpoint_type"] == "completions"
