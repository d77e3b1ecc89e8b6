"""The Jinja environment for prompts: immutable, strict about names, and bounded in time and memory.

A template may come from a stranger's task file, so it gets no attribute of Python's, no file, and no way to make
a text of a gigabyte or a loop without end: every operation is charged in steps for the size of what it works on, so
a template that does too much stops at the same place on every machine. Data is never compiled, only put in place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, ClassVar

from jinja2 import Environment, StrictUndefined, Undefined, nodes, pass_context, pass_environment, pass_eval_context
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.filters import do_round, do_sum, do_tojson
from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from gavelkit.core.path import did_you_mean

MAX_CHARACTERS = 10_000_000
MAX_STEPS = 100_000
MAX_BITS = 4096
MAX_PRECISION = 100
MAX_INDENT = 8
STEPS = " steps"  # a name that no template can write

_CHARACTERS_PER_STEP = 400
_CHARACTERS_PER_ITEM = 200  # what an item of a list weighs besides its own text
_NODES_PER_STEP = 50  # of a loop's body
_STEPS_PER_CALL = 4

_DROPPED_GLOBALS = ("lipsum", "cycler", "joiner", "namespace")
_DROPPED_FILTERS = (
    *("center", "format", "indent", "wordwrap", "xmlattr", "pprint", "random", "urlize", "batch", "slice", "striptags"),
)
_GROWING_METHODS = frozenset(
    {"center", "ljust", "rjust", "zfill", "expandtabs", "format", "format_map", "translate", "striptags"}
    | {"encode", "to_bytes"}  # bytes have growing methods of their own
)


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
        ours = {"replace": _replace, "join": _join, "round": _round, "sum": _sum, "tojson": _tojson}
        internal = {_CONCAT: _concat, _CHARGED: _same}
        self.filters = {name: _charged(each) for name, each in {**self.filters, **ours, **internal}.items()}
        self.filters[_COUNTED] = _counted
        self.tests = {name: _charged(each) for name, each in self.tests.items()}

    @staticmethod
    def concat(pieces: Iterable[str]) -> str:
        """What jinja joins every text it makes with: the prompt, a macro's, and that of a set block."""
        kept = list(pieces)
        _check_size(sum(map(len, kept)))
        return "".join(kept)

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
        _spend(context, _size_of_result(operator, left, right))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call, refused where a method would pad or format to any size."""
        owner = getattr(getattr(obj, "__wrapped__", obj), "__self__", None)  # jinja2 wraps str.format
        name = getattr(obj, "__name__", "")
        _spend(context, _STEPS_PER_CALL * _CHARACTERS_PER_STEP + _size((owner, *args, *kwargs.values())))
        if isinstance(owner, str | int) and name in _GROWING_METHODS:
            message = f"the method {name} is not allowed in a prompt"
            raise SecurityError(message)
        if isinstance(owner, str) and name == "replace":
            return _paid(context, _replace(owner, *args, **kwargs))
        if isinstance(owner, str) and name == "join":
            return _paid(context, _join(args[0], owner))
        return _paid(context, super().call(context, obj, *args, **kwargs))


_CONCAT = "concat of gavelkit"
_CHARGED = "charged by gavelkit"
_COUNTED = "counted by gavelkit"


class _Bounding(NodeTransformer):
    """Puts a bound on what the sandbox does not see: `~`, comparisons and every loop."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja2's naming
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), _CONCAT)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - jinja2's naming
        self.generic_visit(node)
        node.expr = _filtered(node.expr, _CHARGED)
        for operand in node.ops:
            operand.expr = _filtered(operand.expr, _CHARGED)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja2's naming
        if node.recursive:
            message = "a recursive loop is not allowed in a prompt"
            raise TemplateSyntaxError(message, node.lineno)
        self.generic_visit(node)
        weight = sum(1 for _ in node.find_all(nodes.Node)) // _NODES_PER_STEP
        node.iter = _filtered(node.iter, _COUNTED, nodes.Const(weight))
        return node


def _filtered(node: nodes.Node, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None, lineno=node.lineno)


def _charged(function: Any) -> Callable[..., Any]:
    """A filter or test that is charged for what it is given and for what it makes."""
    wants = getattr(getattr(function, "jinja_pass_arg", None), "name", "")

    @pass_context
    @wraps(function)
    def charged(context: Context, *args: Any, **kwargs: Any) -> Any:
        _spend(context, _size((*args, *kwargs.values())))
        first = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        return _paid(context, function(*([first[wants]] if wants else []), *args, **kwargs))

    return charged


@pass_context
def _counted(context: Context, items: Iterable[Any], weight: int) -> Iterator[Any]:
    if isinstance(items, Undefined):
        iter(items)  # raises, naming what is missing
    for item in items:
        _spend(context, weight * _CHARACTERS_PER_STEP)
        yield item


def _spend(context: Context, characters: int) -> None:
    steps: Any = context.parent[STEPS]
    steps[0] += 1 + characters // _CHARACTERS_PER_STEP
    if steps[0] > MAX_STEPS:
        message = f"the template takes more than {MAX_STEPS:,} steps"
        raise SecurityError(message)


def _paid(context: Context, result: Any) -> Any:
    if isinstance(result, str | list | tuple):
        _spend(context, _length(result))
    return result


def _size(values: Iterable[Any]) -> int:
    """About how long values are as text. A list within itself counts each time it would be written."""
    size, left = 0, list(values)
    while left and size <= MAX_STEPS * _CHARACTERS_PER_STEP:
        value = left.pop()
        size += _length(value)
        if isinstance(value, list | tuple | dict):
            left += value
        if isinstance(value, dict):
            left += value.values()
    return size


def _same(value: Any) -> Any:
    return value


def _concat(parts: list[Any]) -> str:
    return Sandbox.concat(str(shown(part)) for part in parts)


def _replace(text: Any, old: str, new: str, count: int = -1) -> str:
    source, old, new = str(text), str(old), str(new)
    found = source.count(old) if count is None or count < 0 else min(count, source.count(old))
    _check_size(len(source) + found * len(new))
    return source.replace(old, new, found)


def _join(items: Iterable[Any], d: str = "", attribute: str | None = None) -> str:
    texts = [str(item[attribute] if attribute else item) for item in items]
    _check_size(sum(map(len, texts)) + len(texts) * len(d))
    return d.join(texts)


def _round(value: float, precision: int = 0, method: Any = "common") -> float:
    if abs(precision) > MAX_PRECISION:
        message = f"round takes a precision up to {MAX_PRECISION}, not {precision}"
        raise SecurityError(message)
    return do_round(value, precision, method)


@pass_environment
def _sum(environment: Environment, items: Iterable[Any], attribute: str | int | None = None, start: Any = 0) -> Any:
    if not isinstance(start, int | float):
        message = "sum adds numbers; join puts texts and lists together"
        raise SecurityError(message)
    return do_sum(environment, items, attribute, start)


@pass_eval_context
def _tojson(context: EvalContext, value: Any, indent: int | None = None) -> str:
    if indent is not None and indent > MAX_INDENT:
        message = f"tojson takes an indent up to {MAX_INDENT}, not {indent}"
        raise SecurityError(message)
    return do_tojson(context, value, indent)


def _size_of_result(operator: str, left: Any, right: Any) -> int:
    if operator == "%" and isinstance(left, str):
        message = "texts are not formatted with % in a prompt; use {{ value|round(2) }}"
        raise SecurityError(message)
    size = 0
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(operator, left, right)
    elif operator == "*":
        size = _length(left) * _count(right) + _length(right) * _count(left)
    elif operator == "+":
        size = _length(left) + _length(right)
    _check_size(size)
    return size


def _check_bits(operator: str, left: int, right: int) -> None:
    bits = left.bit_length() * right if operator == "**" and right > 0 else left.bit_length() + right.bit_length()
    if bits > MAX_BITS:
        message = "a number in the template grows without bound"
        raise SecurityError(message)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    return len(value) * _CHARACTERS_PER_ITEM if isinstance(value, list | tuple | dict) else 0


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _check_size(characters: int) -> None:
    if characters > MAX_CHARACTERS:
        message = f"the template makes a text of more than {MAX_CHARACTERS:,} characters"
        raise SecurityError(message)


@pass_context
def _as_text(context: Context, value: Any) -> Any:
    if type(value) is str:
        _spend(context, len(value))
        return value
    _spend(context, _size((value,)))
    return shown(value)


def shown(value: Any) -> Any:
    """Nested values as JSON, as a reader of prompts expects. What Python would show by its address is refused."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=lambda each: str(shown(each)))
    if isinstance(value, Iterator) or (callable(value) and not isinstance(value, Undefined)):
        message = f"a {type(value).__name__} is no text: a filter such as map needs |list after it, a method needs ()"
        raise SecurityError(message)
    return value
