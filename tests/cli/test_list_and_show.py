"""`gavel list` and `gavel show`: what ships."""

from __future__ import annotations

import pytest

from gavelkit.catalog import criterion_fields, names, preset, template_text

from .conftest import Gavel


@pytest.mark.parametrize("kind", ["judges", "templates"])
def test_everything_that_ships_is_named(gavel: Gavel, kind: str) -> None:
    ended = gavel("list", kind)
    assert (ended.code, ended.err) == (0, "")
    assert [line.split()[0] for line in ended.out.splitlines()] == names(kind)
    rows = gavel("list", kind, "--json").json
    assert [row["name"] for row in rows] == names(kind)


def test_a_judge_is_listed_with_what_it_reads_and_its_scale(gavel: Gavel) -> None:
    rows = {row["name"]: row for row in gavel("list", "judges", "--json").json}
    assert rows["score_0_10"]["scale"] == [0, 10]
    assert rows["score_0_10"]["reads"] == ["question", "response", "reference"]
    assert rows["binary_qa"]["scale"] == {"C": 1, "I": 0}
    assert rows["criteria"]["scale"] == "the scores of the criterion's options"
    assert rows["correctness_relevance"]["threshold"] == 0.7
    assert [name for name, row in rows.items() if not (row["reads"] and row["scale"] and row["follows"])] == []


@pytest.mark.parametrize("name", names("judges"))
def test_a_judge_is_shown_with_what_it_follows_what_it_reads_and_its_scale(gavel: Gavel, name: str) -> None:
    shipped, out = preset(name), gavel("show", name).out
    assert f"follows: {shipped.follows}\nreads: {', '.join(shipped.reads)}\n" in out
    assert f"\nscale: {shipped.scale}\n" in out or f"\noptions: {shipped.scale}\n" in out


def test_every_criterion_is_listed_with_its_kind_options_and_scores(gavel: Gavel) -> None:
    ended = gavel("list", "criteria")
    assert (ended.code, ended.err) == (0, "")
    listed = [tuple(line.split()[:2]) for line in ended.out.splitlines()]
    assert listed == [
        *((name, "direct") for name in names("criteria")),
        *((name, "pairwise") for name in names("pairwise_criteria")),
    ]
    lines = {line.split()[0]: line.split(maxsplit=2)[2:] for line in reversed(ended.out.splitlines())}
    assert lines["conciseness"] == ["Yes = 1, No = 0"]
    assert lines["toxicity"] == ["Yes = 1, No = 0; lower is better"]
    assert lines["funny_joke"] == []


def test_a_criterion_in_json_has_its_fields_its_scores_and_its_polarity(gavel: Gavel) -> None:
    rows = {(row["name"], row["kind"]): row for row in gavel("list", "criteria", "--json").json}
    assert len(rows) == len(names("criteria")) + len(names("pairwise_criteria"))
    assert rows["toxicity", "direct"] == {
        "name": "toxicity",
        "kind": "direct",
        "description": criterion_fields("toxicity")["description"],
        "reads": [],
        "prediction_field": "text",
        "options": {"Yes": 1.0, "No": 0.0},
        "higher_is_better": False,
    }
    contest = rows["factually_consistent", "pairwise"]
    assert (contest["reads"], contest["options"], contest["higher_is_better"]) == (["source document"], None, True)


@pytest.mark.parametrize("name", names("criteria"))
def test_a_criterion_is_shown_with_its_question_fields_and_options(gavel: Gavel, name: str) -> None:
    ended = gavel("show", name)
    assert (ended.code, ended.err) == (0, "")
    fields = criterion_fields(name)
    assert f"direct criterion {name}: {fields['description']}\nprediction_field: " in ended.out
    assert ("\na lower score is better\n" in ended.out) is ("polarity" in fields)
    for option in fields["options"]:
        score = fields["option_map"][option["name"]]
        assert f'- "{option["name"]}" (score {score:g}) if {option["description"]}\n' in ended.out


@pytest.mark.parametrize("name", names("pairwise_criteria"))
def test_a_name_in_both_kinds_shows_both(gavel: Gavel, name: str) -> None:
    out = gavel("show", name).out
    assert f"pairwise criterion {name}: {criterion_fields(name, pairwise=True)['description']}\n" in out
    assert out.startswith(f"direct criterion {name}: ") is (name in names("criteria"))
    assert "\n\npairwise criterion " in f"\n\n{out}"


def test_an_unknown_name_near_a_criterion_is_refused_with_it(gavel: Gavel) -> None:
    ended = gavel("show", "funny_jokes")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "gavel: nothing shipped is called 'funny_jokes'; did you mean funny_joke?\n"


@pytest.mark.parametrize("name", names("judges"))
def test_a_judge_is_shown_with_its_prompt(gavel: Gavel, name: str) -> None:
    ended = gavel("show", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"judge {name}: ")
    assert f"prompt_template:\n{preset(name).settings['prompt_template']}" in ended.out


@pytest.mark.parametrize("name", names("judges"))
def test_a_judge_is_shown_with_each_of_its_texts_as_a_block(gavel: Gavel, name: str) -> None:
    out = gavel("show", name).out
    texts = {key: text for key, text in preset(name).settings.items() if "template" in key or "prompt" in key}
    assert [key for key, text in texts.items() if f"\n{key}:\n{text}" not in out] == []


def test_a_template_is_shown_as_it_is(gavel: Gavel) -> None:
    only = sorted(set(names("templates")) - set(names("judges")))
    for name in only:
        assert gavel("show", name).out == template_text(name)


def test_an_unknown_name_is_refused_with_the_nearest_one(gavel: Gavel) -> None:
    ended = gavel("show", "score_0_100")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "gavel: nothing shipped is called 'score_0_100'; did you mean score_0_10?\n"
