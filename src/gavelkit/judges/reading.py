"""What shapes how a reply is read, for a judge's identity."""

from __future__ import annotations

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.protocols import Parser


def reads_by(parser: Parser, criterion: Criterion) -> dict[str, object]:
    """The reader and the scale, as a judge's `reads` has them."""
    return {"parser": parser.name, "version": parser.version, **_settings(parser), **scale_material(criterion)}


def scale_material(criterion: Criterion) -> dict[str, object]:
    """The scale alone; nothing where none is declared."""
    scale = criterion.scale
    if isinstance(scale, Range):
        return {"scale": [scale.low, scale.high], "clamp": scale.clamp}
    if isinstance(scale, Options):
        return {"options": dict(scale.scores)}
    return {}


def _settings(parser: Parser) -> dict[str, object]:
    """What a reader was given besides its defaults, so that a new setting changes no judge that leaves it out."""
    settings = getattr(parser, "__dataclass_fields__", {}).values()
    given = {each.name: (getattr(parser, each.name), each.default) for each in settings if each.init}
    return {
        name: sorted(value) if isinstance(value, tuple) else value  # the order of grades changes nothing
        for name, (value, default) in given.items()
        if name not in {"name", "version"} and value != default
    }
