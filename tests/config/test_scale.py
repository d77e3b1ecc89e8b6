"""The scale that a judge's settings declare: named options, two ends, or none."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.config.scale import scale_of
from gavelkit.core.criterion import Options, Range
from gavelkit.core.errors import ConfigError


@pytest.mark.parametrize(
    ("settings", "scale"),
    [
        ({}, None),
        ({"scale": (0.0, 10.0)}, Range(0, 10)),
        ({"scale": (1.0, 5.0), "clamp": True}, Range(1, 5, clamp=True)),
        ({"options": {"C": 1.0, "I": 0.0}}, Options({"C": 1.0, "I": 0.0})),
    ],
)
def test_it_is_options_or_two_ends_or_none(settings: dict[str, Any], scale: object) -> None:
    assert scale_of({"clamp": False, **settings}, "conf.yaml") == scale


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"options": {"C": 1.0}, "scale": (0.0, 1.0)}, "conf.yaml: options and scale are two scales; keep one"),
        ({"clamp": True}, "conf.yaml: clamp needs a scale"),
        ({"clamp": True, "options": {"C": 1.0}}, "conf.yaml: clamp needs a scale"),
    ],
)
def test_two_scales_and_a_clamp_without_ends_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        scale_of({"clamp": False, **settings}, "conf.yaml")
