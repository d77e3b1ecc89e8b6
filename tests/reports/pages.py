"""Pages for the tests of the HTML report; no test is here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.gate import GateResult
from gavelkit.core.grade import Grade
from gavelkit.core.interval import Interval
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.reports.page import Bar, Difference, Histogram, Opinion, Page, TellingRow, TellingRows

from .arena import some_contests

COUNTS = {Status.OK: 2, Status.PARSE_ERROR: 1}


def a_report(*, judge: str = "accuracy", system: str = "harbor", word: str = "") -> Report:
    """One judge on one system; `word` stands in every other text of it."""
    interval = Interval(2.5, 9.5, 0.95, "student t")
    metrics = (
        Metric("mean", judge, system, 6.0, 2, COUNTS, stderr=1.75, interval=interval),
        Metric("mean_failures_worst", judge, system, None, 0, COUNTS, reason=word or "the judge declares no scale"),
        Metric("pass_rate", judge, system, 0.5, 2, COUNTS),
        Metric(word or "consistency", judge, system, 0.93, 2, COUNTS),
    )
    summary = JudgeSummary(
        name=judge,
        model=word or "gpt-4o-mini",
        preset=word or "score_0_10",
        scale=word or "0 to 10",
        higher_is_better=True,
        threshold=7.0,
        max_error_rate=0.1,
        counts=COUNTS,
        failures={word or "parse_error": 1},
        calls=3,
        prompt_tokens=300,
        completion_tokens=45,
        cached_tokens=0,
        tokens_complete=True,
    )
    gate = GateResult(word or "accuracy.mean >= 7", judge, 7.0, 6.0, passed=False, reason=word, system=system)
    details = {"data": word or "answers.jsonl", "on_failure": "missing"}
    contests = (some_contests(judge, (system, word or "quay"), reason=word),)
    folder, note = word or "runs/answers-1a2b3c4d", word or "a note"
    return Report(folder, metrics, (summary,), (note,), details, (gate,), contests)


def an_entry(
    score: float | None,
    *,
    identifier: str = "r1",
    judge: str = "accuracy",
    system: str = "harbor",
    repeat: int = 0,
    word: str = "",
) -> Entry:
    """A judgment with this score, or an unreadable one; `word` stands in every text of it."""
    reply = word or (f"Right, but long.\nScore: {score:g}" if score is not None else "no idea")
    usage = Usage(100, 15)
    completion = Completion(reply, reasoning=word, refusal=word, finish_reason=word, served_model=word, usage=usage)
    judgment = Judgment(
        Slot(judge, identifier, (system,), repeat),
        Status.OK if score is not None else Status.PARSE_ERROR,
        score,
        grade=None if score is None else Grade(score, f"{word} 1" if word else "Right, but long."),
        failure=Failure(word or "there is no score line", FailureKind.EMPTY, raw=f"{word} 2")
        if score is None
        else None,
        steps=(Step(word or "judge", completion),),
    )
    example = Example(identifier, {"question": "?"}, {system: word or "It is 4."}, (word or "4", {"also": word}))
    return Entry(judgment, example)


def a_page(*, judge: str = "accuracy", system: str = "harbor", identifier: str = "r1", word: str = "") -> Page:
    """A page with every part, all texts of it as given or `word`."""

    def row(score: float | None) -> TellingRow:
        entry = an_entry(score, identifier=identifier, judge=judge, system=system, word=word)
        return TellingRow(entry, word or "Rate this.\nA: It is 4.")

    bars = (Bar(word or "0", word or "0 to below 1", 1), Bar("1", "1 to below 2", 0), Bar("2", "2", 1))
    return Page(
        report=a_report(judge=judge, system=system, word=word),
        scales={judge: (0.0, 10.0)},
        histograms=(Histogram(judge, system, bars),),
        telling=(TellingRows(judge, (row(2),), (row(10),), (row(None),), failures=3),),
        differences=(Difference(0.8, (Opinion(judge, 2, 0.2, row(2)), Opinion(judge, 10, 1.0, row(10)))),),
    )


def joined(pages: Sequence[Page]) -> Page:
    """All of the pages on one."""
    reports = [page.report for page in pages]
    return Page(
        report=replace(
            reports[0],
            metrics=tuple(each for report in reports for each in report.metrics),
            judges=tuple(each for report in reports for each in report.judges),
            notes=tuple(each for report in reports for each in report.notes),
            gates=tuple(each for report in reports for each in report.gates),
            contests=tuple(each for report in reports for each in report.contests),
        ),
        scales={name: scale for page in pages for name, scale in page.scales.items()},
        histograms=tuple(each for page in pages for each in page.histograms),
        telling=tuple(each for page in pages for each in page.telling),
        differences=tuple(each for page in pages for each in page.differences),
    )
