"""JUnit XML that any reader takes, whatever a name holds."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.gate import GateResult
from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.junit import junit_xml

COUNTS = {Status.OK: 8, Status.PARSE_ERROR: 2}
JUDGE = JudgeSummary("accuracy", "m", "", "", True, None, 0.5, COUNTS, {}, 10, 0, 0, 0, True)  # noqa: FBT003 - by place
GATES = (
    GateResult("accuracy.mean >= 7", "accuracy", 7.0, 6.5, passed=False, interval=(6.0, 7.0)),
    GateResult("accuracy.n >= 8", "accuracy", 8.0, 8.0, passed=True),
)
REPORT = Report("out", (), (JUDGE,), gates=GATES)


def read(report: Report) -> ET.Element:
    return ET.fromstring(junit_xml(report))  # noqa: S314 - what was just written


def failures(report: Report) -> dict[str, str | None]:
    return {
        str(case.get("name")): None if (failure := case.find("failure")) is None else failure.get("message")
        for case in read(report).iter("testcase")
    }


def test_each_gate_and_the_error_rate_is_a_case_of_its_judge() -> None:
    assert failures(REPORT) == {
        "error rate": None,
        "accuracy.mean >= 7": "accuracy.mean >= 7: 6.5 (interval 6 to 7)",
        "accuracy.n >= 8": None,
    }
    (suite,) = read(REPORT)
    assert suite.attrib == {"name": "accuracy", "tests": "3", "failures": "1", "errors": "0"}


def test_where_lower_is_better_the_suite_says_so() -> None:
    assert next(read(REPORT).iter("property"), None) is None
    lower = replace(REPORT, judges=(replace(JUDGE, higher_is_better=False),))
    (told,) = read(lower).iter("property")
    assert told.attrib == {"name": "direction", "value": "lower is better"}


def test_a_gate_stands_with_its_own_judge() -> None:
    other = replace(JUDGE, name="fluency")
    found = {suite.get("name"): suite.get("tests") for suite in read(replace(REPORT, judges=(JUDGE, other)))}
    assert found == {"accuracy": "3", "fluency": "1"}


def test_too_many_failures_fail_the_case_of_the_error_rate() -> None:
    strict = replace(REPORT, judges=(replace(JUDGE, max_error_rate=0.1),))
    assert failures(strict)["error rate"] == "2 of 10 failed (20.00 %): TOO MANY, above the maximum of 10 %"


def test_a_run_that_is_not_finished_does_not_pass() -> None:
    pending = replace(JUDGE, counts={**COUNTS, Status.PENDING: 3})
    assert failures(replace(REPORT, judges=(pending,)))["finished"] == "unfinished: 3 judgments are pending"


@given(st.text())
def test_any_text_can_be_read_back_without_its_control_characters(text: str) -> None:
    gate = GateResult(f"a.mean >= 7 {text}", "a", 7.0, None, passed=False, reason=f"{text}\x00\x1b]0;\x85\ud800\ufffe")
    report = Report("out", (), (replace(JUDGE, name="a"),), gates=(gate,))
    assert len(failures(report)) == 2
    written = junit_xml(report).decode()
    assert not any(mark in written for mark in "\x00\x1b\x85\ufffe")
