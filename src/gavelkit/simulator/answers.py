"""Replies to judge prompts without a model: the form the prompt asks for, the grade from how alike its texts are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gavelkit.core.grade import Grade
from gavelkit.core.message import Message
from gavelkit.parsing import GradeParser, RatingParser, ScoreFirstParser, ScoreParser
from gavelkit.simulator.json_reply import Verdict, by_keys, by_schema, enumerated, keys_shown
from gavelkit.simulator.material import Material, is_fenced, likeness, read_material
from gavelkit.simulator.options import choose, choose_winner, grade_options, listed_options
from gavelkit.simulator.scale import Scale, read_scale

Choose = Literal["best", "first", "last"]
"""Which option is chosen: the one that the texts deserve, or whichever stands first or last in the list."""

_TEN = Scale(0, 10)
_ONE_TO_TEN = Scale(1, 10)
_ONE_TO_FIVE = Scale(1, 5)

_PREFLIGHT = re.compile(r"\s*(?:reply|answer|respond) with (?:only )?[\"']?(\w+)[\"']?\.?\s*", re.IGNORECASE)
_ASSESS = re.compile(r"(?:\bassessment:|\blet'?s think step by step|\bsummar(?:y|i[sz]e):?)\s*\Z", re.IGNORECASE)
_SUMMARY = re.compile(r"\A\s*(?:transform|summari[sz]e)\b[^\n]*\bassessment\b", re.IGNORECASE)
_CHOICE = re.compile(r"\bbetween the quotation marks\b|\bonly include the chosen\b", re.IGNORECASE)
_FIELD = re.compile(r"\bJSON object whose field \"(\w+)\"")
_BARE = re.compile(r"\bonly (?:with )?(?:a |an |one |the )?(?:single )?(?:integer|number|digit)\b", re.IGNORECASE)
_AT_THE_END = re.compile(
    r"\b(?:end|finish|conclude)s? (?:\w+ )?with\b|\b(?:last|final) line\b|\bat the end\b", re.IGNORECASE
)
_CONTEST = re.compile(r"\[\[[AB]\]\]")
_SIGNS = {
    "rating": re.compile(r"\[\["),
    "grade": re.compile(r"\bGRADE:", re.IGNORECASE),
    "score": re.compile(r"\bscore\b[^:\n]{0,40}:", re.IGNORECASE),
    "number": _BARE,
    "json": re.compile(r"\"\w+\"\s*:\s*(?:\"|<|\[|-?\d|true|false)"),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, taken apart: its last message's instructions, and the material of the whole conversation."""

    instructions: str
    material: Material
    choose: Choose = "best"

    @property
    def share(self) -> float:
        return likeness(self.material)

    @property
    def words(self) -> str:
        return f"No model read this: the texts share {self.share:.0%} of their words."

    def verdict(self, default: Scale) -> Verdict:
        listed = listed_options(self.instructions)
        return Verdict(
            self.share,
            read_scale(self.instructions, default),
            self.words,
            lambda options: self.pick({label: listed.get(label, label) for label in options}),
        )

    def pick(self, options: Mapping[str, str]) -> str:
        """One of the options, which are given with what they stand for."""
        if self.choose != "best":
            return list(options)[0 if self.choose == "first" else -1]
        return self.winner(options) or choose(options, self.share)

    def winner(self, options: Iterable[str]) -> str | None:
        """The option for the better contestant of a contest."""
        return choose_winner(options, self.material.contestants, self.material.yardstick or "")


def reply_to(
    messages: Sequence[Message], response_format: Mapping[str, Any] | None = None, *, pick: Choose = "best"
) -> str:
    """A reply in the form that `response_format` or the last user message asks for; free text where none is."""
    asked = _read(messages, pick)
    kind = (response_format or {}).get("type")
    if kind == "json_schema":
        return by_schema(_schema(response_format), asked.verdict(_TEN))
    if _chooses(asked.instructions):
        return _choice(asked)
    if kind == "json_object":
        return by_keys(asked.instructions, asked.verdict(_TEN))
    if simple := _PREFLIGHT.fullmatch(asked.instructions):
        return simple[1]
    if _ASSESS.search(asked.instructions) or _SUMMARY.search(asked.instructions):
        return asked.words
    return _in_form(asked)


def options_for(messages: Sequence[Message], response_format: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """The options that a reply may choose from, as it would write them, in their order; none where none are listed."""
    found = enumerated(_schema(response_format))
    if not found:
        text = _read(messages).instructions
        found = tuple(listed_options(text)) or grade_options(text)
    return found


def _schema(response_format: Mapping[str, Any] | None) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = (response_format or {}).get("json_schema", {}).get("schema", {})
    return schema


def _read(messages: Sequence[Message], pick: Choose = "best") -> _Asked:
    said = [message.content for message in messages if message.role != "assistant"]
    last = read_material(said[-1] if said else "")
    earlier = "\n\n".join(said[:-1])
    if not earlier or (last.fields and (is_fenced(said[-1]) or not is_fenced(earlier))):
        return _Asked(last.instructions, last, pick)
    return _Asked(last.instructions, read_material("\n\n".join(said)), pick)


def _chooses(text: str) -> bool:
    """Whether the text asks for one of its options and for nothing else; what else it names is no form then."""
    return _CHOICE.search(text) is not None and bool(listed_options(text))


def _choice(asked: _Asked) -> str:
    chosen = asked.pick(listed_options(asked.instructions))
    field = _FIELD.search(asked.instructions)
    return json.dumps({field[1]: chosen}, ensure_ascii=False) if field else chosen


def _in_form(asked: _Asked) -> str:
    text = asked.instructions
    ends = {sign: [match.end() for match in pattern.finditer(text)][-1:] for sign, pattern in _SIGNS.items()}
    found = {sign: end[0] for sign, end in ends.items() if end}
    if "json" in found and keys_shown(text):
        return by_keys(text, asked.verdict(_TEN))
    if not found:
        return _option(asked) or asked.words
    return _WRITERS[max(found, key=lambda sign: found[sign])](asked)


def _option(asked: _Asked) -> str | None:
    options = listed_options(asked.instructions)
    return asked.pick(options) if options else None


def _rating(asked: _Asked) -> str:
    if _CONTEST.search(asked.instructions):
        options = ("A", "B", "C")
        winner = asked.winner(options) or "C" if asked.choose == "best" else asked.pick(dict.fromkeys(options, ""))
        return f"{asked.words}\n\n[[{winner}]]"
    verdict = asked.verdict(_ONE_TO_TEN)
    return RatingParser().write(Grade(verdict.scale.place(verdict.share), verdict.words))


def _grade(asked: _Asked) -> str:
    options = grade_options(asked.instructions)
    verdict = asked.verdict(_ONE_TO_FIVE)
    if len(options) < 2 and all(option.isdigit() for option in options):  # noqa: PLR2004 - one is no choice
        grade = f"{verdict.scale.place(verdict.share, whole=True):g}"
    else:
        grade = asked.pick({option: option for option in options})
    return GradeParser().write(Grade(grade, verdict.words))


def _score(asked: _Asked) -> str:
    verdict = asked.verdict(_TEN)
    writer = ScoreParser() if _AT_THE_END.search(asked.instructions) else ScoreFirstParser()
    return writer.write(Grade(verdict.scale.place(verdict.share), verdict.words))


def _number(asked: _Asked) -> str:
    verdict = asked.verdict(_ONE_TO_FIVE)
    return f"{verdict.scale.place(verdict.share, whole=True):g}"


_WRITERS = {"rating": _rating, "grade": _grade, "score": _score, "number": _number}
