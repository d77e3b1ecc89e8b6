"""What unitxt's two judge classes share: the keywords of its page, and the page's methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from gavelkit.integrations.unitxt_criteria import ContextFields, Criteria, as_criteria, context_of
from gavelkit.integrations.unitxt_engine import (
    Reached,
    as_dicts,
    ask_all,
    check_engine,
    engine_id,
    label_of,
    reach,
)
from gavelkit.integrations.unitxt_error import unitxt_error
from gavelkit.integrations.unitxt_fields import field_of
from gavelkit.integrations.unitxt_inputs import check_lengths, contexts, responses
from gavelkit.integrations.unitxt_results import Shape, cleaned
from gavelkit.integrations.unitxt_scores import Ends, Plan, check_reductions, global_scores
from gavelkit.integrations.unitxt_step import check_task, conversations, predictions, texts

FORMAT, METHOD = "formats.chat_api", "BCa"

Rows = Sequence[Mapping[str, Any]]


@dataclass(kw_only=True, eq=False)
class LLMJudge:
    """What judges instances by criteria: first an assessment, then the choice of an option in the same conversation.

    Kept and ignored, since nothing here does what they steer: prediction_type, single_reference_per_prediction,
    _requirements_list, requirements, caching, apply_to_streams, dont_apply_to_streams, implemented_reductions.
    `data_classification_policy` is handed to engines with unitxt's `infer`. `format` and `ci_method` take their
    defaults alone. Raises UnitxtError where a keyword cannot be obeyed.
    """

    data_classification_policy: list[str] | None = None
    main_score: str
    prediction_type: Any = Any
    single_reference_per_prediction: bool = False
    score_prefix: str = ""
    n_resamples: int | None = 1000
    confidence_level: float = 0.95
    ci_scores: list[str] | None = None
    ci_method: str = METHOD
    _requirements_list: list[str] | dict[str, str] = field(default_factory=list)
    requirements: list[str] | dict[str, str] = field(default_factory=list)
    caching: bool | None = None
    apply_to_streams: list[str] | None = None
    dont_apply_to_streams: list[str] | None = None
    reduction_map: dict[str, list[str]]
    implemented_reductions: list[str] = field(default_factory=lambda: ["mean", "weighted_win_rate"])
    inference_engine: Any
    evaluator_name: Enum | str | None = None
    check_positional_bias: bool = True
    context_fields: ContextFields = field(default_factory=lambda: ["context"])
    generate_summaries: bool = False
    format: str = FORMAT
    include_prompts_in_result: bool = True
    criteria_field: str | None = None
    criteria: Any = None

    _of_contests: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Bring context fields, evaluator's name and criteria into one form each. Raises UnitxtError."""
        for name, only in (("format", FORMAT), ("ci_method", METHOD)):
            if getattr(self, name) != only:
                message = f"{name} can only be {only!r}, not {getattr(self, name)!r}"
                raise unitxt_error(message)
        check_engine(self.inference_engine)
        check_reductions(self.reduction_map)
        self.context_fields = context_of(self.context_fields)
        if self.criteria is not None:
            self.criteria = as_criteria(self.criteria, pairwise=self._of_contests)
        own = self.evaluator_name
        self.evaluator_name = engine_id(self.inference_engine) if own is None else _plain(own)

    def before_process_multi_stream(self) -> None:
        """Raises UnitxtError where neither `criteria` nor `criteria_field` is set."""
        if self.criteria is None and not self.criteria_field:
            message = "give the judge criteria or criteria_field: what to judge by, or which field of a row says it"
            raise unitxt_error(message)

    def clean_results(self, results: Any) -> Any:
        """Without entries that are None, an empty list or an empty dictionary; what stands in a list stays there."""
        return cleaned(results)

    def get_criteria(self, task_data: Rows, eval_count: int) -> list[Criteria]:
        """The criteria of each row: the judge's own, else those in the row's `criteria_field`. Raises UnitxtError."""
        if self.criteria is not None:
            return [self.criteria] * eval_count
        self.before_process_multi_stream()
        path = str(self.criteria_field)
        found = []
        for number, row in enumerate(task_data[:eval_count]):
            value = field_of(row, path, where=f"task_data[{number}]: criteria_field")
            found.append(as_criteria(value, pairwise=self._of_contests))
        return found

    def get_contexts(self, task_data: Rows) -> list[dict[str, str]]:
        """What is shown beside each row's response, by the names shown; the criteria say it where the judge does not.

        Raises UnitxtError where a row lacks a field.
        """
        own = context_of(self.context_fields)
        if own:
            return contexts(task_data, [own] * len(task_data))
        criteria = self.get_criteria(task_data, len(task_data))
        return contexts(task_data, [context_of(each.context_fields) for each in criteria])

    def perform_evaluation_step(
        self, instances: Rows, task: Any, template: Any, previous_messages: Sequence[Any] | None = None
    ) -> tuple[list[list[dict[str, str]]], list[str | None], list[str | None]]:
        """Ask the engine once about each instance, and give what was sent, the replies, and what they say.

        `template` is a text with fields in braces, or an object with `render(instance)`; `task` may have
        `input_fields`, which every instance must hold. `previous_messages` are one list for all instances or a list
        for each. Where an instance has `options`, what a reply says is the option it names, None where it names none.
        Raises UnitxtError, and EndpointError where the engine answers nobody.
        """
        check_task(task, instances)
        sent = conversations(instances, template, previous_messages)
        raw = texts(ask_all(self._reached(instances), sent))
        return [as_dicts(messages) for messages in sent], raw, predictions(instances, raw)

    def aggregate(self, instances: Rows) -> dict[str, Any]:
        """The global scores over what `compute` returned, or over several such lists joined.

        num_of_instances, score, score_name, each reduced field and the intervals; beside them how many instances
        failed, and what the score would be were all of them at the lowest or the highest. Raises UnitxtError.
        """
        if not instances:
            message = "there is nothing to reduce: no instances"
            raise unitxt_error(message)
        names = sorted({str(each.get("score_name")) for each in instances})
        if len(names) > 1:
            message = (
                f"the instances have different main scores ({', '.join(names)}); reduce those of each by themselves"
            )
            raise unitxt_error(message)
        main = names[0].removeprefix(self.score_prefix)
        plan = Plan(
            fields=self._fields(instances, main),
            main=main,
            intervals=self.ci_scores or [main],
            resamples=self.n_resamples,
            level=self.confidence_level,
            prefix=self.score_prefix,
        )
        return global_scores(instances, plan, [self._ends(each) for each in instances])

    def _fields(self, instances: Rows, main: str) -> dict[str, list[str]]:  # noqa: ARG002 - for the classes below
        """What is reduced, by reduction."""
        return self.reduction_map

    def _ends(self, instance: Mapping[str, Any]) -> Ends:  # noqa: ARG002 - for the classes below
        """The lowest and the highest score an instance could have."""
        return 0.0, 1.0

    def _given(self, given: Sequence[Any] | None, task_data: Rows) -> tuple[list[Criteria], list[Any]]:
        """The criteria of each row, and what is judged. Raises UnitxtError."""
        self.before_process_multi_stream()
        check_lengths(given, task_data)
        criteria = self.get_criteria(task_data, len(task_data))
        return criteria, responses(given, task_data, criteria)

    def _reached(self, rows: Rows) -> Reached:
        by_id = {str(number): row for number, row in enumerate(rows)}
        return reach(self.inference_engine, by_id, self.data_classification_policy)

    def _shape(self) -> Shape:
        return Shape(self.check_positional_bias, self.include_prompts_in_result)

    def _main(self, own: str, scores: Sequence[str]) -> str:
        """The main score: the one a user named, where it is one of a result's scores; else the result's own."""
        return self.main_score if self.main_score in scores else own

    def _using(self) -> str:
        return f"using_{str(self.evaluator_name).lower()}_{label_of(self.inference_engine)}"


def _plain(name: Enum | str) -> str:
    return str(name.value) if isinstance(name, Enum) else name
