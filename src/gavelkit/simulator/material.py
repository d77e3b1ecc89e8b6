"""What a judge prompt is about: its fields, apart from its instructions, and how alike two of them are.

It knows the fences of our own prompts and the usual labels of others (`Reference:`, `[Question]`, `### Response A:`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FENCED = re.compile(
    r"<(?P<name>[A-Za-z][\w.-]*) (?P<marker>[0-9a-f]{24})>\n?(?P<text>.*?)\n?</(?P=name) (?P=marker)>",
    re.DOTALL,
)
_LABELS = {
    "response": r"response|prediction|output|answer|a|(?:model )?translation|model'?s answer|assistant'?s response",
    "reference": r"reference(?: answer| translation)?|expected(?: answer)?|gold|target",
    "question": r"question|q|context|source(?: text)?|input|instruction",
}
_NAMED = "|".join(f"(?P<{name}>{label})" for name, label in _LABELS.items())
_LABEL = re.compile(
    rf"^[ \t]*(?:\#{{1,6}}[ \t]*)?(?P<open>\[)?(?:(?:{_NAMED})|(?P<contest>(?:response|answer|assistant) [AB12]))"
    rf"(?: \([^)\n]*\))?(?(open)\]:?|:)[ \t]*",
    re.MULTILINE | re.IGNORECASE,
)
_LAST_SIGN = re.compile(r"\n[ \t]*(?:score|rating|grade|verdict)\b[^\n:]{0,40}:\s*\Z", re.IGNORECASE)
_CONTESTANT = re.compile(r"(?:response|answer|output|assistant|system)[ _-]?([ab12])", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_DULL = re.compile(r"about|and|are|but|for|from|has|have|how|its|not|that|the|their|this|was|what|which|who|why|with")
_SHORTEST_WORD = 3
NOTHING_TO_COMPARE = 0.5


@dataclass(frozen=True, slots=True)
class Material:
    """A prompt taken apart: the text of each field by name, and the instructions that are left."""

    fields: Mapping[str, str]
    instructions: str

    @property
    def response(self) -> str | None:
        """What is judged, where the prompt says."""
        return self._first("response", "output", "prediction", "answer")

    @property
    def yardstick(self) -> str | None:
        """What it is held against: the reference, else the question."""
        reference = self._first("reference", "target", "expected", "expected_output")
        return reference or self._first("question", "input", "instruction", "prompt", "context")

    @property
    def contestants(self) -> Mapping[str, str]:
        """The responses of a contest by letter or number, as written in their names."""
        found = ((_CONTESTANT.fullmatch(name), text) for name, text in self.fields.items())
        return {match[1].upper(): text for match, text in found if match}

    def _first(self, *names: str) -> str | None:
        return next((self.fields[name] for name in names if self.fields.get(name)), None)


def is_fenced(text: str) -> bool:
    """Whether fields stand in it between our own fences."""
    return _FENCED.search(text) is not None


def read_material(text: str) -> Material:
    """Take a prompt apart, by its fences or else by its labels."""
    fields = {match["name"].lower(): match["text"] for match in _FENCED.finditer(text)}
    if fields:
        return Material(fields, _FENCED.sub("", text))
    return _labelled(text)


def likeness(material: Material) -> float:
    """How alike response and yardstick are, else the two longest paragraphs, from 0 to 1."""
    if material.response is not None and material.yardstick is not None:
        return overlap(material.response, material.yardstick)
    texts = [*material.fields.values(), *re.split(r"\n\s*\n", material.instructions)]
    longest = sorted(texts, key=len, reverse=True)[:2]
    return overlap(*longest) if len(longest) > 1 else NOTHING_TO_COMPARE


def overlap(one: str, other: str) -> float:
    """The share of the smaller set of words that the other has too; 0 where one has none."""
    first, second = _words(one), _words(other)
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


def _words(text: str) -> set[str]:
    words = set(_WORD.findall(text.lower()))
    return {word for word in words if not _DULL.fullmatch(word) and (len(word) >= _SHORTEST_WORD or word.isdigit())}


def _labelled(text: str) -> Material:
    fields: dict[str, str] = {}
    left: list[str] = []
    end = 0
    labels = list(_LABEL.finditer(text))
    stops = [label.start() for label in labels[1:]] + [len(text)] * bool(labels)
    for label, stop in zip(labels, stops, strict=True):
        content = text[label.end() : stop].lstrip("\n")
        body = _LAST_SIGN.split(content.partition("\n\n")[0])[0]
        fields.setdefault(_name(label), body.strip())
        begin = text.index(body, label.end())
        left.append(text[end : label.start()])
        end = begin + len(body)
    left.append(text[end:])
    return Material({name: body for name, body in fields.items() if body}, "".join(left))


def _name(label: re.Match[str]) -> str:
    return label["contest"].lower() if label["contest"] else next(name for name in _LABELS if label[name])
