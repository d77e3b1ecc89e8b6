"""unitxt's judge classes over this package's judges: the same keywords in, the same keys out. unitxt is not needed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gavelkit.integrations.unitxt_base import LLMJudge, Rows
from gavelkit.integrations.unitxt_criteria import (
    Criteria,
    CriteriaOption,
    CriteriaWithOptions,
    contest_criterion,
    option_criterion,
)
from gavelkit.integrations.unitxt_engine import Endpoint
from gavelkit.integrations.unitxt_enums import EvaluatorNameEnum, criteria_enum
from gavelkit.integrations.unitxt_error import error_class
from gavelkit.integrations.unitxt_inputs import mapping_of, rows_of, systems
from gavelkit.integrations.unitxt_operators import (
    CreateCriteriaFromDict,
    CreateCriteriaFromJson,
    CreateCriteriaFromString,
    CreateCriteriaWithOptionsFromDict,
    CreateCriteriaWithOptionsFromJson,
    CreateYesNoCriteriaFromString,
    CreateYesNoPartiallyCriteriaFromString,
    LoadCriteria,
    LoadCriteriaWithOptions,
    with_options,
)
from gavelkit.integrations.unitxt_results import SEVERAL, contests_result, direct_result, main_name, with_score
from gavelkit.integrations.unitxt_run import direct_judge, judged, pairwise_judge
from gavelkit.integrations.unitxt_scores import Ends

if TYPE_CHECKING:
    from enum import Enum

    from gavelkit.integrations.unitxt_error import UnitxtError

    DirectCriteriaCatalogEnum: type[Enum]
    PairwiseCriteriaCatalogEnum: type[Enum]

__all__ = [
    "CreateCriteriaFromDict",
    "CreateCriteriaFromJson",
    "CreateCriteriaFromString",
    "CreateCriteriaWithOptionsFromDict",
    "CreateCriteriaWithOptionsFromJson",
    "CreateYesNoCriteriaFromString",
    "CreateYesNoPartiallyCriteriaFromString",
    "Criteria",
    "CriteriaOption",
    "CriteriaWithOptions",
    "DirectCriteriaCatalogEnum",
    "Endpoint",
    "EvaluatorNameEnum",
    "LLMJudge",
    "LLMJudgeDirect",
    "LLMJudgePairwise",
    "LoadCriteria",
    "LoadCriteriaWithOptions",
    "PairwiseCriteriaCatalogEnum",
    "UnitxtError",
]

_WINRATE, _NAMES = "_winrate", "_response_name"


@dataclass(kw_only=True, eq=False)
class LLMJudgeDirect(LLMJudge):
    """Chooses one of a criterion's options for each response."""

    main_score: str = SEVERAL
    reduction_map: dict[str, list[str]] = field(default_factory=lambda: {"mean": [SEVERAL]})

    def before_process_multi_stream(self) -> None:
        """Raises UnitxtError where there are no criteria, or the judge's own have no options."""
        super().before_process_multi_stream()
        if self.criteria is not None:
            with_options(self.criteria)

    def compute(
        self,
        references: Sequence[Sequence[Any]] | None,  # noqa: ARG002 - the page's signature; name a field to show one
        predictions: Sequence[Any] | None,
        task_data: Rows,
    ) -> list[dict[str, Any]]:
        """One result for each row, with every key of the page.

        References are not shown to the judge; name a field of `task_data` in `context_fields` to show one. A judgment
        that failed has NaN as its scores, and says why under `status` and `error`. Works while an event loop runs.
        Raises UnitxtError before anything is asked; EndpointError where the engine answers nobody.
        """
        criteria, answers = self._given(predictions, task_data)
        judge = direct_judge(
            [option_criterion(with_options(each)) for each in criteria],
            self._reached(task_data),
            both_orders=self.check_positional_bias,
            summaries=self.generate_summaries,
        )
        rows = rows_of(answers, self.get_contexts(task_data), contests=False)
        main, using = main_name([each.name for each in criteria]), self._using()
        score = self._main(main, (main, f"{main}_{using}"))
        results = []
        for (asked,), each in zip(judged(rows, mapping_of(contests=False), judge), criteria, strict=True):
            result = direct_result(asked, each.to_json(), main=main, using=using, shape=self._shape())
            results.append(with_score(result, score, prefix=self.score_prefix))
        return results

    def _fields(self, instances: Rows, main: str) -> dict[str, list[str]]:
        """The fields to reduce, where `llm_as_judge` stands for the main score of whatever name."""
        several = any(f"{self.score_prefix}{SEVERAL}" in each for each in instances)
        named = SEVERAL if several else main
        return {
            reduction: [named if name == SEVERAL else name for name in names]
            for reduction, names in self.reduction_map.items()
        }

    def _ends(self, instance: Mapping[str, Any]) -> Ends:
        text = next((value for name, value in instance.items() if name.endswith("_criteria")), None)
        scores = None if text is None else json.loads(text).get("option_map")
        return (min(scores.values()), max(scores.values())) if scores else (1.0, 1.0)


@dataclass(kw_only=True, eq=False)
class LLMJudgePairwise(LLMJudge):
    """Compares the responses of two or more systems, two by two."""

    main_score: str = f"1{_WINRATE}"
    reduction_map: dict[str, list[str]] = field(default_factory=lambda: {"mean": ["score"]})

    _of_contests: ClassVar[bool] = True

    def compute(
        self,
        references: Sequence[Sequence[Any]] | None,  # noqa: ARG002 - the page's signature; name a field to show one
        predictions: Sequence[Any] | None,
        task_data: Rows,
    ) -> list[dict[str, Any]]:
        """One result for each row: every system's contests with every other, its win rate and its rank.

        Predictions are lists, whose systems are called 1, 2 and so on, or dictionaries by name. The normal order
        decides. A contest that failed is None in its place; its systems have NaN as their win rates, and say why under
        `status` and `error`. Raises UnitxtError before anything is asked; EndpointError where the engine answers none.
        """
        criteria, answers = self._given(predictions, task_data)
        by_system = systems(answers)
        names = list(by_system[0])
        judge = pairwise_judge(
            [contest_criterion(each) for each in criteria],
            self._reached(task_data),
            names,
            both_orders=self.check_positional_bias,
            summaries=self.generate_summaries,
        )
        rows = rows_of(by_system, self.get_contexts(task_data), contests=True)
        score = self._main(f"{names[0]}{_WINRATE}", [f"{name}{_WINRATE}" for name in names])
        results = []
        for contests, each in zip(judged(rows, mapping_of(contests=True), judge), criteria, strict=True):
            result = contests_result(contests, each.to_json(), systems=names, shape=self._shape())
            results.append(with_score(result, score, prefix=self.score_prefix))
        return results

    def prepare(self) -> None:
        """As every judge; the prompts of contests are this package's own. Raises UnitxtError."""
        super().prepare()

    def before_process_multi_stream(self) -> None:
        """Raises UnitxtError where there are no criteria."""
        super().before_process_multi_stream()

    def _fields(self, instances: Rows, main: str) -> dict[str, list[str]]:  # noqa: ARG002 - as the base has it
        """The fields to reduce; by default the score and every system's win rate."""
        if self.reduction_map != {"mean": ["score"]}:
            return self.reduction_map
        first, prefix = instances[0], self.score_prefix
        named = [str(value) for name, value in first.items() if name == f"{prefix}{value}{_NAMES}"]
        return {"mean": ["score", *(f"{name}{_WINRATE}" for name in named)]}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        if name == "UnitxtError":
            return error_class()
        found = criteria_enum(name)
        if found is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return found
