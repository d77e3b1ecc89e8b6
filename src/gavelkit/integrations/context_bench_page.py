"""An evaluation in context-bench's shape as one HTML file that needs nothing else and runs no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gavelkit.integrations.context_bench_breakdown import failed
from gavelkit.integrations.context_bench_figures import about, figure_names, shown, warnings
from gavelkit.integrations.context_bench_result import EvalResult
from gavelkit.integrations.context_bench_rows import EvalRow
from gavelkit.reports.html_frame import HTML_END, html_head
from gavelkit.reports.html_text import as_text, block, inline, plain

_TOLD: Final = frozenset({"judge_status", "judge_error"})
"""What the column of the judge shows of a row's metadata."""


def page(result: EvalResult) -> str:
    """The whole page, ending in a line feed. Whatever a name or a value holds, it stays text.

    Data is escaped; beyond that, the page's own policy forbids scripts, forms and loading anything.
    """
    return "".join([html_head("Evaluation results"), *_body(result), HTML_END])


def _body(result: EvalResult) -> Iterator[str]:
    told = " · ".join(inline(each) for each in about(result))
    yield f'<header><h1>Evaluation results</h1><p class="quiet">{told}</p>'
    yield "".join(f'<p class="banner bad">{inline(each)}</p>' for each in warnings(result))
    yield '</header>\n<main>\n<section id="summary"><h2>Summary</h2>\n'
    yield from _summary(result)
    yield '</section>\n<section id="rows"><h2>Rows</h2>\n'
    yield from _rows(result.rows)
    yield "</section>\n</main>\n"


def _summary(result: EvalResult) -> Iterator[str]:
    names = figure_names(result)
    if not names:
        yield "<p>No figures were computed.</p>\n"
        return
    yield from _table("Summary table", ["system", *names], 1)
    for system, figures in result.summary.items():
        cells = "".join(_number(shown(name, figures.get(name))) for name in names)
        yield f'<tr><th scope="row">{inline(system)}</th>{cells}</tr>\n'
    yield "</tbody></table></div>\n"


def _rows(rows: Sequence[EvalRow]) -> Iterator[str]:
    if not rows:
        yield "<p>There are no rows.</p>\n"
        return
    scores = list(dict.fromkeys(name for row in rows for name in row.scores))
    titles = ["system", "example", "dataset", *scores, "tokens in", "tokens out", "seconds", "judge", "metadata"]
    yield from _table("Rows", titles, 3)
    for row in rows:
        names = "".join(f"<td>{inline(str(each))}</td>" for each in (row.example_id, row.dataset))
        figures = [*(_score(name, row.scores.get(name)) for name in scores), *_costs(row)]
        numbers = "".join(map(_number, figures))
        yield f'<tr><th scope="row">{inline(row.system)}</th>{names}{numbers}{_judged(row)}{_further(row)}</tr>\n'
    yield "</tbody></table></div>\n"


def _table(label: str, titles: Sequence[str], texts: int) -> Iterator[str]:
    """A table's beginning; its first `texts` columns and those from the judge on hold texts, the others numbers."""
    yield f'<div class="wide" role="region" aria-label="{label}" tabindex="0"><table class="numbers"><thead><tr>'
    for at, title in enumerate(titles):
        side = "" if at < texts or title in {"judge", "metadata"} else ' class="number"'
        yield f'<th scope="col"{side}>{plain(title)}</th>'
    yield "</tr></thead><tbody>\n"


def _score(name: str, value: Any) -> str:
    """A figure; what an evaluator of somebody's own gives besides, a label, as its text."""
    return shown(name, value) if value is None or isinstance(value, int | float) else inline(as_text(value))


def _costs(row: EvalRow) -> tuple[str, str, str]:
    return f"{row.input_tokens:,}", f"{row.output_tokens:,}", f"{row.latency:.2f}"


def _judged(row: EvalRow) -> str:
    """How the judgment ended, and why where it failed."""
    status, error = (as_text(row.metadata.get(name, "")) for name in ("judge_status", "judge_error"))
    if not failed(row):
        return f"<td>{inline(status)}</td>"
    why = f": {inline(error)}" if error else ""
    return f'<td class="bad">{inline(status)}{why}</td>'


def _further(row: EvalRow) -> str:
    rest = {name: value for name, value in row.metadata.items() if name not in _TOLD}
    folded = f'<details class="text"><summary>metadata</summary>{block(as_text(rest))}</details>' if rest else ""
    return f"<td>{folded}</td>"


def _number(text: str) -> str:
    return f'<td class="number">{text}</td>'
