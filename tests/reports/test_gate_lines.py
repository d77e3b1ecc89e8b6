"""Gates stand in every report that people read, and in the JSON."""

from __future__ import annotations

import json

from gavelkit.core.gate import GateResult
from gavelkit.core.report import Report
from gavelkit.reports import render_markdown, render_table, report_json
from gavelkit.reports.gate_lines import gate_lines

REPORT = Report(
    "out",
    (),
    (),
    gates=(
        GateResult("accuracy.mean >= 7", "accuracy", 7.0, 6.5, passed=False, system="b", interval=(6.0, 7.0)),
        GateResult("accuracy\x1b.n >= 8", "accuracy\x1b", 8.0, 8.0, passed=True),
        GateResult("accuracy.stderr < 1", "accuracy", 1.0, None, passed=False, reason="one example has no spread"),
    ),
)


def test_each_gate_passes_or_fails_in_its_own_line() -> None:
    assert list(gate_lines(REPORT)) == [
        ("FAIL", "accuracy.mean >= 7: 6.5 of b (interval 6 to 7)"),
        ("PASS", "accuracy\x1b.n >= 8: 8"),
        ("FAIL", "accuracy.stderr < 1: no value: one example has no spread"),
    ]


def test_the_table_shows_them_safely() -> None:
    assert (
        "\n\n"
        "FAIL  accuracy.mean >= 7: 6.5 of b (interval 6 to 7)\n"
        "PASS  accuracy\\x1b.n >= 8: 8\n"
        "FAIL  accuracy.stderr < 1: no value: one example has no spread\n"
    ) in render_table(REPORT)


def test_markdown_shows_them() -> None:
    shown = [line for line in render_markdown(REPORT).splitlines() if line.startswith("- **")]
    assert [line[:10] for line in shown] == ["- **FAIL**", "- **PASS**", "- **FAIL**"]
    assert shown[2].endswith("&#60; 1: no value: one example has no spread")


def test_json_holds_them() -> None:
    gates = json.loads(report_json(REPORT))["gates"]
    assert gates[0] == {
        "gate": "accuracy.mean >= 7",
        "judge": "accuracy",
        "bound": 7.0,
        "value": 6.5,
        "system": "b",
        "interval": {"low": 6.0, "high": 7.0},
        "passed": False,
        "reason": None,
    }
    assert (gates[2]["value"], gates[2]["interval"], gates[2]["reason"]) == (None, None, "one example has no spread")
