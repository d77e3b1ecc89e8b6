"""A gate reads as its user wrote it, and never rounds a near miss into a pass."""

from __future__ import annotations

import pytest

from gavelkit.core.gate import OPERATORS, Gate, GateResult


def test_a_gate_is_told_as_it_is_written() -> None:
    assert str(Gate("accuracy", "mean", ">=", 7.0)) == "accuracy.mean >= 7"
    assert str(Gate("accuracy", "pass_rate", "<", 0.25, "gpt-4.1")) == "accuracy[gpt-4.1].pass_rate < 0.25"
    assert str(Gate("accuracy", "mean", ">=", 7.000000001)) == "accuracy.mean >= 7.000000001"


@pytest.mark.parametrize(("operator", "passing"), [(">=", {7, 8}), (">", {8}), ("<=", {6, 7}), ("<", {6}), ("==", {7})])
def test_each_operator_means_what_it_says(operator: str, passing: set[float]) -> None:
    gate = Gate("accuracy", "mean", operator, 7)
    assert {value for value in (6, 7, 8) if gate.passes(value)} == passing


def test_every_operator_has_its_side_of_the_bound() -> None:
    for operator in OPERATORS:
        gate = Gate("accuracy", "mean", operator, 7)
        worse = 9 if operator.startswith("<") else 5
        assert gate.nearness(worse) < gate.nearness(7)


def result(value: float | None, **more: object) -> GateResult:
    return GateResult("accuracy.mean >= 7", "accuracy", 7.0, value, passed=False, **more)  # type: ignore[arg-type] # by name


def test_a_result_names_value_interval_system_and_reason() -> None:
    assert str(result(6.333333, interval=(6.1, 6.5))) == "accuracy.mean >= 7: 6.3333 (interval 6.1 to 6.5)"
    assert result(6.5, system="b").found == "6.5 of b"
    assert result(None, reason="none of 3 judgments is ok").found == "no value: none of 3 judgments is ok"
    assert result(5.0, reason="2 of 3 systems fail: a, b", system="a").found == "5 of a; 2 of 3 systems fail: a, b"


def test_a_value_beside_its_bound_does_not_look_like_it() -> None:
    assert result(6.99999999).found == "6.99999999"
    assert result(7.0).found == "7"
    assert result(-0.000001).found == "0"
