"""From judgments to the dictionaries that `compute` returns, key for key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gavelkit.core.judgment import Judgment
from gavelkit.core.status import Status
from gavelkit.integrations.unitxt_engine import as_dicts
from gavelkit.integrations.unitxt_run import Asked
from gavelkit.judges.turns import ASSESSMENT, SECOND, SELECTION, SUMMARY

MISSPELT = "posional_bias_option_selection"
"""The key as the page of direct assessment has it; the right spelling is given beside it."""

SEVERAL = "llm_as_judge"
"""The main score's name where the rows' criteria have no one name."""

_KEPT_EMPTY = "positional_bias"  # it was asked for and is not known, which nobody should have to guess


@dataclass(frozen=True, slots=True)
class Shape:
    """What is shown: whether both orders were asked, and whether the prompts are wanted."""

    both_orders: bool
    prompts: bool


def main_name(names: Sequence[str]) -> str:
    """The criterion's name in lower case with `_` for spaces, where all rows share one; else `llm_as_judge`."""
    return names[0].lower().replace(" ", "_") if names[0] and len(set(names)) == 1 else SEVERAL


def direct_result(asked: Asked, criteria: str, *, main: str, using: str, shape: Shape) -> dict[str, Any]:
    """One response's result, without the general score. `using` is the key of the score by its evaluator."""
    judgment, replies = asked.judgment, asked.replies
    parts = judgment.grade.parts if judgment.grade else {}
    score = math.nan if judgment.score is None else judgment.score
    bias = {_KEPT_EMPTY: judgment.position_bias} if shape.both_orders else {}
    found = cleaned(
        {
            "selected_option": judgment.grade.value if judgment.grade and judgment.status is Status.OK else None,
            "positional_bias_selected_option": parts.get("positional_bias_selection"),
            "assessment": replies.get(ASSESSMENT),
            "positional_bias_assessment": replies.get(SECOND + ASSESSMENT),
            "summary": replies.get(SUMMARY),
            "positional_bias_summary": replies.get(SECOND + SUMMARY),
            "prompts": _direct_prompts(asked) if shape.prompts else None,
            "option_selection_completion": replies.get(SELECTION),
            "positional_bias_option_selection_completion": replies.get(SECOND + SELECTION),
            "criteria": criteria,
            "positional_bias_error": parts.get("positional_bias_failure"),
            **_failure(judgment),
        }
    )
    named = {f"{main}_{key}": value for key, value in {**bias, **found}.items()}
    return {main: score, f"{main}_{using}": score, **named}


def contests_result(
    contests: Sequence[Asked], criteria: str, *, systems: Sequence[str], shape: Shape
) -> dict[str, Any]:
    """One row's contests, system by system, without the general score."""
    arrays = {name: _arrays(name, contests, systems, shape) for name in systems}
    rates = {name: _win_rate(arrays[name]["contest_results"]) for name in systems}
    found: dict[str, Any] = {}
    for name in systems:
        figures = {"winrate": rates[name], "llm_as_judge": rates[name], "ranking": _rank(name, rates)}
        told = {**arrays[name], **figures, "response_name": name, **_failures(name, contests, systems)}
        found |= {f"{name}_{key}": value for key, value in cleaned(told).items()}
    return {**found, "criteria": criteria}


def with_score(result: Mapping[str, Any], name: str, *, prefix: str) -> dict[str, Any]:
    """The result with its general score, and with the prefix before every other key."""
    return {
        **{f"{prefix}{key}": value for key, value in result.items()},
        "score": result[name],
        "score_name": prefix + name,
    }


def cleaned(results: Any) -> Any:
    """Without entries that are None, an empty list or an empty dictionary, also once their own are left out.

    What stands in a list keeps its place.
    """
    if isinstance(results, list):
        return [cleaned(each) if isinstance(each, Mapping) else each for each in results]
    found = {name: cleaned(each) if isinstance(each, Mapping) else each for name, each in results.items()}
    return {name: each for name, each in found.items() if not (each is None or each in ([], {}))}


def _failure(judgment: Judgment) -> dict[str, str]:
    if judgment.status is Status.OK:
        return {}
    return {"status": str(judgment.status), "error": judgment.failure.message if judgment.failure else ""}


def _direct_prompts(asked: Asked) -> dict[str, Any]:
    order = (ASSESSMENT, SECOND + ASSESSMENT, SUMMARY, SECOND + SUMMARY, SELECTION)
    found: dict[str, Any] = {step: as_dicts(asked.requests[step].messages) for step in order if step in asked.requests}
    if SECOND + SELECTION in asked.requests:
        messages = as_dicts(asked.requests[SECOND + SELECTION].messages)
        found |= {MISSPELT: messages, SECOND + SELECTION: messages}
    return found


def _own(name: str, contests: Sequence[Asked], systems: Sequence[str]) -> list[Asked]:
    """A system's contests, in the order of the systems it meets."""
    met = {frozenset(each.judgment.slot.systems): each for each in contests}
    return [met[frozenset((name, other))] for other in systems if other != name]


def _arrays(name: str, contests: Sequence[Asked], systems: Sequence[str], shape: Shape) -> dict[str, Any]:
    own = _own(name, contests, systems)
    winners = [_winner(each) for each in own]
    found = {
        "summaries": _replies(own, SUMMARY),
        "positional_bias_summaries": _replies(own, SECOND + SUMMARY),
        "contest_results": [None if winner is None else winner == name for winner in winners],
        "selections": winners,
        "compared_to": [other for other in systems if other != name],
        "assessments": [each.replies.get(ASSESSMENT) for each in own],
        "positional_bias_assessments": [each.replies.get(SECOND + ASSESSMENT) for each in own],
        "option_selection_outputs": list(winners),
        "positional_bias": [each.judgment.position_bias for each in own],
        "positional_bias_selection": [_second_winner(each) for each in own],
        "prompts": _contest_prompts(own) if shape.prompts else None,
    }
    if shape.both_orders:
        return found
    return {key: value for key, value in found.items() if not key.startswith("positional_bias")}


def _replies(contests: Sequence[Asked], step: str) -> list[str | None] | None:
    """The replies to a step; None where no contest has it, since nobody asked."""
    found = [each.replies.get(step) for each in contests]
    return None if all(each is None for each in found) else found


def _contest_prompts(contests: Sequence[Asked]) -> dict[str, Any]:
    order = {step: step for step in (ASSESSMENT, SECOND + ASSESSMENT, SELECTION, SECOND + SELECTION)}
    order |= {SUMMARY: "summary", SECOND + SUMMARY: "positional_bias_summary"}
    return {
        key: [as_dicts(each.requests[step].messages) if step in each.requests else None for each in contests]
        for step, key in order.items()
        if any(step in each.requests for each in contests)
    }


def _winner(contest: Asked) -> str | None:
    judgment = contest.judgment
    if judgment.status is not Status.OK or judgment.grade is None:
        return None
    return _named(contest, judgment.grade.value)


def _second_winner(contest: Asked) -> str | None:
    parts = contest.judgment.grade.parts if contest.judgment.grade else {}
    return _named(contest, parts["positional_bias_selection"]) if "positional_bias_selection" in parts else None


def _named(contest: Asked, verdict: object) -> str:
    one, other = contest.judgment.slot.systems
    return one if verdict == "A" else other


def _win_rate(results: Sequence[bool | None]) -> float:
    """Contests won over contests; not a number where one has no verdict, which is no defeat."""
    return math.nan if None in results else sum(map(bool, results)) / len(results)


def _rank(name: str, rates: Mapping[str, float]) -> int | None:
    """1 is the best, equals share the better rank; None where a system has no win rate."""
    if any(math.isnan(rate) for rate in rates.values()):
        return None
    return 1 + sum(rate > rates[name] for rate in rates.values())


def _failures(name: str, contests: Sequence[Asked], systems: Sequence[str]) -> dict[str, Any]:
    own = [each.judgment for each in _own(name, contests, systems)]
    if all(judgment.status is Status.OK for judgment in own):
        return {}
    errors = [_failure(judgment).get("error") for judgment in own]
    return {"status": [str(judgment.status) for judgment in own], "error": errors}
