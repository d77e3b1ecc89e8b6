"""An evaluation in context-bench's shape as Markdown, JSON, JSON Lines, HTML and a terminal's table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from gavelkit.integrations.context_bench_figures import about, figure_names, shown, warnings
from gavelkit.integrations.context_bench_page import page
from gavelkit.integrations.context_bench_result import EvalResult, row_fields
from gavelkit.reports.columns import Columns
from gavelkit.reports.markdown_text import escaped, table_row
from gavelkit.reports.terminal import printable, shortened, wrapped
from gavelkit.reports.wellformed import plain_json

_WIDTH: Final = 100
_NAME_WIDTH: Final = 20
_ABREAST: Final = 3
"""So many systems of so many columns stand side by side within the width."""


def to_markdown(result: EvalResult) -> str:
    """A table with a row for each system, the judge's failures, and times. Names in it become no markup."""
    names = figure_names(result)
    lines = ["# Evaluation results", ""]
    if names:
        lines += [table_row(["System", *map(escaped, names)]), table_row(["---", *["---:"] * len(names)])]
        for system, figures in result.summary.items():
            cells = [shown(name, figures.get(name)) for name in names]
            lines.append(table_row([escaped(system), *cells]))
    else:
        lines.append(_nothing(result))
    lines += [part for told in warnings(result) for part in ("", f"**{escaped(told)}**")]
    timed = [f"- {escaped(told)}" for told in about(result)]
    return "\n".join([*lines, *([""] if timed else []), *timed]) + "\n"


def to_json(result: EvalResult) -> str:
    """What `result.to_json()` gives: rows, summary, timing, config, and `judge_failures` where there are any."""
    return result.to_json()


def to_jsonl(result: EvalResult) -> str:
    """A line of JSON for each row, in the keys of `to_json`; how a row's judgment ended is in its metadata."""
    rows = (plain_json(row_fields(row), as_written=True) for row in result.rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def to_html(result: EvalResult) -> str:
    """One page that needs no other file and runs no script: the table, the judge's failures, and every row."""
    return page(result)


def to_table(result: EvalResult) -> str:
    """The figures as aligned lines for a terminal, three systems side by side, and the judge's failures.

    Every name in it is safe for a terminal.
    """
    names = figure_names(result)
    blocks = [list(_abreast(result, names, systems)) for systems in _groups(list(result.summary))] if names else []
    blocks = blocks or [[_nothing(result)]]
    blocks.append([line for told in warnings(result) for line in wrapped(f"!! {printable(told)}", _WIDTH)])
    blocks.append([line for told in about(result) for line in wrapped(printable(told), _WIDTH)])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _groups(systems: Sequence[str]) -> Iterator[Sequence[str]]:
    return (systems[at : at + _ABREAST] for at in range(0, len(systems), _ABREAST))


def _abreast(result: EvalResult, names: Sequence[str], systems: Sequence[str]) -> Iterator[str]:
    rows = [[shown(name, result.summary[system].get(name)) for system in systems] for name in names]
    titles = [shortened(printable(system), _NAME_WIDTH) for system in systems]
    labels = [printable(name) for name in names]
    columns = Columns.of([titles, *rows], labels, width=_WIDTH)
    yield from columns.lines("", titles)
    for label, row in zip(labels, rows, strict=True):
        yield from columns.lines(label, row)


def _nothing(result: EvalResult) -> str:
    return "No figures were computed." if result.summary else "Nothing was evaluated."
