"""A stranger's template reaches nothing of Python's, and ends soon and small whatever it tries."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import TemplateError
from gavelkit.prompts import Template
from gavelkit.prompts.sandbox import MAX_CHARACTERS

DOC = {"question": "q", "items": [1, 2], "nested": {"a": 1}}
GIVEN: dict[str, Any] = {"doc": DOC, "text": "x" * 1_000_000, "xs": list(range(1000)), "name": "n", "n": 3}


def rendered(template: str, **variables: Any) -> str:
    return Template(template).render({**GIVEN, **variables}, place="rows.jsonl:7")


def refusal(template: str) -> str:
    with pytest.raises(TemplateError) as caught:
        rendered(template)
    return str(caught.value)


# escapes

ESCAPES = [
    "{{ ''.__class__ }}",
    "{{ ''['__class__'] }}",
    "{{ ''|attr('__class__') }}",
    "{{ ''|attr('__cla' ~ 'ss__') }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ [].__class__.__base__.__subclasses__() }}",
    "{{ dict.__base__ }}",
    "{{ range.__init__.__globals__ }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__.os.popen('touch canary').read() }}",
    "{{ joiner.__init__.__globals__.os }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('touch canary').read() }}",
    "{% for i in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "{{ ''.join.__self__ }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ '{a.__class__}'.format_map({'a': 1}) }}",
    "{{ ('{0.__class__}'|safe).format(1) }}",
    "{{ (['{0.__class__}']|map(attribute='format')|first)(1) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(1) }}",
    "{{ '{0.__class__}'|format(1) }}",
    "{{ '%s' % 'a' }}",
    "{{ ['']|map(attribute='__class__')|list }}",
    "{{ ['']|map('attr', '__class__')|list }}",
    "{{ [1]|sum('__class__') }}",
    "{{ [1]|groupby('__class__') }}",
    "{{ [doc]|join(attribute='__class__') }}",
    "{{ text|attr('format')|attr('__self__') }}",
    "{% import 'os' as os %}",
    "{% from 'os' import path %}",
    "{% include '/etc/passwd' %}",
    "{% extends '/etc/passwd' %}",
    "{{ config }}",
    "{{ request.application.__globals__ }}",
    "{{ xs.append(1) }}",
    "{{ xs.clear() }}",
    "{{ xs.sort(key=1) }}",
    "{{ doc.update({'a': 1}) }}",
    "{{ doc.pop('question') }}",
    "{{ doc.setdefault('a', 1) }}",
]


@pytest.mark.parametrize("template", ESCAPES)
def test_an_escape_is_refused(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = repr(GIVEN)
    assert refusal(template).startswith("prompt_template line 1: ")
    assert list(tmp_path.iterdir()) == []
    assert repr(GIVEN) == before


@pytest.mark.parametrize("template", ["{{ ''.upper }}", "{{ range }}", "{{ xs|map('string') }}", "{{ [doc.keys] }}"])
def test_what_python_shows_by_its_address_is_no_text(template: str) -> None:
    assert "is no text: a filter such as map needs |list after it, a method needs ()" in refusal(template)


# bombs


def tower(of: str = "xs", *, named: str = "a", floors: int = 12) -> str:
    """A list of ten lists of ten lists and so on: small in memory, without end as text."""
    return f"{{% set {named} = [{of}] %}}" + f"{{% set {named} = [{','.join([named] * 10)}] %}}" * floors


def tenfold(floors: int = 9) -> str:
    """Texts put together by set blocks, which no operator sees, each ten times the one before."""
    blocks = [f"{{% set t{n + 1} %}}{f'{{{{ t{n} }}}}' * 10}{{% endset %}}" for n in range(floors)]
    return "{% set t0 %}aaaaaaaaaa{% endset %}" + "".join(blocks)


LOOP = "{% for i in range(99999) %}"
END = "{% endfor %}"
BOMBS = {
    "a product of texts": "{{ 'a' * 10**9 }}",
    "a product the other way round": "{{ 10**9 * 'a' }}",
    "a product of lists": "{{ [1] * 10**9 }}",
    "a power": "{{ 2 ** 100000000 }}",
    "a power of a power": "{{ (2 ** 4000) ** 4000 }}",
    "a product of many numbers": "{{ 10**1000 * 10**1000 }}",
    "a sum of texts": "{% set a = 'a' * 9999999 %}{{ a + a }}",
    "a sum of lists": "{% set a = [1] * 99999 %}{{ a + a }}",
    "doubling by ~": "{% set a = text %}" + "{% set a = a ~ a %}" * 40 + "{{ a|length }}",
    "doubling by +": "{% set a = text %}" + "{% set a = a + a %}" * 40 + "{{ a|length }}",
    "doubling by replace": "{% set a = 'ab' %}" + "{% set a = a|replace('a', 'aa') %}" * 40 + "{{ a|length }}",
    "doubling by the method replace": "{% set a = 'ab' %}" + "{% set a = a.replace('a', 'aa') %}" * 40 + "{{ a }}",
    "doubling by join": "{% set a = text %}" + "{% set a = [a, a]|join %}" * 40 + "{{ a|length }}",
    "doubling by the method join": "{% set a = text %}" + "{% set a = ''.join([a, a]) %}" * 40 + "{{ a|length }}",
    "replacing every letter by a text": "{{ text|replace('x', text) }}",
    "a long join": "{{ range(99999)|join('a' * 1000) }}",
    "tenfold set blocks": tenfold() + "{{ t9|length }}",
    "tenfold macros": "{% macro f(n) %}" + "{{ f(n - 1) if n else 'aaaaaaaaaa' }}" * 10 + "{% endmacro %}{{ f(9) }}",
    "a macro that calls itself twice": (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}"
    ),
    "a macro that calls itself for ever": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "ljust": "{{ 'a'.ljust(10**9) }}",
    "rjust": "{{ 'a'.rjust(10**9) }}",
    "center": "{{ 'a'.center(10**9) }}",
    "zfill": "{{ 'a'.zfill(10**9) }}",
    "expandtabs": "{{ '\t'.expandtabs(10**9) }}",
    "translate": "{{ text.translate({120: text}) }}",
    "format": "{{ '{:>1000000000}'.format(1) }}",
    "format_map": "{{ '{a:>1000000000}'.format_map({'a': 1}) }}",
    "format of a safe text": "{{ ('{:>1000000000}'|safe).format(1) }}",
    "percent": "{{ '%1000000000d' % 1 }}",
    "bytes": "{{ 'a'.encode().ljust(10**9) }}",
    "an integer's bytes": "{{ (1).to_bytes(10**9, 'big') }}",
    "the filter center": "{{ 'a'|center(10**9) }}",
    "the filter indent": "{{ 'a'|indent(10**9) }}",
    "the filter format": "{{ '%1000000000d'|format(1) }}",
    "the filter wordwrap": "{{ text|wordwrap(1, wrapstring=text) }}",
    "the filter batch": "{{ [1]|batch(10**9, 0)|list }}",
    "the filter slice": "{{ [1]|slice(10**9)|list }}",
    "the filter striptags": "{{ ('<!---->' * 1000000)|striptags }}",
    "the method striptags": "{{ ('<!---->' * 1000000)|safe.striptags() }}",
    "round down to the left": "{{ 10|round(-10**9) }}",
    "round by map": "{{ xs|map('round', -10**9)|list }}",
    "round known when compiled": "{{ 10|round(-1000000000) }}",
    "an indent of JSON": "{{ {'a': 1}|tojson(indent=10**9) }}",
    "a sum that grows": "{{ (([[1] * 1000]) * 50)|sum(start=[])|length }}",
    "nested loops": "{% for i in range(99999) %}" * 3 + "x" + END * 3,
    "nested loops over data": "{% for i in xs %}" * 5 + "x" + END * 5,
    "a loop over a text's letters": "{% for letter in text %}{% endfor %}",
    "a recursive loop": ("{% for i in xs recursive %}{% if loop.depth < 9 %}{{ loop(xs) }}{% endif %}{% endfor %}"),
    "a loop that shows a text": LOOP + "{{ text }}" + END,
    "a loop that makes texts": LOOP + "{% set a = 'a' * 9999999 %}" + END,
    "a loop that sets blocks": LOOP + "{% set a %}{{ text }}{% endset %}" + END,
    "a loop of filters": LOOP + "{{ text|upper|length }}" + END,
    "a loop of methods": LOOP + "{{ text.upper()|length }}" + END,
    "a loop of growing filters": LOOP + "{{ 'ab'|replace('b', text)|length }}" + END,
    "a loop of growing methods": LOOP + "{{ 'ab'.replace('b', text)|length }}" + END,
    "a loop of searches": LOOP + "{% if 'z' in text %}{% endif %}" + END,
    "a loop of tests": LOOP + "{% if text is in ['z' ~ text] %}{% endif %}" + END,
    "a loop with a long body": LOOP + "{% set a = i - 1 %}" * 500 + END,
    "a tower of lists shown": tower() + "{{ a }}",
    "a tower of lists as text": tower() + "{{ a|string|length }}",
    "a tower of lists joined": tower() + "{{ a ~ 'x' }}",
    "a tower of dicts": "{% set a = {'k': xs} %}" + "{% set a = {'k': a, 'l': a, 'm': a} %}" * 25 + "{{ a|tojson }}",
    "two towers compared": tower() + tower(named="b") + "{{ a == b }}",
    "a tower as a key": tower().replace("[", "(").replace("]", ")") + "{{ {a: 1} }}",
    "a tower in a call": tower() + "{{ dict(k=a)|length }}",
}


@contextmanager
def megabytes_more(megabytes: int) -> Iterator[None]:
    """Lets the process grow by so much and no further, where the system can tell."""
    table = Path("/proc/self/statm")
    if not table.exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(table.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 1024 * 1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_ends_within_a_second_and_200_megabytes(bomb: str) -> None:
    started = time.process_time()
    with megabytes_more(200):
        said = refusal(bomb)
    assert time.process_time() - started < 1
    assert "MemoryError" not in said


@pytest.mark.parametrize(
    ("bomb", "reason"),
    [
        ("a product of texts", "the template makes a text of more than 10,000,000 characters"),
        ("a power", "a number in the template grows without bound"),
        ("nested loops", "the template takes more than 100,000 steps"),
        ("ljust", "the method ljust is not allowed in a prompt"),
        ("format", "the method format is not allowed in a prompt"),
        ("the filter center", "No filter named 'center'"),
        ("percent", "texts are not formatted with % in a prompt; use {{ value|round(2) }}"),
        ("a recursive loop", "a recursive loop is not allowed in a prompt"),
        ("round down to the left", "round takes a precision up to 100, not -1000000000"),
        ("an indent of JSON", "tojson takes an indent up to 8, not 1000000000"),
        ("a sum that grows", "sum adds numbers; join puts texts and lists together"),
    ],
)
def test_a_bomb_is_told_why_it_was_refused(bomb: str, reason: str) -> None:
    assert reason in refusal(BOMBS[bomb])


def test_a_prompt_may_have_ten_million_characters_and_no_more() -> None:
    assert len(rendered("{{ long }}", long="a" * MAX_CHARACTERS)) == MAX_CHARACTERS
    with pytest.raises(TemplateError, match=r"a text of more than 10,000,000 characters, first at rows\.jsonl:7"):
        rendered("{{ long }}.", long="a" * MAX_CHARACTERS)


NESTED = {
    "brackets": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "sums": "{{ " + "1 + " * 20000 + "1 }}",
    "loops": "{% for i in xs %}" * 25 + "{% endfor %}" * 25,
    "a number of 5000 digits": "{{ " + "9" * 5000 + " }}",
}


@pytest.mark.parametrize("template", NESTED.values(), ids=NESTED.keys())
def test_what_cannot_be_compiled_is_a_mistake_of_the_template(template: str) -> None:
    with pytest.raises(TemplateError, match=r"^mine: too deeply nested, or holds what no prompt can: "):
        Template(template, name="mine")


# what stays allowed


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% for i in range(3) %}{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}", "1, 2, 3"),
        ("{% for turn in turns %}{{ turn.role }}: {{ turn.content }}\n{% endfor %}", "user: hi\nmodel: hello\n"),
        ("{% for k, v in doc.nested.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"),
        ("{% for i in [] %}x{% else %}none{% endfor %}", "none"),
        ("{% for i in xs if i < 3 %}{{ i }}{% endfor %}", "012"),
        (
            "{{ 1 + 2 * 3 ** 2 }} {{ 7 % 4 }} {{ 2.5 * 2 }} {{ 1.5 + 1 }} {{ -n }} {{ 1.5 ** 2 }}",
            "19 3 5.0 2.5 -3 2.25",
        ),
        (
            "{{ 'ab' + 'cd' }} {{ 'ab' * 2 }} {{ 2 * 'ab' }} {{ [1] + [2] }} {{ [1] * 2 }}",
            "abcd abab abab [1, 2] [1, 1]",
        ),
        ("{{ 'a' ~ 1 ~ [2] ~ none }}", "a1[2]None"),
        ("{{ ' a '|trim|upper }} {{ xs|length }} {{ xs|first }} {{ [3, 1]|sort|last }}", "A 1000 0 3"),
        ("{{ [1, 2]|map('string')|list }} {{ [{'a': 1}]|map(attribute='a')|join }}", '["1", "2"] 1'),
        (
            "{{ [1, 2]|join(', ') }} {{ ', '.join(['a', 'b']) }} {{ turns|join('+', attribute='role') }}",
            "1, 2 a, b user+model",
        ),
        ("{{ 'aaa'|replace('a', 'b', 2) }} {{ 'aaa'.replace('a', 'b') }} {{ 'aaa'|replace('a', 'b') }}", "bba bbb bbb"),
        ("{{ 2.345|round(2) }} {{ 7|round(-1) }} {{ 2.1|round(0, 'ceil') }}", "2.35 10 3.0"),
        ("{{ [1, 2]|sum }} {{ [{'a': 1.5}]|sum('a', 1) }}", "3 2.5"),
        ("{{ {'b': 1}|tojson }} {{ {'b': 1}|tojson(indent=2) }}", '{"b": 1} {\n  "b": 1\n}'),
        ("{{ doc.nested }} {{ doc.get('none', 'd') }} {{ 'q' in doc.question }}", '{"a": 1} d True'),
        ("{% set a %}x{{ n }}{% endset %}{{ a }}{% macro f(b) %}[{{ b }}]{% endmacro %}{{ f(a) }}", "x3[x3]"),
        ("{{ 'Ü'|e }} {{ '<b>'|e }} {{ '<b>' }}", "Ü &lt;b&gt; <b>"),
        ("{{ 'a b'.split() }} {{ 'abc'.startswith('a') }} {{ text.count('x') }}", '["a", "b"] True 1000000'),
        ("{{ true }} {{ none }} {{ 1.0 }} {{ (1, 2) }}", "True None 1.0 (1, 2)"),
        ("{{ 'odd' if n is odd else 'even' }} {{ n is defined }} {{ nn is defined }}", "odd True False"),
    ],
)
def test_what_prompts_need_is_allowed(template: str, text: str) -> None:
    turns = [{"role": "user", "content": "hi"}, {"role": "model", "content": "hello"}]
    assert rendered(template, turns=turns) == text


@given(st.dictionaries(st.text(), st.lists(st.integers() | st.text() | st.none() | st.booleans())))
def test_a_nested_value_is_shown_as_json(value: dict[str, Any]) -> None:
    assert rendered("{{ x }}", x=value) == json.dumps(value, ensure_ascii=False)


def test_a_value_of_python_inside_a_list_is_shown_as_text() -> None:
    assert rendered("{{ x }}", x=[Path("a")]) == '["a"]'


def test_a_thousand_turns_are_few_steps() -> None:
    turns = [{"content": f"turn {n} " * 50} for n in range(1000)]
    text = rendered(
        "{% for turn in turns %}{% if turn.content %}- {{ turn.content|trim }}\n{% endif %}{% endfor %}", turns=turns
    )
    assert text.count("\n") == 1000


def test_a_document_of_a_million_characters_is_shown() -> None:
    assert len(rendered("{{ text }}{{ text|upper }}{{ doc }}", doc={"a": "x" * 1_000_000})) > 3_000_000
