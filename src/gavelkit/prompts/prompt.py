"""A system and a user template become the messages about one response."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gavelkit.core.errors import TemplateError
from gavelkit.core.example import Example, Uses
from gavelkit.core.message import Message
from gavelkit.prompts.template import Template

FENCE = "fence"
"""The variable that holds the marker round data: templates write it beside each field's name."""

FORMAT = "response_format"
"""The variable that holds the form of the answer, where the judge sets one."""

RESERVED = frozenset({"prediction", "response", "output", "reference", "doc", FORMAT, "system", FENCE})
"""Names that a custom variable may not take."""

NOTHING: Mapping[str, Any] = MappingProxyType({})

_ANSWERS = ("response", "output", "prediction")
_FENCE_BYTES = 12


class Prompt:
    """Templates and custom variables, ready to render.

    Variables: every field of the row; `question` and the like by their aliases; `response`, `output` and
    `prediction`, which are the same; `reference`, None where there is none; `doc`; `system`, the name of what is
    judged; custom variables, which win over fields; `response_format`, the form of the answer where one is set; and
    `fence`, one marker per prompt that no field contains. Rendering is a pure function of the row.
    """

    __slots__ = ("_custom", "_fenced", "_format", "_system", "_user", "uses")

    def __init__(
        self,
        user: Template,
        *,
        system: Template | None = None,
        custom: Mapping[str, Any] | None = None,
        response_format: str | None = None,
    ) -> None:
        self._user = user
        self._system = system
        self._custom = dict(custom or {})
        templates = [user] if system is None else [system, user]
        self.uses: Uses = user.uses
        for template in templates:
            self.uses = self.uses | template.uses
        names = frozenset().union(*(template.names for template in templates))
        self._format = response_format if FORMAT in names else None
        ours = {FENCE, *self._custom, *(() if self._format is None else (FORMAT,))}
        self._fenced = tuple(sorted(names - ours)) if FENCE in names else ()

    @property
    def material(self) -> Mapping[str, object]:
        """What shapes the prompt, for the judge's identity."""
        system = {} if self._system is None else {"system_prompt": self._system.text}
        custom = {"variables": self._custom} if self._custom else {}
        shown = {} if self._format is None else {"shown_format": self._format}
        return {"prompt_template": self._user.text, **system, **custom, **shown}

    @property
    def names(self) -> frozenset[str]:
        """Every variable the templates read."""
        return self.uses.names

    def messages(
        self, example: Example, system: str | None, *, given: Mapping[str, Any] = NOTHING
    ) -> tuple[Message, ...]:
        """The messages that ask about one system's response, or, without a system, about what is `given`.

        `given` are variables of the judge's own, which win over every other. Raises TemplateError.
        """
        variables = self._variables(example, system, given)
        user = Message("user", self._user.render(variables, place=example.place))
        if self._system is None:
            return (user,)
        return (Message("system", self._system.render(variables, place=example.place)), user)

    def _variables(self, example: Example, system: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
        variables = dict(example.fields)
        variables.update(self._custom)
        if system is not None:
            response = example.responses[system]
            for name in _ANSWERS:
                variables[name] = response
            variables["system"] = system
        variables["reference"] = example.reference
        variables["doc"] = example.doc
        variables.update(given)
        if self._format is not None:
            variables[FORMAT] = self._format
        if self._fenced:
            variables[FENCE] = self._fence(variables, example)
        return variables

    def _fence(self, variables: Mapping[str, Any], example: Example) -> str:
        if "doc" in self._fenced:  # of which the record keeps what is used
            variables = {**variables, "doc": example.only(self.uses).doc}
        texts = [str(variables[name]) for name in self._fenced if name in variables]
        whole = f"{','.join([str(len(text)) for text in texts])}:{''.join(texts)}"
        marker = hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=_FENCE_BYTES).hexdigest()
        if marker in whole:
            message = f"a field at {example.place} holds the marker of its own prompt"
            raise TemplateError(message)
        return marker
