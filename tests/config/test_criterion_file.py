"""A criterion in a file of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.criterion import Options
from gavelkit.core.errors import ConfigError

POLITE = {
    "description": "Is it polite?",
    "options": [{"name": "Yes", "description": "it says please"}, {"name": "No", "description": "it does not"}],
    "option_map": {"Yes": 1, "No": 0},
}


def made(folder: Path, **settings: Any) -> Any:
    return assemble({"model": "m", **settings}, Surroundings(Environment({}), folder=folder), where="x")


@pytest.mark.parametrize("name", ["polite.yaml", "polite.yml", "polite.json"])
def test_a_criterion_may_stand_in_a_file_beside_the_configuration(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(POLITE))
    criterion = made(tmp_path, criterion=name).criterion
    assert criterion.description == "Is it polite?"
    assert criterion.scale == Options({"Yes": 1.0, "No": 0.0}, {"Yes": "it says please", "No": "it does not"})


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "polite.yaml: cannot be read"), ("- Yes", "must hold a mapping"), ("a: [", "polite.yaml")],
)
def test_a_file_that_holds_no_criterion_is_refused_by_its_name(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "polite.yaml").write_text(text)
    with pytest.raises(ConfigError, match=words):
        made(tmp_path, criterion="polite.yaml")


def test_a_question_that_ends_like_a_file_is_a_question(tmp_path: Path) -> None:
    assert made(tmp_path, criterion="Is it valid .json").criterion.description == "Is it valid .json"
