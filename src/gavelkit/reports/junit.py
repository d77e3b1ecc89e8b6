"""A report as JUnit XML: a suite for each judge, a case for its error rate and for each of its gates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.judge_lines import errors

# What XML 1.0 cannot hold at all, and the C1 controls, which some viewers obey.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

_Case = tuple[str, str, str]


def junit_xml(report: Report) -> bytes:
    """The document. A run that is not finished fails a case of its own, so that no gate passes on half the rows."""
    suites = ET.Element("testsuites", name="gavel")
    for judge in report.judges:
        cases = list(_cases(judge, report))
        failed = sum(bool(failure) for _, failure, _ in cases)
        suite = ET.SubElement(
            suites, "testsuite", name=_clean(judge.name), tests=str(len(cases)), failures=str(failed), errors="0"
        )
        if not judge.higher_is_better:
            properties = ET.SubElement(suite, "properties")
            ET.SubElement(properties, "property", name="direction", value="lower is better")
        for name, failure, found in cases:
            case = ET.SubElement(suite, "testcase", classname=_clean(f"gavel.{judge.name}"), name=_clean(name))
            if failure:
                ET.SubElement(case, "failure", message=_clean(failure)).text = _clean(failure)
            else:
                ET.SubElement(case, "system-out").text = _clean(found)
    ET.indent(suites)
    return bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _cases(judge: JudgeSummary, report: Report) -> Iterator[_Case]:
    """Each case by its name, its failure (empty where there is none) and what was found."""
    pending = judge.counts.get(Status.PENDING, 0)
    if pending:
        yield "finished", f"unfinished: {pending} judgments are pending", ""
    yield "error rate", _rate(judge) if judge.too_many_failed else "", _rate(judge)
    for gate in report.gates:
        if gate.judge == judge.name:
            yield gate.gate, "" if gate.passed else str(gate), gate.found


def _rate(judge: JudgeSummary) -> str:
    return errors(judge).removeprefix("!! ")


def _clean(text: str) -> str:
    return _CONTROL.sub("", text)
