"""One template: compiled once, rendered for each example, clear about what it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Any

from jinja2 import TemplateSyntaxError, UndefinedError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import new_context

from gavelkit.core.errors import TemplateError
from gavelkit.core.example import Uses
from gavelkit.core.path import did_you_mean
from gavelkit.prompts.sandbox import STEPS, Sandbox

_SANDBOX = Sandbox()
_NAMING = _SANDBOX.overlay()
_NAMING.globals = {}  # so that `range` is a name like any other: a row may have a field of that name
_MAPPING_METHODS = frozenset({"items", "keys", "values", "get", "copy"})


class Template:
    """A Jinja2 template. `name` is what messages call it.

    Raises TemplateError, with the line, where the text is no template.
    """

    __slots__ = ("__dict__", "name", "text")

    def __init__(self, text: str, *, name: str = "prompt_template") -> None:
        self.text = text
        self.name = name
        try:
            self._compiled = _SANDBOX.from_string(text)
        except TemplateSyntaxError as error:
            message = f"{name} line {error.lineno}: {error.message}"
            raise TemplateError(message) from error
        except (RecursionError, SyntaxError, ValueError) as error:
            message = f"{name}: too deeply nested, or holds what no prompt can: {error}"
            raise TemplateError(message) from error

    @cached_property
    def names(self) -> frozenset[str]:
        """Every variable the template reads."""
        return frozenset(meta.find_undeclared_variables(_NAMING.parse(self.text)))

    @cached_property
    def _globals(self) -> Mapping[str, Any]:
        return {name: value for name, value in _SANDBOX.globals.items() if name in self.names}

    @cached_property
    def uses(self) -> Uses:
        """Which fields of an example the template reads."""
        tree = _SANDBOX.parse(self.text)
        whole, fields = False, set()
        named = set()
        lookups: list[nodes.Getattr | nodes.Getitem] = [*tree.find_all(nodes.Getattr), *tree.find_all(nodes.Getitem)]
        for node in lookups:
            if isinstance(node.node, nodes.Name) and node.node.name == "doc":
                field = _constant(node)
                if field is not None and field not in _MAPPING_METHODS:
                    named.add(id(node.node))
                    fields.add(field)
        for name in tree.find_all(nodes.Name):
            whole = whole or (name.name == "doc" and id(name) not in named)
        return Uses(self.names, None if whole else frozenset(fields))

    def render(self, variables: Mapping[str, Any], *, place: str = "") -> str:
        """The text for one row. Raises TemplateError naming the template's line and the row's `place`."""
        try:
            return self._rendered(variables)
        except UndefinedError as error:
            raise self._error(error, self._missing(error, variables), place) from error
        except SecurityError as error:
            raise self._error(error, str(error), place) from error
        except Exception as error:
            raise self._error(error, f"{type(error).__name__}: {error}", place) from error

    def _rendered(self, variables: Mapping[str, Any]) -> str:
        """Jinja's own `render` without its two copies of the variables."""
        given = {**self._globals, **variables, STEPS: [0]}
        try:
            context = new_context(_SANDBOX, None, self._compiled.blocks, given, shared=True, globals={})
            return _SANDBOX.concat(self._compiled.root_render_func(context))
        except Exception:  # noqa: BLE001 - passed on with the template's own lines in its traceback
            return str(_SANDBOX.handle_exception())

    def _missing(self, error: UndefinedError, variables: Mapping[str, Any]) -> str:
        known = [name for name in variables if not name.startswith("_")]
        doc = variables.get("doc")
        if isinstance(doc, Mapping):
            known += [f"doc.{name}" for name in doc]
        for name in sorted(self.names - variables.keys()):
            if f"'{name}'" in str(error.message):
                near = f"doc.{name}"
                hint = f"; did you mean {near}?" if near in known else did_you_mean(name, known)
                return f"{name!r} is undefined{hint}; a field of another name is given by map: {{{name}: ...}}"
        return str(error.message)

    def _error(self, error: Exception, message: str, place: str) -> TemplateError:
        line = _template_line(error.__traceback__)
        where = f", first at {place}" if place else ""
        return TemplateError(f"{self.name} line {line}: {message}{where}")


def _constant(node: nodes.Getattr | nodes.Getitem) -> str | None:
    if isinstance(node, nodes.Getattr):
        return node.attr
    argument = node.arg
    return argument.value if isinstance(argument, nodes.Const) and isinstance(argument.value, str) else None


def _template_line(traceback: TracebackType | None) -> int:
    line = 1
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == "<template>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
