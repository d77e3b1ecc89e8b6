"""What tells systems and evaluators apart: name, class, settings, and never a secret."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from gavelkit.integrations.context_bench import AnswerQuality
from gavelkit.integrations.context_bench_identity import identity_of, name_of


@dataclass
class Own:
    depth: int = 2
    api_key: str = "sk-secret"
    names: tuple[str, ...] = ("a", "b")
    max_tokens: int = 100
    tokenize: Any = str.split
    clean: Any = str.strip
    other: Any = field(default_factory=object)
    _state: int = 0
    name: str = "own"


def test_a_class_without_settings_is_its_name_and_class() -> None:
    told = identity_of(AnswerQuality())
    assert told == {
        "name": "answer_quality",
        "class": "gavelkit.integrations.context_bench_quality.AnswerQuality",
    }


def test_the_public_settings_of_a_dataclass_count_and_secrets_stay_out() -> None:
    settings = identity_of(Own())["settings"]
    assert settings == {
        "depth": 2,
        "names": ["a", "b"],
        "max_tokens": 100,
        "tokenize": "str.split",
        "clean": "str.strip",
        "other": "object",
        "name": "own",
    }
    assert identity_of(Own(depth=3)) != identity_of(Own())
    assert identity_of(Own(api_key="sk-other")) == identity_of(Own(other=object()))
    assert "sk-" not in json.dumps(identity_of(Own()))


def test_a_function_is_where_it_is_defined_and_no_address() -> None:
    assert name_of(name_of) == "gavelkit.integrations.context_bench_identity.name_of"
    assert name_of(Own()).endswith("Own")


def test_a_number_or_a_function_is_no_secret_whatever_its_name() -> None:
    assert identity_of(Own(max_tokens=200)) != identity_of(Own())
    assert identity_of(Own(tokenize=str.upper)) != identity_of(Own())
