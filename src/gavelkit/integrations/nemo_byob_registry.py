"""The benchmarks that a program declares by its decorators, and what a scorer of theirs is given."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from gavelkit.core.path import did_you_mean
from gavelkit.integrations.nemo_byob_config import ByobError

Scorer = Callable[..., Mapping[str, Any]]
S = TypeVar("S", bound=Scorer)

_LONGEST_NAME = 50
_MOST_ARGUMENTS = 2
CHAT, COMPLETIONS = "chat", "completions"
_ENDPOINTS = (CHAT, COMPLETIONS, "completions_logprob")
_FILES = (".txt", ".md", ".jinja", ".jinja2")
_JINJA_FILES = (".jinja", ".jinja2")
_JUDGE = re.compile(r"judge(?:_\d+)?")


class JinjaText(str):
    """A text from a file whose ending says that it is a Jinja template."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ScorerInput:
    """One sample to score: what the model answered, what was wanted, the row, and the benchmark's `extra`."""

    response: str
    target: Any
    metadata: Mapping[str, Any]
    model_call_fn: Callable[..., Any] | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    conversation: Sequence[Mapping[str, Any]] | None = None
    turn_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark as declared. `normalized_name` is the name it is registered by; prompts are texts, read from files.

    Raises ByobError where it cannot be used.
    """

    name: str
    normalized_name: str
    dataset: str
    prompt: str
    scorer_fn: Scorer
    target_field: str = "target"
    endpoint_type: str = "chat"
    requirements: Sequence[str] | None = None
    field_mapping: Mapping[str, str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    response_field: str | None = None
    system_prompt: str | None = None
    choices: Sequence[str] | None = None
    choices_field: str | None = None
    num_fewshot: int = 0
    fewshot_dataset: str | None = None
    fewshot_prefix: str = ""
    fewshot_split: str | None = None
    fewshot_template: str | None = None
    fewshot_separator: str = "\n\n"

    def __post_init__(self) -> None:
        if not self.normalized_name:
            message = f"a benchmark's name needs a letter or a digit: {self.name!r}"
            raise ByobError(message)
        if self.endpoint_type not in _ENDPOINTS:
            message = f"endpoint_type must be one of {', '.join(_ENDPOINTS)}, not {self.endpoint_type!r}"
            raise ByobError(message)
        if self.endpoint_type == "completions_logprob" and not (self.choices or self.choices_field):
            message = "endpoint_type completions_logprob needs choices or choices_field"
            raise ByobError(message)


_REGISTERED: dict[str, Benchmark] = {}
_DECLARED = {each.name for each in fields(Benchmark)} - {"normalized_name", "scorer_fn"}


def benchmark(name: str, dataset: str, prompt: str, **settings: Any) -> Callable[[S], S]:
    """Register the scorer below as a benchmark.

    Settings are the fields of `Benchmark`; any other, such as `judge={...}`, joins `extra`, which wins. A prompt that
    ends in .txt, .md, .jinja or .jinja2 is read from that file beside the scorer's. Raises ByobError: a name that is
    taken or empty, a file that is not there, a setting that resembles a field or cannot be used.
    """
    known = {key: value for key, value in settings.items() if key in _DECLARED}
    others = {key: value for key, value in settings.items() if key not in _DECLARED}
    for key in others:
        near = did_you_mean(key, _DECLARED)
        if near.startswith("; did") and not is_judge(key):
            message = f"@benchmark has no setting {key!r}{near} (a value of your own goes into extra)"
            raise ByobError(message)

    def register(function: S) -> S:
        texts = {"prompt": prompt, "system_prompt": known.get("system_prompt")}
        declared: dict[str, Any] = {
            **known,
            **{key: _text(value, function) for key, value in texts.items()},
            "extra": {**others, **(known.get("extra") or {})},
        }
        made = Benchmark(name=name, normalized_name=_normalized(name), dataset=dataset, scorer_fn=function, **declared)
        if made.normalized_name in _REGISTERED:
            message = f"there is a benchmark {made.normalized_name!r} already; names must differ"
            raise ByobError(message)
        _REGISTERED[made.normalized_name] = made
        vars(function)["_benchmark_definition"] = made
        return function

    return register


def scorer(function: S) -> S:
    """Mark a function of one sample, or of a sample and its config, as a scorer. Raises TypeError for any other."""
    arguments = inspect.signature(function).parameters.values()
    positional = [each for each in arguments if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}]
    needed = [each for each in arguments if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if not positional or len(needed) > _MOST_ARGUMENTS:
        message = f"a scorer takes a sample, or a sample and its config; {function.__qualname__} takes {len(needed)}"
        raise TypeError(message)
    if inspect.iscoroutinefunction(function):
        message = f"a scorer is a plain function, which runs in a thread; {function.__qualname__} is async"
        raise TypeError(message)
    vars(function)["_is_scorer"] = True
    return function


def get_registered_benchmarks() -> dict[str, Benchmark]:
    """Every registered benchmark by its normalized name."""
    return dict(_REGISTERED)


def clear_registry() -> None:
    """Forget every benchmark."""
    _REGISTERED.clear()


@contextmanager
def fresh_registry() -> Iterator[None]:
    """While this holds no benchmark is registered but those declared meanwhile; afterwards it is as it was."""
    before = dict(_REGISTERED)
    _REGISTERED.clear()
    try:
        yield
    finally:
        _REGISTERED.clear()
        _REGISTERED.update(before)


def is_judge(key: str) -> bool:
    """Whether a judge's settings stand under this key of `extra`."""
    return _JUDGE.fullmatch(key) is not None


def package_name(requirement: str) -> str:
    """The package that a requirement such as `numpy>=1.26` is about."""
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0]


def _normalized(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_LONGEST_NAME]


def _text(given: str | None, function: Scorer) -> str | None:
    if given is None or "\n" in given or not given.endswith(_FILES):
        return given
    path = Path(inspect.getfile(function)).parent / given
    try:
        text = path.read_text(encoding="utf-8")
        return JinjaText(text) if given.endswith(_JINJA_FILES) else text
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read the prompt file {path}: {error}"
        raise ByobError(message) from error
