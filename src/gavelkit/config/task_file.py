"""lm-eval's task files: each `llm_judge` of their `metric_list` becomes a judge. Nothing in them is ever run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gavelkit.config.schema import JUDGE, UNNAMED
from gavelkit.config.setting import read_settings
from gavelkit.config.yaml_file import read_yaml
from gavelkit.core.errors import ConfigError, DataError, TemplateError
from gavelkit.datasets import RowMapping, open_source
from gavelkit.prompts import Template
from gavelkit.prompts.prompt import RESERVED

METRIC = "llm_judge"

SETTINGS = frozenset(
    {
        "name",
        "api_base",
        "api_key",
        "model",
        "temperature",
        "max_tokens",
        "concurrency",
        "save_details",
        "retry_attempts",
        "retry_min_wait",
        "retry_max_wait",
        "max_error_rate",
        "preflight_check",
        "prompt_template",
        "response_format",
        "score_field",
        "higher_is_better",
    }
)
"""The keys of an entry that set something; besides them `metric`, `aggregation` and `hf_evaluate` are no variables."""

_NO_VARIABLES = frozenset({"metric", "aggregation", "hf_evaluate"})
_MARKS = frozenset({"metric_list", "include", "task"})
_MOST_FILES = 100
_LOCAL = frozenset({"json", "csv", "parquet"})


@dataclass(frozen=True, slots=True)
class Task:
    """A task file together with what it includes."""

    file: Path
    given: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The task's name, empty where it has none."""
        name = self.given.get("task")
        return name if isinstance(name, str) else ""

    def settings(self) -> dict[str, Any]:
        """The same as a configuration: its judges, and its data where that lies here. Raises ConfigError."""
        judges = [_judge(entry, self, place) for place, entry in self._entries()]
        if not judges:
            message = f"{self.file}: metric_list has no entry with metric: {METRIC}"
            raise ConfigError(message)
        data = _local_data(self)
        return {**({"data": str(data)} if data else {}), "judges": judges}

    @property
    def variables(self) -> Mapping[Any, Any]:
        """The variables of every judge, `metadata.extra_llm_judge_fields`. Raises ConfigError."""
        metadata = self.given.get("metadata")
        extra = metadata.get("extra_llm_judge_fields") if isinstance(metadata, Mapping) else None
        if not isinstance(extra, Mapping | None):
            message = f"{self.file}: metadata: extra_llm_judge_fields must be a mapping, not {extra!r}"
            raise ConfigError(message)
        return extra or {}

    def _entries(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        entries = self.given.get("metric_list")
        if entries is None:
            return
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            message = f"{self.file}: metric_list must be a list of mappings, each with its metric"
            raise ConfigError(message)
        for number, entry in enumerate(entries, start=1):
            if entry.get("metric") == METRIC:
                yield f"{self.file}: metric_list[{number}]", entry


def read_task(file: Path) -> Task | None:
    """The task of a file, None where it is an ordinary configuration. Raises ConfigError."""
    given = read_yaml(file, leave_out_tags=True)
    if not isinstance(given, dict) or "judges" in given or not _MARKS & given.keys():
        return None
    return Task(file, _included(file, (), {}))


def missing_data(task: Task) -> ConfigError:
    """What is to be said of a task file alone, which has questions and no responses."""
    return ConfigError(
        f"{task.file}: a task file holds no responses; pass the samples file that lm-eval wrote with --log_samples: "
        f"--data samples_{task.name or '<task>'}_<time>.jsonl"
    )


def _included(file: Path, chain: tuple[Path, ...], read: dict[Path, Mapping[str, Any]]) -> Mapping[str, Any]:
    """The file on top of what it includes; of several included files the first wins. Each is read once."""
    here = file.resolve()
    if here in chain:
        circle = " -> ".join(path.name for path in (*chain[chain.index(here) :], here))
        message = f"{file}: include goes in a circle: {circle}"
        raise ConfigError(message)
    if here in read:
        return read[here]
    if len(read) + len(chain) >= _MOST_FILES:
        message = f"{file}: more than {_MOST_FILES} files are included"
        raise ConfigError(message)
    own = _mapping(file, included=bool(chain))
    merged: Mapping[str, Any] = {}
    for path in reversed(_include_list(own, file)):
        merged = _merged(merged, _included(file.parent / path, (*chain, here), read))
    read[here] = _merged(merged, {name: value for name, value in own.items() if name != "include"})
    return read[here]


def _mapping(file: Path, *, included: bool) -> Mapping[str, Any]:
    try:
        own = read_yaml(file, leave_out_tags=True)
    except ConfigError as error:
        if not included:
            raise
        message = f"{error} (include is relative to the file it stands in)"
        raise ConfigError(message) from error
    if not isinstance(own, dict):
        message = f"{file}: a task file is a mapping"
        raise ConfigError(message)
    return own


def _include_list(own: Mapping[str, Any], file: Path) -> list[str]:
    include = own.get("include")
    paths = [include] if isinstance(include, str) else [] if include is None else include
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        message = f"{file}: include must be a path or a list of paths, not {include!r}"
        raise ConfigError(message)
    return paths


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """`own` wins, key by key; inside `metadata` at every depth, so that one variable can be set anew."""
    merged = {**base, **own}
    if isinstance(base.get("metadata"), dict) and isinstance(own.get("metadata"), dict):
        merged["metadata"] = _deep(base["metadata"], own["metadata"])
    return merged


def _deep(base: Mapping[Any, Any], own: Mapping[Any, Any]) -> dict[Any, Any]:
    merged = {**base, **own}
    for name in base.keys() & own.keys():
        if isinstance(base[name], dict) and isinstance(own[name], dict):
            merged[name] = _deep(base[name], own[name])
    return merged


def _judge(entry: Mapping[str, Any], task: Task, place: str) -> dict[str, Any]:
    aggregation = entry.get("aggregation")
    if aggregation not in {None, METRIC}:
        message = f"{place}: aggregation must be {METRIC}, not {aggregation!r}"
        raise ConfigError(message)
    settings = {name: value for name, value in entry.items() if name in SETTINGS and value is not None}
    read_settings({name: value for name, value in settings.items() if name != "api_key"}, JUDGE, place)
    if "prompt_template" not in settings:
        message = f"{place}: prompt_template is missing: the Jinja2 template of the judge's prompt"
        raise ConfigError(message)
    own = {name: value for name, value in entry.items() if name not in SETTINGS | _NO_VARIABLES}
    form = settings.get("response_format")
    structured = form is not None and form.get("type") != "text"
    reader = {} if structured else {"parser": "score_first"}
    variables = {**_shared(task, settings["prompt_template"]), **own}
    strange = [name for name in variables if not isinstance(name, str)]
    if strange:
        message = f"{place}: a variable's name is a text, not {strange[0]!r}"
        raise ConfigError(message)
    return {"name": UNNAMED, **reader, **settings, "variables": variables}


def _shared(task: Task, template: str) -> dict[Any, Any]:
    """Of the variables for all judges those that this one reads, and those it may not have."""
    try:
        names = Template(template).names
    except TemplateError:
        return {}  # which the judge itself is told of, with its place
    return {name: value for name, value in task.variables.items() if name in names | RESERVED}


def _local_data(task: Task) -> Path | None:
    """The task's own data file where it lies on this machine and its rows hold responses."""
    arguments = task.given.get("dataset_kwargs")
    files = arguments.get("data_files") if isinstance(arguments, Mapping) else None
    if task.given.get("dataset_path") not in _LOCAL or files is None:
        return None
    if isinstance(files, Mapping):
        splits = [task.given.get(name) for name in ("test_split", "validation_split")]
        files = next((files[split] for split in splits if isinstance(split, str) and split in files), None)
    if isinstance(files, list) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str):
        return None
    found = [path for path in (task.file.parent / files, Path(files)) if path.is_file()]
    return found[0].absolute() if found and _answered(found[0]) else None


def _answered(file: Path) -> bool:
    try:
        return next(open_source(file, RowMapping()).examples(limit=1), None) is not None
    except DataError:
        return False
