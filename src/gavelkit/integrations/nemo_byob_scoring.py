"""A bring-your-own benchmark's scorer as a judge of ours: it runs in a thread, and all that it returns is kept."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gavelkit.core.example import Example
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.message import Message, Parameters
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_config import ByobError, JudgeConfig
from gavelkit.integrations.nemo_byob_face import Face, Failed
from gavelkit.integrations.nemo_byob_registry import Benchmark, Scorer, ScorerInput
from gavelkit.judges import Asking, Scored

MODEL = "model under test"
"""The engine by which a scorer asks the model under test, and the step of such a reply."""
JUDGE_FAILURES = "judge_failures"
"""The key of a grade's parts under which the judges without a score stand: `{key: {status, error}}`."""
_SESSION = "_judge_session"


@dataclass(frozen=True, slots=True)
class BenchmarkScorer:
    """Calls the scorer of a benchmark. `judges` are the settings of those in `extra`, by key.

    `asks_model` are the parameters by which the scorer may ask the model under test, where there is one;
    `response_field` the column of the response, where no model is asked.
    """

    benchmark: Benchmark
    judges: Mapping[str, JudgeConfig]
    asks_model: Parameters | None = None
    response_field: str = ""

    def __call__(self, example: Example, system: str, asking: Asking) -> Scored:
        """What the scorer says of a response. Raises what the scorer raises."""
        row = example.doc
        if self.response_field and self.response_field not in row:
            message = f"the row has no field {self.response_field!r}, which response_field names"
            return Scored(None, status=Status.INVALID_INPUT, failure=Failure(message))
        face = Face(asking, self.judges)
        sample = ScorerInput(
            response=str(example.responses[system]),
            target=row.get(self.benchmark.target_field, ""),
            metadata=dict(row),
            model_call_fn=self._model_call(asking),
            config={_SESSION: face, **self.benchmark.extra},
        )
        scorer = self.benchmark.scorer_fn
        found = scorer(sample, sample.config) if _takes_config(scorer) else scorer(sample)
        return scored(_checked(found, scorer), face.failed)

    def _model_call(self, asking: Asking) -> Callable[..., str] | None:
        parameters = self.asks_model
        if parameters is None:
            return None

        way = self.benchmark.endpoint_type

        def ask(prompt: str, endpoint_type: str = way, **_others: Any) -> str:
            if endpoint_type != way:
                message = f"model_call_fn asks by {way!r} as the run does, not by {endpoint_type!r}"
                raise ByobError(message)
            return asking.complete(MODEL, (Message("user", prompt),), parameters).text

        return ask


def scored(found: Mapping[str, Any], failed: list[Failed]) -> Scored:
    """What a scorer's result comes to: its first number, or the failure of a judge that it asked.

    The result says itself how its judging ended, by `judge_status`; where it does not, one judge without a score is
    enough, since its 0.0 may stand anywhere in the result. A result without a number is no score, and no failure.
    """
    parts = {**found, **({JUDGE_FAILURES: _told(failed)} if failed else {})}
    numbers = {name: float(value) for name, value in found.items() if isinstance(value, int | float)}
    ended = _ending(found, failed)
    if ended is not None:
        failure = replace(ended.failure, steps=_unread(failed))
        return Scored(None, Grade(str(found.get("judge_grade", "")), parts=parts), ended.status, failure)
    if not numbers:
        return Scored(None, Grade("", parts=parts), Status.ABSTAINED)
    strange = [name for name, value in numbers.items() if not math.isfinite(value)]
    if strange:
        failure = Failure(f"the scorer returned {numbers[strange[0]]} as {strange[0]!r}, which is no finite number")
        return Scored(None, Grade("", parts=parts), Status.OUT_OF_RANGE, failure)
    score = next(iter(numbers.values()))
    return Scored(score, Grade(score, parts=parts))


def _ending(found: Mapping[str, Any], failed: list[Failed]) -> Failed | None:
    """The failure that the whole sample has; None where there is none."""
    if "judge_status" not in found:
        return failed[0] if failed else None
    status = next((each for each in Status if each == found["judge_status"]), Status.CALL_ERROR)
    if not status.failed:
        return None
    noted = next((each for each in failed if each.status is status), None)
    return noted or Failed("", status, Failure(str(found.get("judge_error", ""))))


def _unread(failed: list[Failed]) -> tuple[str, ...]:
    """The steps of the judges without a score; none where one of them is not known."""
    steps = tuple(dict.fromkeys(each.step for each in failed if each.status is not Status.CALL_ERROR))
    return steps if all(steps) else ()


def _told(failed: list[Failed]) -> dict[str, dict[str, str]]:
    """Each judge's first failure."""
    told: dict[str, dict[str, str]] = {}
    for each in failed:
        told.setdefault(each.judge, {"status": each.status.value, "error": each.failure.message})
    return told


def _checked(found: Any, scorer: Scorer) -> dict[str, Any]:
    """The result with plain numbers in place of numpy's. Raises TypeError where it is no mapping."""
    if not isinstance(found, Mapping):
        message = f"a scorer returns a mapping of scores; {scorer.__name__} returned {type(found).__name__}"
        raise TypeError(message)
    return {str(name): _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float) or value is None or getattr(value, "shape", None) != ():
        return value
    return value.item()


def _takes_config(scorer: Scorer) -> bool:
    """Whether a scorer wants a sample and its config: a second argument of that name, or one that it needs."""
    given = list(inspect.signature(scorer).parameters.values())
    positional = [each for each in given if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}]
    if len(positional) == 1:
        return False
    second = positional[1]
    return second.default is second.empty or second.name == "config"


def source_hash(scorer: Scorer) -> str:
    """A hash of the file that a scorer stands in: whoever edits it has the stored replies read again."""
    try:
        text = Path(inspect.getfile(inspect.unwrap(scorer))).read_bytes()
    except (OSError, TypeError):
        text = scorer.__qualname__.encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def failures_of(parts: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """How often which judge ended how, of one sample's parts."""
    return Counter((judge, told["status"]) for judge, told in parts.get(JUDGE_FAILURES, {}).items())
