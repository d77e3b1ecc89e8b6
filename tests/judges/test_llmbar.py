"""Contests that real judges decided in both orders: published figures by the source's own rules, then by our reader.

LLMBar recorded each judge's replies in both orders. They are asked for again here through the pairwise judge: the reply
that decided is that of the choice, and what a judge had written before it (its first view, questions, a reference) is
that of the assessment. A contest whose first views agreed had no second stage there and has none here. A judge that
rated gave each output a number by itself: a reply is then the list of both, in the order shown.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.makers import write_rows

import gavelkit
from gavelkit.core.completion import Completion
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.core.status import Status
from gavelkit.judges import Choice, Pairwise
from gavelkit.storage import open_reader

ORDERS = ("swap = False", "swap = True")
STEPS = ("", "positional_bias_")
FIRST, SECOND = NAMES = ("Output (a)", "Output (b)")
SENTENCES = ("Output (a) is better", "Output (b) is better")
MT_BENCH = {"model_1": "A", "model_2": "B", "tie": "tie"}
UNREAD = "unread"
"""The source counts a reply without a verdict as wrong, and two of them as equal: here it is a third answer."""

FIGURES = ("correct_False", "correct_True", "equal", "correct_average")
"""The published ones by their names there: right in each order, the same in both, and right on the mean of both."""

TEMPLATES = {"prompt_template": "{{ question }}\n(a): {{ response_a }}\n(b): {{ response_b }}"}
ASSESSING = {**TEMPLATES, "selection_template": "Now choose.", "criterion": "Which one follows the instruction?"}


@dataclass(frozen=True, slots=True)
class Contest:
    """One judge's replies about one item, by order, with the patterns that read the last ones there.

    `winners` are the outputs, 1 or 2, that were read there.
    """

    evaluator: str
    subset: str
    at: int
    patterns: tuple[str, ...]
    asked: tuple[str, str]
    before: tuple[str, str]
    replies: tuple[tuple[str, str], ...]
    winners: tuple[str | None, ...]

    @property
    def id(self) -> str:
        return f"{self.subset}|{self.evaluator}|{self.at}"


@dataclass(frozen=True, slots=True)
class Patterns:
    """The first pattern that is found anywhere gives the answer, whatever else the reply says."""

    patterns: tuple[str, ...]
    name: str = "llmbar"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        del cut  # the source asks no such thing
        found = (answer for answer, pattern in zip(NAMES, self.patterns, strict=True) if re.search(pattern, text))
        return Grade(next(found, UNREAD))

    def write(self, grade: Grade) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class TwoRatings:
    """The first shown wins by a higher rating, and where one is no number; equal ratings are the second's."""

    name: str = "llmbar_ratings"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        del cut
        ratings = json.loads(text)
        if not all(rating.isdigit() for rating in ratings):
            return Grade(FIRST)
        return Grade(FIRST if int(ratings[0]) > int(ratings[1]) else SECOND)

    def write(self, grade: Grade) -> str:
        raise NotImplementedError


def packed(path: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]


def said_before(stage: Any, order: str) -> str:
    """The reply of an earlier stage, of which some were asked once for both orders."""
    return str(stage[order]["completion"][0] if isinstance(stage, dict) else stage[0])


def contest(row: dict[str, Any], stages: Sequence[dict[str, Any]]) -> Contest:
    *earlier, last = row["results"]
    deciding = stages[len(earlier)]
    if "score_1" in last:
        texts = [last["score_1"][0], last["score_2"][0]]
        replies = tuple((json.dumps(shown), "stop") for shown in (texts, texts[::-1]))
    else:
        replies = tuple((last[order]["completion"][0], last[order]["completion"][1]) for order in ORDERS)
    one, other = ("\n\n".join(said_before(each, order) for each in earlier).strip() for order in ORDERS)
    return Contest(
        row["_evaluator"],
        row["_subset"],
        row["_idx"],
        tuple((deciding["parsing"] or {}).values()),
        SENTENCES if deciding["prompt"].endswith("CoT.txt") else NAMES,
        (one, other),
        replies,
        tuple(last[order]["winner"] for order in ORDERS),
    )


@pytest.fixture(scope="module")
def contests(shared_data: Path) -> list[Contest]:
    files = json.loads(gzip.decompress((shared_data / "llmbar_prompts_and_configs.json.gz").read_bytes()))
    rows = packed(shared_data / "llmbar_results.jsonl.gz")
    stages = {name: json.loads(files[f"config/{name}.json"]) for name in {row["_evaluator"] for row in rows}}
    return [contest(row, stages[row["_evaluator"]]) for row in rows]


def lines(each: Contest) -> Iterable[dict[str, Any]]:
    """The recorded replies to each step of both orders."""
    for step, before, (reply, finish_reason) in zip(STEPS, each.before, each.replies, strict=True):
        place = {"example_id": each.id, "judge": "judge"}
        if before:
            yield {**place, "step": f"{step}assessment", "reply": before}
        yield {**place, "step": f"{step}option_selection", "reply": reply, "finish_reason": finish_reason}


def pairwise(**settings: Any) -> Pairwise:
    judge = gavelkit.judge(mode="pairwise", name="judge", **{"on_inconsistent": "first", **settings})
    assert isinstance(judge, Pairwise)
    return judge


def by_the_source(contests: Sequence[Contest], replies: Path) -> Pairwise:
    """A judge for contests that are all read by the same rules, and all have an assessment or none."""
    patterns, before = contests[0].patterns, contests[0].before[0]
    write_rows(replies, [line for each in contests for line in lines(each)])
    settings = ASSESSING if before else TEMPLATES
    judge = pairwise(**settings, answers=[*NAMES, UNREAD], replies=str(replies))
    choice = Choice(parser=Patterns(patterns) if patterns else TwoRatings())
    return replace(judge, turns=replace(judge.turns, choice=choice))


def test_by_the_sources_own_rules_every_published_figure_comes_out(
    contests: list[Contest], shared_data: Path, tmp_path: Path
) -> None:
    items = {(item["_subset"], item["_idx"]): item for item in packed(shared_data / "llmbar_items.jsonl.gz")}
    labels = {each.id: "AB"[items[each.subset, each.at]["label"] - 1] for each in contests}
    alike = defaultdict(list)
    for each in contests:
        alike[each.patterns, bool(each.before[0])].append(each)
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for number, group in enumerate(alike.values()):
        rows = [row(each, items[each.subset, each.at]) for each in group]
        judge = by_the_source(group, tmp_path / f"{number}.jsonl")
        gavelkit.evaluate(rows, judge, output=tmp_path / str(number))
        for entry in entries_of(tmp_path / str(number)):
            contest_id = entry.example.id
            figures[contest_id.rpartition("|")[0]] += counted(entry.judgment, labels[contest_id])
    published = json.loads(gzip.decompress((shared_data / "llmbar_statistics.json.gz").read_bytes()))
    assert len(published) == 98
    assert {key: told(counts) for key, counts in figures.items()} == {
        key: {name: each[name] for name in FIGURES} for key, each in published.items()
    }


def entries_of(folder: Path) -> Iterator[Entry]:
    with closing(open_reader(folder)) as reader:
        yield from reader.entries()


def counted(judgment: Judgment, label: str) -> Counter[str]:
    assert judgment.status is Status.OK
    parts = judgment.grade.parts if judgment.grade else {}
    return Counter(
        of=1,
        correct_False=parts["selection"] == label,
        correct_True=parts["positional_bias_selection"] == label,
        equal=judgment.position_bias is False,
    )


def row(each: Contest, item: dict[str, Any]) -> dict[str, Any]:
    outputs = {"1": item["output_1"], "2": item["output_2"]}
    return {"id": each.id, "question": item["input"], "responses": outputs}


def told(counts: Counter[str]) -> dict[str, str]:
    """Counts and shares as the source writes them."""
    of = counts["of"]
    shares = [f"{counts[name]} / {of} = {counts[name] / of * 100}%" for name in FIGURES[:3]]
    average = (counts["correct_False"] + counts["correct_True"]) / 2 / of
    return dict(zip(FIGURES, [*shares, f"{average * 100}%"], strict=True))


@dataclass(frozen=True, slots=True)
class Differences:
    """Replies by what our reader makes of them where the source's rules make something else."""

    replies: int
    unread: int = 0
    otherwise: int = 0
    alone: int = 0


# With the asked sentences as answers all 44 that are read otherwise are right: the source takes its first pattern, or
# the first line, where the reply concludes the opposite further down. Unread are last lines without the sentence, and
# 54 with a negation less than four words before it, nearly always at the end of another sentence. With the outputs'
# names as answers a last line that weighs both is unread, and a last line may name one without choosing it, as do 29 of
# the 55 read otherwise in `NAMED_INSTEAD`, and one of `Vanilla_2shot`.
RECORDED = {
    ("CoT", SENTENCES): Differences(1872, unread=158, otherwise=20),
    ("Swap", NAMES): Differences(508),
    ("Swap", SENTENCES): Differences(1364, unread=113),
    ("Swap_CoT", SENTENCES): Differences(1872, unread=145, otherwise=24),
    ("Metrics", NAMES): Differences(1872),
    ("Metrics_Reference", NAMES): Differences(2400),
    ("Reference", NAMES): Differences(1872),
    ("Vanilla", NAMES): Differences(1872),
    ("Vanilla_1shot", NAMES): Differences(1404, unread=12, otherwise=1, alone=1),
    ("Vanilla_2shot", NAMES): Differences(1404, unread=19, otherwise=2),
    ("Vanilla_NoRules", NAMES): Differences(2400),
}
NAMED_INSTEAD = {
    "CoT": Differences(1872, unread=1034, otherwise=11, alone=1),
    "Swap": Differences(1364, unread=814, otherwise=8, alone=1),
    "Swap_CoT": Differences(1872, unread=966, otherwise=36, alone=1),
}


def test_where_our_reader_differs_is_known_when_the_answers_are_the_words_that_were_asked_for(
    contests: list[Contest],
) -> None:
    by_words = defaultdict(list)
    for each in contests:
        if each.patterns:
            by_words[each.evaluator.partition("/")[2], each.asked].append(each)
    assert {key: differences(group, key[1]) for key, group in by_words.items()} == RECORDED
    sentences = {strategy: group for (strategy, asked), group in by_words.items() if asked == SENTENCES}
    assert {strategy: differences(group, NAMES) for strategy, group in sentences.items()} == NAMED_INSTEAD


def differences(contests: Iterable[Contest], answers: tuple[str, str]) -> Differences:
    judge = pairwise(**TEMPLATES, answers=list(answers), function=lambda prompt: prompt)
    found: Counter[str] = Counter()
    for each in contests:
        for swapped, reply, winner in zip((False, True), each.replies, each.winners, strict=True):
            theirs = winner and " AB"[int(winner)]
            ours = read(judge, reply, swapped=swapped)
            kind = "unread" if ours is None else "otherwise" if theirs is not None else "alone"
            found += Counter(replies=1) + Counter({kind: ours != theirs})
    return Differences(**found)


def read(judge: Pairwise, reply: tuple[str, str], *, swapped: bool) -> str | None:
    """The winner as the judge itself reads a reply, None where it is no verdict."""
    verdict = judge.turns.choice.read(
        Completion(reply[0], finish_reason=reply[1]), judge.answers.options(swapped=swapped)
    )
    if verdict.status is not Status.OK or verdict.grade is None:
        return None
    return judge.answers.winner(str(verdict.grade.value), swapped=swapped)


def test_contests_of_mt_bench_come_out_as_recorded_with_their_double_brackets_as_answers(
    shared_data: Path, tmp_path: Path
) -> None:
    contests = {str(line): each for line, each in enumerate(packed(shared_data / "mtbench_pair_gpt4.jsonl.gz"))}
    systems = dict.fromkeys(("gpt-3.5-turbo", "gpt-4"), "")  # model_1 and model_2 of every contest
    recorded = [
        {"example_id": line, "judge": "judge", "step": f"{step}option_selection", "reply": each[game]}
        for line, each in contests.items()
        for step, game in zip(STEPS, ("g1_judgment", "g2_judgment"), strict=True)
    ]
    replies = str(write_rows(tmp_path / "replies.jsonl", recorded))
    judge = pairwise(**TEMPLATES, answers=["[[A]]", "[[B]]", "[[C]]"], on_inconsistent="tie", replies=replies)
    rows = [{"id": line, "question": each["g1_user_prompt"], "responses": systems} for line, each in contests.items()]
    (found,) = gavelkit.evaluate(rows, judge, output=tmp_path / "run").contests
    model_1 = found.standing("gpt-3.5-turbo")
    assert (model_1.wins, model_1.losses, model_1.ties, model_1.failed) == (2, 3, 5, 0)
    assert model_1.win_rate.value == pytest.approx(0.45)
    assert found.consistency.value == pytest.approx(0.7)
    for entry in entries_of(tmp_path / "run"):
        games = contests[entry.example.id]
        parts = entry.judgment.grade.parts if entry.judgment.grade else {}
        assert parts["selection"] == MT_BENCH[games["g1_winner"]]
        assert parts["positional_bias_selection"] == MT_BENCH[games["g2_winner"]]
