"""What goes to an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gavelkit.core.identity import canonical, digest


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation sent to a model."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """The model and what is asked of it, as the wire has it. `text` is its canonical form, made once.

    `response_format` is JSON text, since the order of its keys is part of the question: a model fills in a schema's
    properties as they stand. `plain` is True where all messages go as one text, without their roles: to a model the
    same words are another question then.
    """

    model: str
    values: Mapping[str, object] = field(default_factory=dict)
    response_format: str = ""
    plain: bool = field(default=False, kw_only=True)
    text: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        text = canonical({"model": self.model, **self.values})
        if self.response_format:
            text = f'{text[:-1]},"response_format":{self.response_format}}}'
        object.__setattr__(self, "text", text)


@dataclass(frozen=True, slots=True)
class Labels:
    """Whose call this is. Rides along with a request and is no part of its key."""

    example_id: str = ""
    judge: str = ""
    systems: tuple[str, ...] = ()
    step: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model. Equal keys mean the same question, so they are asked once.

    `apart` keeps equal questions apart where their replies are not interchangeable, as replies recorded by example.
    Raises UnicodeEncodeError on creation where a message cannot be sent as UTF-8 (a lone surrogate).
    """

    messages: tuple[Message, ...]
    parameters: Parameters
    repeat: int = 0
    labels: Labels = Labels()
    apart: str = ""
    key: bytes = field(init=False, compare=False)

    def __post_init__(self) -> None:
        parts = [self.parameters.text, self.apart, *(["plain"] if self.parameters.plain else [])]
        for message in self.messages:
            parts.append(message.role)
            parts.append(message.content)
        object.__setattr__(self, "key", digest(parts, repeat=self.repeat))
