"""What of a reader and a scale makes a judge's reading, and what changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.identity import Identity
from gavelkit.judges.reading import reads_by, scale_material
from gavelkit.parsing import GradeParser, OptionParser, ScoreParser


@pytest.mark.parametrize(
    ("scale", "material"),
    [
        (None, {}),
        (Range(0, 10), {"scale": [0, 10], "clamp": False}),
        (Range(0, 10, clamp=True), {"scale": [0, 10], "clamp": True}),
        (Options({"Yes": 1, "No": 0}, {"Yes": "if so"}), {"options": {"Yes": 1, "No": 0}}),
    ],
)
def test_a_scale_is_its_ends_or_the_scores_of_its_options(scale: Range | Options | None, material: object) -> None:
    assert scale_material(Criterion("c", scale)) == material


def test_a_reader_is_its_name_its_version_and_what_it_was_given() -> None:
    assert reads_by(ScoreParser(), Criterion("c")) == {"parser": "score", "version": ScoreParser().version}
    assert reads_by(GradeParser(("I", "C")), Criterion("c"))["grades"] == ["C", "I"]


def test_the_order_of_options_changes_no_reading() -> None:
    def reading(*names: str) -> str:
        scale = Options({name: float(len(name)) for name in names})
        return Identity(reads_by(OptionParser(names), Criterion("c", scale))).hash

    assert reading("Good", "Bad") == reading("Bad", "Good")
    assert reading("Good", "Bad") != reading("Good", "Bad", "Fair")


def test_a_setting_left_at_its_default_changes_no_reading() -> None:
    @dataclass(frozen=True)
    class Later(ScoreParser):
        strict: bool = False

    assert reads_by(Later(), Criterion("c")) == reads_by(ScoreParser(), Criterion("c"))
    assert reads_by(Later(strict=True), Criterion("c"))["strict"] is True
