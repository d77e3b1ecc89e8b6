"""A gate that cannot be read, or names nothing there is, is refused before anything is called."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.makers import a_judge, an_arena

from gavelkit.config.gates import read_gates
from gavelkit.core.errors import ConfigError
from gavelkit.core.gate import METRICS, OPERATORS, WIN_RATE, Gate

JUDGES = [a_judge(str, "accuracy", threshold=7), a_judge(str, "flu/ency")]


def read(subject: Any, condition: Any = ">= 7.0") -> Gate:
    (gate,) = read_gates({subject: condition}, JUDGES, "c.yaml")
    return gate


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("metric", [each for each in METRICS if each != WIN_RATE])
def test_every_metric_takes_every_operator(metric: str, operator: str) -> None:
    assert read(f"accuracy.{metric}", f"{operator} 0.5") == Gate("accuracy", metric, operator, 0.5)


def test_only_a_judge_of_pairs_has_win_rates() -> None:
    (gate,) = read_gates({"arena[a].win_rate": "> 0.5"}, [an_arena(str)], "c.yaml")
    assert gate == Gate("arena", WIN_RATE, ">", 0.5, "a")
    with pytest.raises(ConfigError, match=r"accuracy\.win_rate: the judge compares no systems, so nothing wins"):
        read("accuracy.win_rate")


@pytest.mark.parametrize(
    ("subject", "system"),
    [
        ("flu/ency.mean", None),
        ("flu/ency[gpt-4.1].mean", "gpt-4.1"),
        ("flu/ency[a[1].b].mean", "a[1].b"),
        ("flu/ency[].mean", ""),
        ("flu/ency[a vs b].mean", "a vs b"),
    ],
)
def test_a_systems_name_may_hold_anything(subject: str, system: str | None) -> None:
    assert read(subject) == Gate("flu/ency", "mean", ">=", 7.0, system)


@pytest.mark.parametrize(("condition", "bound"), [(">=7", 7.0), ("  >=  -0.5 ", -0.5), (">= 1e-3", 0.001)])
def test_a_number_may_be_written_in_any_way(condition: str, bound: float) -> None:
    assert read("accuracy.mean", condition) == Gate("accuracy", "mean", ">=", bound)


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("acuracy.mean", "there is no judge 'acuracy'; did you mean accuracy?"),
        ("accuracy.maen", "there is no metric 'maen'; did you mean mean?"),
        ("accuracy", "'accuracy' is not judge.metric"),
        ("accuracy[a]", "'accuracy[a]' is not judge.metric"),
        ("accuracy.mean.x", "'accuracy.mean.x' is not judge.metric"),
        (3, "3 is not judge.metric"),
        ("flu/ency.pass_rate", "the judge has no threshold"),
    ],
)
def test_a_gate_on_nothing_there_is_names_the_nearest(subject: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"^c\.yaml: gates: .*{re.escape(message)}"):
        read(subject)


@pytest.mark.parametrize(
    "condition", ["7", ">= seven", "=> 7", "!= 7", ">= nan", "> inf", ">= 7 8", "", 7.0, None, [">= 7"]]
)
def test_a_condition_that_is_none_says_what_would_be_right(condition: Any) -> None:
    with pytest.raises(ConfigError, match=re.escape("accuracy.mean must be one of >=, >, <=, <, == and a number")):
        read("accuracy.mean", condition)
