"""The shipped words: found by name, read once, and said aloud where there are none."""

from __future__ import annotations

import json

import pytest

from gavelkit.catalog import Preset, criterion_fields, demo_file, names, preset, reader, template_text
from gavelkit.core.errors import ConfigError


def test_every_preset_says_what_it_is_for_what_it_follows_what_it_reads_and_its_scale() -> None:
    for name in names("judges"):
        shipped = preset(name)
        assert shipped.name == name
        assert len(shipped.summary) > 20
        assert len(shipped.follows) > 20
        assert shipped.reads
        assert shipped.scale


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
    assert read("without") == Preset("without", "s", "f", (), [0, 1], {"scale": [0, 1]})


def test_a_criterion_is_found_by_its_name_and_by_its_long_name() -> None:
    direct = criterion_fields("summarization_preference")
    contest = criterion_fields("summarization_preference", pairwise=True)
    assert "options" in direct
    assert "options" not in contest
    assert criterion_fields("metrics.llm_as_judge.direct.criteria.summarization_preference") == direct
    long = "metrics.llm_as_judge.pairwise.criteria.summarization_preference"
    assert criterion_fields(long, pairwise=True) == contest


def test_a_contest_takes_a_criterion_with_options_by_its_long_name() -> None:
    long = "metrics.llm_as_judge.direct.criteria.conciseness"
    assert criterion_fields(long, pairwise=True) == criterion_fields("conciseness")


@pytest.mark.parametrize(
    ("name", "pairwise", "said"),
    [
        ("concisenes", False, "there is no shipped criterion 'concisenes'; did you mean conciseness?"),
        ("funy_joke", True, "there is no shipped pairwise criterion 'funy_joke'; did you mean funny_joke?"),
        ("metrics.llm_as_judge.direct.criteria.toxic", False, "there is no shipped criterion 'toxic'; did you mean"),
        ("../judges/binary_qa", False, "there is no shipped criterion '../judges/binary_qa'"),
        ("funny_joke", False, "the criterion 'funny_joke' is for contests; "),
        (
            "metrics.llm_as_judge.pairwise.criteria.funny_joke",
            False,
            "the criterion 'metrics.llm_as_judge.pairwise.criteria.funny_joke' is for contests; ",
        ),
        (
            "metrics.llm_as_judge.pairwise.criteria.reference_document_faithfulness",
            False,
            "the criterion 'metrics.llm_as_judge.pairwise.criteria.reference_document_faithfulness' is for contests; ",
        ),
    ],
)
def test_an_unknown_criterion_is_named_with_the_nearest(name: str, *, pairwise: bool, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        criterion_fields(name, pairwise=pairwise)
    assert str(caught.value).startswith(said)


def test_the_demos_rows_are_beside_its_replies() -> None:
    rows = [json.loads(line) for line in demo_file("answers.jsonl").read_text(encoding="utf-8").splitlines()]
    replies = [json.loads(line) for line in demo_file("recorded.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    assert {reply["example_id"] for reply in replies} <= {row["id"] for row in rows}
