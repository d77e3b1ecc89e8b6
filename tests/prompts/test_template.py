"""One template: data goes in word for word, and what is missing is named with line, row and the nearest field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gavelkit.core.errors import TemplateError
from gavelkit.core.example import Uses
from gavelkit.prompts import Template

DOC = {"question": "q", "items": [1, 2], "keys": "k", "nested": {"deep": 1}}


def rendered(template: str, **variables: Any) -> str:
    return Template(template).render(variables)


def refusal(template: str, **variables: Any) -> str:
    with pytest.raises(TemplateError) as caught:
        Template(template).render(variables, place="rows.jsonl:7")
    return str(caught.value)


def refused_text(template: str) -> str:
    with pytest.raises(TemplateError) as caught:
        Template(template, name="judge 'a': prompt_template")
    return str(caught.value)


# data is never a template


@given(st.text())
@example("{{ 7 * 7 }}")
@example("{% for x in range(10**9) %}{% endfor %}")
@example("{# comment #}")
@example("{% raw %}")
@example("${7*7} #{7*7} {0} {x} %s %(x)s <%= 7 %>")
@example("{{ ''.__class__ }}\r\n\0\ud800\u2028")
@example("ends in a line break\n")
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    assert rendered("{{ x }}", x=text) == text


@given(st.text(), st.text())
def test_a_text_is_put_in_once_and_not_read_again(first: str, second: str) -> None:
    assert rendered("{{ a }}|{{ b }}", a=first, b=second) == f"{first}|{second}"


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text(), min_size=3))
def test_rendering_is_a_pure_function(variables: dict[str, str]) -> None:
    template = Template("{{ a }}{% for x in [b, c] %}{{ x|upper }}{% endfor %}")
    before = dict(variables)
    assert template.render(variables) == template.render(variables)
    assert variables == before


def test_marks_of_html_are_left_alone() -> None:
    assert rendered("<b>{{ x }}</b>", x="<i>&amp;</i>") == "<b><i>&amp;</i></b>"


# what the text itself gets wrong


@pytest.mark.parametrize(
    ("template", "line", "reason"),
    [
        ("{% if x %}", 1, "Unexpected end of template"),
        ("a\n{% endfor %}", 2, "Encountered unknown tag 'endfor'"),
        ("a\nb\n{{ }}", 3, "Expected an expression"),
        ("a\n{{ x|nofilter }}", 2, "No filter named 'nofilter'"),
        ("a\n{{ x is notest }}", 2, "No test named 'notest'"),
        ("\n\n{{ 'open }}", 3, "unexpected char"),
    ],
)
def test_a_text_that_is_no_template_is_named_with_its_line(template: str, line: int, reason: str) -> None:
    assert refused_text(template).startswith(f"judge 'a': prompt_template line {line}: {reason}")


# what a row lacks


def test_a_missing_field_names_template_line_row_and_nearest_field() -> None:
    assert refusal("a\nb\n{{ doc.qestion }}", doc=DOC) == (
        "prompt_template line 3: there is no field 'qestion'; did you mean question?, first at rows.jsonl:7"
    )


def test_a_missing_field_by_index_is_named_the_same() -> None:
    assert "there is no field 'qestion'; did you mean question?" in refusal("{{ doc['qestion'] }}", doc=DOC)


def test_a_missing_variable_suggests_the_nearest_one() -> None:
    said = refusal("a\n{{ quesiton }}", question="q", doc=DOC)
    assert said.startswith("prompt_template line 2: 'quesiton' is undefined; did you mean question?")
    assert said.endswith(", first at rows.jsonl:7")


def test_a_field_of_the_document_written_without_doc_is_suggested() -> None:
    assert "'nested' is undefined; did you mean doc.nested?" in refusal("{{ nested }}", doc=DOC)


def test_of_several_missing_variables_the_one_that_is_needed_is_named() -> None:
    assert "'b' is undefined" in refusal("{{ a|default('') }}{{ b }}")


def test_where_nothing_is_near_the_names_are_listed() -> None:
    assert "'zzzz' is undefined; there are a, b" in refusal("{{ zzzz }}", a=1, b=2, _hidden=3)


def test_a_missing_field_inside_a_nested_one_is_named() -> None:
    assert "there is no field 'depe'; did you mean deep?" in refusal("{{ doc.nested.depe }}", doc=DOC)


def test_a_text_has_no_fields() -> None:
    assert "'str object' has no attribute 'foo'" in refusal("{{ x.foo }}", x="a")


def test_the_line_is_found_inside_a_macro_and_a_loop() -> None:
    assert "line 2: 'b' is undefined" in refusal("{% macro f() %}\n{{ b }}{% endmacro %}\n{{ f() }}")
    assert "line 3: 'b' is undefined" in refusal("\n{% for i in [1] %}\n{{ b }}{% endfor %}")


@pytest.mark.parametrize(
    "template",
    [
        "{{ doc.absent }}",
        "{{ doc.absent.more }}",
        "{{ doc.absent + 'x' }}",
        "{{ doc.absent ~ 'x' }}",
        "{{ [doc.absent] }}",
        "{{ doc.absent|upper }}",
        "{{ doc.absent == 'x' }}",
        "{{ 'x' in doc.absent }}",
        "{{ doc.absent() }}",
        "{% if doc.absent %}x{% endif %}",
        "{% for x in doc.absent %}x{% endfor %}",
    ],
)
def test_an_absent_field_is_never_silent(template: str) -> None:
    assert "there is no field 'absent'" in refusal(template, doc=DOC)


def test_an_absent_field_may_be_asked_for_or_given_a_default() -> None:
    assert rendered("{{ doc.absent is defined }} {{ doc.absent|default('d') }}", doc=DOC) == "False d"


def test_another_mistake_in_a_template_is_named_by_its_kind() -> None:
    assert refusal("a\n\n{{ 1 / 0 }}") == (
        "prompt_template line 3: ZeroDivisionError: division by zero, first at rows.jsonl:7"
    )


def test_without_a_place_only_the_line_is_named() -> None:
    with pytest.raises(TemplateError) as caught:
        Template("{{ 1 / 0 }}").render({})
    assert str(caught.value) == "prompt_template line 1: ZeroDivisionError: division by zero"


# fields and methods


def test_a_field_is_looked_up_before_a_method() -> None:
    assert rendered("{{ doc.items }} {{ doc.keys }}", doc=DOC) == "[1, 2] k"


def test_a_method_is_there_where_no_field_has_its_name() -> None:
    assert rendered("{% for k, v in doc.items() %}{{ k }}{{ v }}{% endfor %}", doc={"a": 1}) == "a1"
    assert rendered("{{ doc.get('b', 2) }} {{ doc.values()|list }}", doc={"a": 1}) == "2 [1]"


def test_a_field_may_have_any_name() -> None:
    assert rendered("{{ doc['with space'] }} {{ doc.__class__ }}", doc={"with space": 1, "__class__": 2}) == "1 2"


@pytest.mark.parametrize("name", ["range", "dict"])
def test_a_field_may_have_the_name_of_a_builtin(name: str) -> None:
    template = Template(f"{{{{ {name} }}}}")
    assert template.names == {name}
    assert template.render({name: "mine"}) == "mine"


# what a template reads


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("{{ a }}{% if b %}{{ c.d }}{% endif %}", {"a", "b", "c"}),
        ("{% for x in xs %}{{ x }}{{ loop.index }}{% endfor %}", {"xs"}),
        ("{% set y = z %}{{ y }}", {"z"}),
        ("{{ range(3)|list }}", {"range"}),
        ("plain", set()),
        ("{# {{ a }} #}{% raw %}{{ b }}{% endraw %}", set()),
    ],
)
def test_its_names_are_the_variables_it_reads(template: str, names: set[str]) -> None:
    assert Template(template).names == names


@pytest.mark.parametrize(
    ("template", "doc"),
    [
        ("{{ question }}", set()),
        ("{{ doc.a }}{{ doc['b'] }}", {"a", "b"}),
        ("{{ doc.a.b.c }}{% if doc.d is defined %}{% endif %}", {"a", "d"}),
        ("{% for x in doc.xs %}{{ x.y }}{% endfor %}", {"xs"}),
        ("{{ doc[name] }}", None),
        ("{{ doc[0] }}", None),
        ("{{ doc }}", None),
        ("{{ doc|tojson }}", None),
        ("{{ doc.a }}{{ doc|length }}", None),
        ("{% set d = doc %}{{ d.a }}", None),
        ("{{ doc|attr('a') }}", None),
        ("{{ doc.items() }}", None),
        ("{{ doc.keys() }}", None),
        ("{{ doc.values() }}", None),
        ("{{ doc.get('a') }}", None),
        ("{{ doc.copy() }}", None),
    ],
)
def test_its_uses_are_the_documents_fields_or_all_of_it_where_nobody_can_tell(
    template: str, doc: set[str] | None
) -> None:
    read = Template(template)
    assert read.uses == Uses(read.names, None if doc is None else frozenset(doc))
