"""The shipped words: found by name, read once, and said aloud where there are none."""

from __future__ import annotations

import json

import pytest

from gavelkit.catalog import Preset, demo_file, names, preset, reader, template_text
from gavelkit.core.errors import ConfigError


def test_every_preset_says_what_it_is_for_what_it_follows_and_what_it_reads() -> None:
    for name in names("judges"):
        shipped = preset(name)
        assert shipped.name == name
        assert len(shipped.summary) > 20
        assert len(shipped.follows) > 20
        assert shipped.reads


def test_names_are_sorted_and_without_endings() -> None:
    assert names("judges") == sorted(names("judges"))
    assert {"binary_qa", "mt_bench_single", "score_0_10"} <= set(names("judges"))
    assert set(names("templates")) >= {"binary_qa", "mt_bench_single", "score_0_10"}


def test_a_presets_template_stands_in_its_settings_word_for_word() -> None:
    settings = preset("score_0_10").settings
    assert settings["prompt_template"] == template_text("score_0_10")
    assert "template" not in settings


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("score_0_1", "there is no shipped judge 'score_0_1'; did you mean score_0_10?"),
        ("zzz", "there is no shipped judge 'zzz'; there are binary_qa, "),
        ("../../pyproject", "there is no shipped judge '../../pyproject'"),
        ("", "there is no shipped judge ''"),
    ],
)
def test_an_unknown_preset_is_named_with_the_nearest(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        preset(name)
    assert str(caught.value).startswith(said)


def test_an_unknown_template_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"there is no shipped template 'binary'; did you mean binary_qa\?"):
        template_text("binary")


def test_a_preset_may_have_a_system_prompt_or_no_template_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    shelves = {
        ("judges", "with"): "{summary: s, follows: f, reads: [response], settings: {template: u, system_template: v}}",
        ("judges", "without"): "{summary: s, follows: f, reads: [], settings: {scale: [0, 1]}}",
        ("templates", "u"): "user",
        ("templates", "v"): "system",
    }
    monkeypatch.setattr(reader, "_text", lambda kind, name: shelves[kind, name])
    read = preset.__wrapped__
    assert read("with").settings == {"prompt_template": "user", "system_prompt": "system"}
    assert read("without") == Preset("without", "s", "f", (), {"scale": [0, 1]})


def test_the_demos_rows_are_beside_its_replies() -> None:
    rows = [json.loads(line) for line in demo_file("answers.jsonl").read_text(encoding="utf-8").splitlines()]
    replies = [json.loads(line) for line in demo_file("recorded.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    assert {reply["example_id"] for reply in replies} <= {row["id"] for row in rows}
