"""unitxt's operators that make criteria of an instance's field: from a shipped name, a text, a mapping or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gavelkit.catalog.criteria import YES_NO, YES_NO_PARTIALLY
from gavelkit.integrations.unitxt_criteria import Criteria, CriteriaOption, CriteriaWithOptions, as_criteria
from gavelkit.integrations.unitxt_error import unitxt_error
from gavelkit.integrations.unitxt_fields import field_of, with_field


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOperator:
    """Makes criteria of an instance's field, and puts them into `to_field`, else in its place."""

    field: str
    to_field: str | None = None

    def process_value(self, value: Any) -> Criteria:
        """The criteria. Raises UnitxtError."""
        raise NotImplementedError

    def process(self, instance: Mapping[str, Any], stream_name: str | None = None) -> dict[str, Any]:  # noqa: ARG002 - unitxt's signature
        """The instance with its criteria. Raises UnitxtError."""
        value = field_of(instance, self.field, where=type(self).__name__)
        return with_field(instance, self.to_field or self.field, self.process_value(value))

    def __call__(self, instances: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        return (self.process(instance) for instance in instances)


class LoadCriteria(FieldOperator):
    """From any form: a shipped name, an artifact's JSON or mapping, or the criteria themselves."""

    def process_value(self, value: Any) -> Criteria:
        return as_criteria(value, pairwise=True)


class LoadCriteriaWithOptions(FieldOperator):
    """The same, where there must be options."""

    def process_value(self, value: Any) -> CriteriaWithOptions:
        return with_options(as_criteria(value))


class CreateCriteriaFromString(FieldOperator):
    """From a question, without a name."""

    def process_value(self, value: Any) -> Criteria:
        return Criteria("", str(value))


class CreateCriteriaFromDict(FieldOperator):
    """From an artifact's mapping."""

    def process_value(self, value: Any) -> Criteria:
        return Criteria.from_obj(value)


class CreateCriteriaFromJson(FieldOperator):
    """From an artifact's JSON."""

    def process_value(self, value: Any) -> Criteria:
        return Criteria.from_jsons(value)


class CreateCriteriaWithOptionsFromDict(FieldOperator):
    """From an artifact's mapping with options."""

    def process_value(self, value: Any) -> CriteriaWithOptions:
        return CriteriaWithOptions.from_obj(value)


class CreateCriteriaWithOptionsFromJson(FieldOperator):
    """From an artifact's JSON with options."""

    def process_value(self, value: Any) -> CriteriaWithOptions:
        return CriteriaWithOptions.from_jsons(value)


class CreateYesNoCriteriaFromString(FieldOperator):
    """From a question, without a name: yes is 1, no is 0."""

    def process_value(self, value: Any) -> CriteriaWithOptions:
        return _question(value, YES_NO)


class CreateYesNoPartiallyCriteriaFromString(FieldOperator):
    """The same with partially between them, 0.5."""

    def process_value(self, value: Any) -> CriteriaWithOptions:
        return _question(value, YES_NO_PARTIALLY)


def with_options(criteria: Criteria) -> CriteriaWithOptions:
    """The same criteria. Raises UnitxtError where they have no options."""
    if isinstance(criteria, CriteriaWithOptions) and criteria.options:
        return criteria
    message = (
        f"direct assessment needs criteria of the type CriteriaWithOptions, and {criteria.name!r} are of the type "
        f"{type(criteria).__name__}: give them options to choose from"
    )
    raise unitxt_error(message)


def _question(text: Any, scores: Mapping[str, float]) -> CriteriaWithOptions:
    options = [CriteriaOption(name) for name in scores]
    return CriteriaWithOptions("", str(text), options=options, option_map=dict(scores))
