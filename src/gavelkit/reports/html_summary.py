"""The numbers of the HTML report: the table per judge and system, the histograms, and what each judge did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from gavelkit.core.report import JudgeSummary
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted
from gavelkit.reports.html_chart import histogram, whisker
from gavelkit.reports.html_text import inline, plain
from gavelkit.reports.judge_lines import asked, done
from gavelkit.reports.page import Histogram, Page
from gavelkit.reports.subjects import Subject, has_best, interval_title, legend, subjects


def summary(page: Page) -> Iterator[str]:
    """A row for each judge and system."""
    report = page.report
    groups = [subjects(report, judge) for judge in report.judges]
    every = [subject for group in groups for subject in group]
    if not every:
        yield "<p>Nothing was judged.</p>"
        return
    names = {metric.name for metric in report.metrics}
    titles = ["judge", "system", "mean", interval_title(every), "on its scale", "std error", "n"]
    titles += [*(["mean ok"] if "mean_ok" in names else []), "at worst"]
    titles += ["at best"] if has_best(every) else []
    titles += [*(["passed"] if "pass_rate" in names else []), "judgments"]
    yield '<div class="wide" role="region" aria-label="Summary table" tabindex="0"><table class="numbers"><thead><tr>'
    yield "".join(f'<th scope="col" class="{_side(title)}">{plain(title)}</th>' for title in titles)
    yield "</tr></thead>"
    for group in groups:
        yield "<tbody>"
        for at, subject in enumerate(group):
            yield f"<tr>{_judge_cell(group) if at == 0 else ''}{_cells(subject, titles, page)}</tr>"
        yield "</tbody>"
    yield "</table></div>"
    yield from _below(every, legend(report))


def distributions(page: Page) -> Iterator[str]:
    """A histogram for each judge and system; those of one judge share their height."""
    number = count(1)
    for judge in page.report.judges:
        drawn = [each for each in page.histograms if each.judge == judge.name]
        most = max((bar.count for each in drawn for bar in each.bars), default=0)
        yield f'<h3>{named(judge)}</h3><div class="figures">'
        for each in drawn:
            yield _figure(each, histogram(each, number=next(number), most=most))
        yield "</div>" if drawn else "</div><p>No score yet.</p>"


def judges(page: Page) -> Iterator[str]:
    """What each judge was asked, did and cost."""
    yield "<dl>"
    for judge in page.report.judges:
        yield f"<dt>{inline(judge.name)}</dt>"
        for text in (asked(judge), *done(page.report, judge)):
            bad = ' class="bad"' if text.startswith("!!") else ""
            yield f"<dd{bad}>{plain(text)}</dd>"
    yield "</dl>"


def named(judge: JudgeSummary) -> str:
    """A judge's name, and which way its scores point where lower ones are better."""
    direction = "" if judge.higher_is_better else ' <span class="quiet">lower is better</span>'
    return f"{inline(judge.name)}{direction}"


def _judge_cell(group: Sequence[Subject]) -> str:
    judge = group[0].judge
    return f'<th scope="rowgroup" rowspan="{len(group)}">{named(judge)}{_model(judge)}</th>'


def _model(judge: JudgeSummary) -> str:
    return f'<br><span class="quiet">{inline(judge.model)}</span>' if judge.model else ""


def _cells(subject: Subject, titles: Sequence[str], page: Page) -> str:
    scale = page.scales.get(subject.judge.name)
    drawn = whisker(subject.main.value, subject.main.interval, scale) if scale else ""
    numbers = [subject.interval, drawn, subject.stderr, f"{subject.main.n:,}"]
    numbers += [subject.shown("mean_ok")] if "mean ok" in titles else []
    numbers += [subject.shown("mean_failures_worst")]
    numbers += [subject.shown("mean_failures_best")] if "at best" in titles else []
    numbers += [subject.passed] if "passed" in titles else []
    return "".join(
        [
            f'<th scope="row">{inline(subject.system) if subject.system else "-"}</th>',
            f'<td class="number"><strong>{subject.shown("mean")}</strong></td>',
            *(f'<td class="number">{text}</td>' for text in numbers),
            f"<td>{_statuses(subject)}</td>",
        ]
    )


def _statuses(subject: Subject) -> str:
    """How many judgments ended how, the failed ones marked."""
    counts = subject.main.counts
    tags = [f'<span class="tag">{counts.get(Status.OK, 0):,} ok</span>']
    for status, number in counts.items():
        if number and status is not Status.OK:
            tags.append(f'<span class="tag{" bad" if status.failed else ""}">{number:,} {status}</span>')
    return " ".join(tags)


def _side(title: str) -> str:
    return "text" if title in {"judge", "system", "judgments"} else "number"


def _below(every: Sequence[Subject], words: str) -> Iterator[str]:
    """What the columns mean, why a number is missing, and metrics without a column."""
    if words:
        yield f'<p class="quiet">{plain(words)}</p>'
    told = [(subject, text) for subject in every for text in (*subject.reasons(), *subject.further())]
    if told:
        items = (f"<li>{inline(_name(subject))}: {plain(text)}</li>" for subject, text in told)
        yield f"<ul>{''.join(items)}</ul>"


def _name(subject: Subject) -> str:
    return f"{subject.judge.name}[{subject.system}]" if subject.system else subject.judge.name


def _figure(drawn: Histogram, picture: str) -> str:
    system = f"{inline(drawn.system)}, " if drawn.system else ""
    return f"<figure><figcaption>{system}{counted(drawn.total, 'score')}</figcaption>{picture}</figure>"
