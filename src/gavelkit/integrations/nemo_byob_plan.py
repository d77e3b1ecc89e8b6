"""A bring-your-own benchmark made ready to run: its judge, its model, its rows and its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gavelkit.config import Surroundings
from gavelkit.config.setting import Kind, number, whole
from gavelkit.core.event import Observe
from gavelkit.core.example import Example
from gavelkit.core.identity import Identity
from gavelkit.core.limits import Limits
from gavelkit.core.message import Parameters
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.datasets import Source
from gavelkit.integrations.nemo_byob_config import ByobError, JudgeConfig
from gavelkit.integrations.nemo_byob_model import Asked, asked_by, check_endpoint_type, material_of, way_of
from gavelkit.integrations.nemo_byob_reaching import Endpoint
from gavelkit.integrations.nemo_byob_registry import COMPLETIONS, Benchmark, is_judge
from gavelkit.integrations.nemo_byob_rows import drawn_examples, opened_data, refuse_unfillable, rows_of
from gavelkit.integrations.nemo_byob_scoring import MODEL, BenchmarkScorer, source_hash
from gavelkit.judges import FunctionJudge
from gavelkit.run.answered import Answered
from gavelkit.run.folder import holds_run
from gavelkit.systems import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The model under test: its base URL and name, the variable of its key, and how it is asked.

    `seconds` is what one request may take, `backoff` the shortest wait in seconds before another try.
    """

    url: str
    model_id: str
    api_key_name: str | None = field(default=None, repr=False)
    endpoint_type: str | None = None
    temperature: float = 0.0
    max_tokens: int = 4096
    top_p: float = 1.0
    seconds: float = 120.0
    max_retries: int = 3
    backoff: float = 0.5

    @property
    def parameters(self) -> Parameters:
        """What every request asks."""
        values = {"temperature": self.temperature, "max_tokens": self.max_tokens, "top_p": self.top_p}
        return Parameters(self.model_id, values)


_BOUNDS: Mapping[str, Kind] = {
    "limit": whole(least=1),
    "parallelism": whole(least=1),
    "n_repeats": whole(least=1, most=256),
    "num_fewshot": whole(),
    "max_error_rate": number(least=0, most=1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How a benchmark is run.

    `dataset` and `response_field` stand in for the benchmark's own, `num_fewshot` too; `limit` is the first so many
    rows. `fail_on_skip` ends a finished run with RunFailed where a sample was skipped, `max_error_rate` where strictly
    more of the judgments failed. `new_run` begins again, in a folder beside. Raises ByobError for a number out of its
    bounds.
    """

    dataset: str | Path | None = None
    response_field: str | None = None
    limit: int | None = None
    parallelism: int = 32
    n_repeats: int = 1
    num_fewshot: int | None = None
    fewshot_seed: int = 42
    fail_on_skip: bool = False
    max_error_rate: float = 0.1
    retry_errors: bool = False
    new_run: bool = False

    def __post_init__(self) -> None:
        for name, kind in _BOUNDS.items():
            value = getattr(self, name)
            try:
                _ = value is None or kind.read(value)
            except ValueError:
                message = f"{name} must be {kind.expects}, not {value!r}"
                raise ByobError(message) from None


@dataclass(frozen=True, slots=True)
class Unprepared(Answered):
    """Rows are not tried beforehand: one that lacks a field costs itself alone."""

    def prepare(self, example: Example) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A benchmark ready to run, with the folder that it runs in."""

    benchmark: Benchmark
    source: Source
    judge: Unprepared | FunctionJudge
    asked: Asked
    folder: Path
    response_field: str
    endpoints: tuple[str, ...]
    """Where calls go."""


def plan(
    benchmark: Benchmark, *, output_dir: str | Path, model: Model | None, choices: Choices, observe: Observe
) -> Planned:
    """Everything that can be wrong is found here, before anything is asked. Raises UsageError."""
    benchmark = _as_chosen(benchmark, model, choices)
    response_field = choices.response_field or benchmark.response_field or ""
    surroundings = Surroundings(observe=observe)
    data = opened_data(benchmark, choices.dataset)
    source = rows_of(data, benchmark, response_field)
    examples = None if response_field else drawn_examples(benchmark, data, seed=choices.fewshot_seed)
    asked = asked_by(benchmark, examples)
    judges = _judges(benchmark, surroundings, most=choices.parallelism)
    reached = None if model is None else _reached(model, benchmark, surroundings, most=choices.parallelism)
    if reached is None and not response_field:
        message = "which model answers? give its URL and name (--model-url, --model-id), or a response_field"
        raise ByobError(message)
    judge = _judge(benchmark, judges, reached, model, choices=choices, response_field=response_field)
    planned: Unprepared | FunctionJudge = judge
    if reached is not None and model is not None and not response_field:
        material = Identity(material_of(benchmark, examples, seed=choices.fewshot_seed))
        system = System(model.model_id, asked, model.parameters, reached[0], material, reached[1])
        planned = Unprepared(judge, (system,))
    refuse_unfillable(source, asked, response_field, limit=choices.limit)
    folder = folder_of(Path(output_dir), benchmark.normalized_name, new_run=choices.new_run)
    endpoints = tuple(dict.fromkeys(probe.api_base for probe in planned.probes))
    return Planned(benchmark, source, planned, asked, folder, response_field, endpoints)


def _as_chosen(benchmark: Benchmark, model: Model | None, choices: Choices) -> Benchmark:
    """With what the command says in place of the file. Raises ByobError for a way to ask that is not offered."""
    examples = benchmark.num_fewshot if choices.num_fewshot is None else choices.num_fewshot
    if model is None:
        return replace(benchmark, num_fewshot=examples)
    endpoint_type = model.endpoint_type or benchmark.endpoint_type
    check_endpoint_type(endpoint_type)
    return replace(benchmark, num_fewshot=examples, endpoint_type=endpoint_type)


def folder_of(output_dir: Path, name: str, *, new_run: bool) -> Path:
    """The run's folder; for a new run in the first of `DIR`, `DIR-2`, ... that holds none of this name."""
    number, chosen = 1, output_dir
    while new_run and holds_run(chosen / name):
        number += 1
        chosen = output_dir.with_name(f"{output_dir.name}-{number}")
    return chosen / name


@dataclass(frozen=True, slots=True)
class _Reached:
    config: JudgeConfig
    engine: Engine
    probes: tuple[Probe, ...]


def _judges(benchmark: Benchmark, surroundings: Surroundings, *, most: int) -> dict[str, _Reached]:
    """The judges in `extra`, and whatever else there looks like one."""
    found: dict[str, _Reached] = {}
    for key, given in benchmark.extra.items():
        config = _config(key, given)
        if config is not None:
            endpoint = _endpoint(key, config, most=most)
            found[key] = _Reached(config, *endpoint.reach(surroundings))
    return found


def _config(key: str, given: Any) -> JudgeConfig | None:
    """The settings under a key of `extra`, where they are a judge's. Raises ByobError where they should be."""
    if isinstance(given, JudgeConfig):
        return given
    if not isinstance(given, Mapping):
        return None
    if is_judge(key):
        return JudgeConfig.from_dict(given)
    try:
        config = JudgeConfig.from_dict(given)
        config.resolve_api_key()
    except ByobError:  # a scorer's own affair
        return None
    return config


def _endpoint(key: str, config: JudgeConfig, *, most: int) -> Endpoint:
    own = config.parallelism
    if own is not None and (isinstance(own, bool) or not isinstance(own, int) or own < 1):
        message = f"{key}: parallelism must be a whole number from 1 up, not {own!r}"
        raise ByobError(message)
    return Endpoint(
        name=key,
        url=config.url,
        model=config.model_id,
        api_key=config.api_key,
        temperature=config.temperature,
        seconds=config.request_timeout,
        retries=config.max_retries,
        most=own or most,
        tried=is_judge(key),
    )


def _reached(
    model: Model, benchmark: Benchmark, surroundings: Surroundings, *, most: int
) -> tuple[Engine, tuple[Probe, ...]]:
    endpoint = Endpoint(
        name="the model under test",
        url=model.url,
        model=model.model_id,
        api_key=model.api_key_name,
        temperature=model.temperature,
        seconds=model.seconds,
        retries=model.max_retries,
        backoff=model.backoff,
        most=most,
        judges=False,
        plain=benchmark.endpoint_type == COMPLETIONS,
    )
    return endpoint.reach(surroundings)


def _judge(
    benchmark: Benchmark,
    judges: Mapping[str, _Reached],
    reached: tuple[Engine, tuple[Probe, ...]] | None,
    model: Model | None,
    *,
    choices: Choices,
    response_field: str,
) -> FunctionJudge:
    configs = {key: each.config for key, each in judges.items()}
    parameters = None if model is None else model.parameters
    engines = {key: each.engine for key, each in judges.items()}
    if reached is not None:
        engines[MODEL] = reached[0]
    models = {config.model_id for config in configs.values()}
    settings = {key: _told(config) for key, config in configs.items()}
    material = {"benchmark": benchmark.normalized_name, "judges": settings, "answers": response_field}
    plain = {} if parameters is None else way_of(benchmark)
    return FunctionJudge(
        name=benchmark.normalized_name,
        function=BenchmarkScorer(benchmark, configs, parameters, response_field),
        material=Identity({**material, **plain}),
        reading=Identity({"scorer": source_hash(benchmark.scorer_fn)}),
        engines=engines,
        model=models.pop() if len(models) == 1 else "",
        limits=Limits(choices.parallelism, choices.max_error_rate),
        probes=(
            *(probe for each in judges.values() for probe in each.probes),
            *(reached[1] if reached is not None and response_field else ()),
        ),
    )


def _told(config: JudgeConfig) -> dict[str, Any]:
    """What of a judge's settings shapes its replies; its address and its key do not."""
    return {
        "model": config.model_id,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "max_tokens": config.max_new_tokens,
    }
