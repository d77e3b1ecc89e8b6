"""A criterion in a file of its own: YAML, or the JSON of an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gavelkit.config.yaml_file import read_yaml
from gavelkit.core.errors import ConfigError

_ENDINGS = (".yaml", ".yml", ".json")
"""A criterion of one word that ends so is a file's name."""


def with_criterion_file(own: Mapping[str, Any], folder: Path, where: str) -> Mapping[str, Any]:
    """The settings, with the criterion that stands in a file of its own. Raises ConfigError."""
    named = own.get("criterion")
    if not isinstance(named, str) or not named.endswith(_ENDINGS) or len(named.split()) > 1:
        return own
    criterion = read_yaml(folder / named)
    if not isinstance(criterion, dict):
        message = f"{where}: criterion: {folder / named} must hold a mapping with description and options"
        raise ConfigError(message)
    return {**own, "criterion": criterion}
