"""`gavel list` and `gavel show`: what ships."""

from __future__ import annotations

import pytest

from gavelkit.catalog import names, template_text

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


@pytest.mark.parametrize("name", names("judges"))
def test_a_judge_is_shown_with_its_prompt(gavel: Gavel, name: str) -> None:
    ended = gavel("show", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"judge {name}: ")
    assert "prompt_template:\n" in ended.out


def test_a_template_is_shown_as_it_is(gavel: Gavel) -> None:
    only = sorted(set(names("templates")) - set(names("judges")))
    for name in only:
        assert gavel("show", name).out == template_text(name)


def test_an_unknown_name_is_refused_with_the_nearest_one(gavel: Gavel) -> None:
    ended = gavel("show", "score_0_100")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "gavel: nothing shipped is called 'score_0_100'; did you mean score_0_10?\n"
