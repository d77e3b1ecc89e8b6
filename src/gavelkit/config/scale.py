"""The scale that a judge's settings declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gavelkit.core.criterion import Options, Range
from gavelkit.core.errors import ConfigError


def scale_of(settings: Mapping[str, Any], where: str) -> Range | Options | None:
    """Named options, two ends, or None. Raises ConfigError where they contradict each other."""
    options, ends = settings.get("options"), settings.get("scale")
    if options and ends:
        message = f"{where}: options and scale are two scales; keep one"
        raise ConfigError(message)
    if settings["clamp"] and not ends:
        message = f"{where}: clamp needs a scale"
        raise ConfigError(message)
    if options:
        return Options(options)
    return Range(ends[0], ends[1], settings["clamp"]) if ends else None
