"""The Jinja environment for prompts: immutable, strict about names, and bounded in time and memory.

A template may come from a stranger's task file, so it gets no attribute of Python's, no file, and no way to make
a text of a gigabyte or a loop without end. Data is never compiled, only put in place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from jinja2 import StrictUndefined, Undefined, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from gavelkit.core.path import did_you_mean

MAX_CHARACTERS = 10_000_000
MAX_LOOP_STEPS = 100_000
MAX_BITS = 4096
STEPS = " steps"  # a name that no template can write

_DROPPED_GLOBALS = ("lipsum", "cycler", "joiner", "namespace")
_DROPPED_FILTERS = ("center", "format", "indent", "wordwrap", "xmlattr", "pprint", "random", "urlize", "batch", "slice")
_GROWING_METHODS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "format", "format_map", "translate"})


class Missing(StrictUndefined):
    """An undefined name. Its message suggests the nearest field of the mapping it was looked up in."""

    @property
    def _undefined_message(self) -> str:
        name = str(self._undefined_name)
        if isinstance(self._undefined_obj, Mapping):
            return f"there is no field {name!r}{did_you_mean(name, self._undefined_obj)}"
        return super()._undefined_message


class Sandbox(ImmutableSandboxedEnvironment):
    """One environment serves every template; it holds no state of a render."""

    intercepted_binops: ClassVar[frozenset[str]] = frozenset({"*", "**", "+", "%"})  # type: ignore[misc] # jinja2 types it as an instance attribute

    def __init__(self) -> None:
        super().__init__(undefined=Missing, autoescape=False, finalize=_as_text, cache_size=0)
        for name in _DROPPED_GLOBALS:
            del self.globals[name]
        for name in _DROPPED_FILTERS:
            del self.filters[name]
        self.filters["replace"] = _replace
        self.filters["join"] = _join
        self.filters[_CONCAT] = _concat
        self.filters[_COUNTED] = _counted

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        bounded: nodes.Template = _Bounding().visit(tree)
        return bounded

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field before a method: `doc.items` is the field where there is one."""
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        found = super().getattr(obj, attribute)
        if isinstance(found, Undefined) and isinstance(obj, Mapping):
            return self.undefined(obj=obj, name=attribute)
        return found

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Sums, products and powers, refused where the result would be enormous."""
        _check_operands(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call, refused where a text method would pad or format to any size."""
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, str):
            name = getattr(obj, "__name__", "")
            if name in _GROWING_METHODS:
                message = f"the text method {name} is not allowed in a prompt"
                raise SecurityError(message)
            if name == "replace":
                return _replace(owner, *args, **kwargs)
            if name == "join":
                return _join(args[0], owner)
        return super().call(context, obj, *args, **kwargs)


_CONCAT = "concat of gavelkit"
_COUNTED = "counted by gavelkit"


class _Bounding(NodeTransformer):
    """Puts a bound on `~`, which the sandbox does not see, and on every loop."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja2's naming
        self.generic_visit(node)
        return nodes.Filter(nodes.List(node.nodes), _CONCAT, [], [], None, None, lineno=node.lineno)

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja2's naming
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, _COUNTED, [], [], None, None, lineno=node.lineno)
        return node


@pass_context
def _counted(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    if isinstance(items, Undefined):
        iter(items)  # raises, naming what is missing
    steps: Any = context.resolve(STEPS)
    for item in items:
        steps[0] += 1
        if steps[0] > MAX_LOOP_STEPS:
            message = f"the template's loops take more than {MAX_LOOP_STEPS:,} steps"
            raise SecurityError(message)
        yield item


def _concat(parts: list[Any]) -> str:
    return _bounded_text("".join(str(_as_text(part)) for part in parts))


def _replace(text: Any, old: str, new: str, count: int = -1) -> str:
    source, old, new = str(text), str(old), str(new)
    found = source.count(old) if count is None or count < 0 else min(count, source.count(old))
    _check_size(len(source) + found * len(new))
    return source.replace(old, new, found)


def _join(items: Iterable[Any], d: str = "", attribute: str | None = None) -> str:
    texts = [str(item[attribute] if attribute else item) for item in items]
    _check_size(sum(map(len, texts)) + len(texts) * len(d))
    return d.join(texts)


def _check_operands(operator: str, left: Any, right: Any) -> None:
    if operator == "%" and isinstance(left, str):
        message = "texts are not formatted with % in a prompt; use {{ value|round(2) }}"
        raise SecurityError(message)
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(operator, left, right)
    elif operator == "*":
        _check_size(_length(left) * _count(right) + _length(right) * _count(left))
    elif operator == "+":
        _check_size(_length(left) + _length(right))


def _check_bits(operator: str, left: int, right: int) -> None:
    bits = left.bit_length() * right if operator == "**" and right > 0 else left.bit_length() + right.bit_length()
    if bits > MAX_BITS:
        message = "a number in the template grows without bound"
        raise SecurityError(message)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _check_size(characters: int) -> None:
    if characters > MAX_CHARACTERS:
        message = f"the template makes a text of more than {MAX_CHARACTERS:,} characters"
        raise SecurityError(message)


def _bounded_text(text: str) -> str:
    _check_size(len(text))
    return text


def _as_text(value: Any) -> Any:
    """Nested values are shown as JSON, as a reader of prompts expects."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_variable(name: str) -> bool:
    """Whether a column's name can be written as a variable."""
    return _WORD.fullmatch(name) is not None
