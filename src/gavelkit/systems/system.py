"""A system: a model under test answers an example, and its reply becomes the response that is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.identity import Identity
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine, Wrap

Asked = Callable[[Example], tuple[Message, ...]]
"""What a system is sent for an example. Raises TemplateError or DataError."""


@dataclass(frozen=True, slots=True)
class System:
    """Something that answers: an engine, what it is asked about an example, and with which parameters.

    `material` is what shapes the messages, as far as it is known: templates, a program's name. `probes` are how its
    endpoint is tried before a run.
    """

    name: str
    asked: Asked
    parameters: Parameters
    engine: Engine
    material: Identity = field(default_factory=lambda: Identity({}))
    probes: tuple[Probe, ...] = ()

    @property
    def asks(self) -> Identity:
        """Everything that shapes its responses."""
        parameters = self.parameters
        return Identity(
            {
                "name": self.name,
                "model": parameters.model,
                "parameters": parameters.values,
                **({"response_format": parameters.response_format} if parameters.response_format else {}),
                **self.material.material,
            }
        )

    def request(self, example: Example, *, repeat: int = 0, judge: str = "", step: str = "") -> Request:
        """What is sent for an example. Raises TemplateError, DataError or UnicodeEncodeError."""
        labels = Labels(example.id, judge, (self.name,), step)
        return Request(self.asked(example), self.parameters, repeat, labels)

    async def answer(self, request: Request) -> Completion:
        """Its reply. Raises CallError or NotYet."""
        return await self.engine.complete(request)

    def bind(self, wrap: Wrap) -> Self:
        """The same system with its engine wrapped."""
        return replace(self, engine=wrap(self.engine))
