"""What became of a run's gates, a line each, for every report that people read."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.report import Report


def gate_lines(report: Report) -> Iterator[tuple[str, str]]:
    """PASS or FAIL, and the gate with what was found. Words come as they are: whoever shows them makes them safe."""
    for gate in report.gates:
        yield "PASS" if gate.passed else "FAIL", str(gate)
