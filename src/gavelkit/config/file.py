"""A configuration: data, mapping, judges and the run's settings, from a YAML file and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gavelkit.config.assemble import assemble
from gavelkit.config.data import open_data, prediction_fields
from gavelkit.config.environment import variable_part
from gavelkit.config.gates import read_gates
from gavelkit.config.schema import LIMITS, RUN, TOP
from gavelkit.config.setting import read_settings
from gavelkit.config.surroundings import Surroundings
from gavelkit.config.task_file import missing_data, read_task
from gavelkit.config.yaml_file import read_yaml
from gavelkit.core.errors import ConfigError
from gavelkit.datasets import RowMapping, Source
from gavelkit.judges import AnyJudge
from gavelkit.run import RunSettings

_CHOSEN = ("repeat", "limit", "on_failure", "interval", "max_cost", "max_requests", "confirm_above")
_LIMIT_NAMES = frozenset(setting.name for setting in LIMITS)
_TOP_NAMES = frozenset(setting.name for setting in TOP)


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line says on top of a file: `run` over `data`, `map` and `run:`; `judge` over every judge."""

    run: Mapping[str, Any]
    judge: Mapping[str, Any]


NO_FLAGS = Flags({}, {})


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything a run needs.

    `settings` is what it was made from, as the record keeps it; it holds no secret.
    """

    name: str
    source: Source
    judges: tuple[AnyJudge, ...]
    run: RunSettings
    output: Path | None
    settings: Mapping[str, Any]


def read_configuration(path: str | Path, surroundings: Surroundings, *, flags: Flags = NO_FLAGS) -> Configuration:
    """A YAML file with flags on top, an lm-eval task file too.

    Raises ConfigError, DataError or TemplateError, naming file and setting.
    """
    file = Path(path)
    given, task = read_file(file), read_task(file)
    if task is not None and not given.keys() | flags.run.keys() >= {"data"}:
        raise missing_data(task)
    made = configure(given, replace(surroundings, folder=file.parent), where=str(file), flags=flags)
    source = made.source if task is None or not task.name else replace(made.source, name=task.name)
    settings = {**made.settings, "config": str(file.resolve())}
    return replace(made, name=file.stem, source=source, settings=settings)


def read_file(file: Path) -> Mapping[str, Any]:
    """The file's settings, unchecked; those of an lm-eval task file as a configuration has them. Raises ConfigError."""
    task = read_task(file)
    if task is not None:
        return task.settings()
    given = read_yaml(file)
    if not isinstance(given, dict):
        message = f"{file}: a configuration is a mapping with data and judges"
        raise ConfigError(message)
    return given


def configure(
    given: Mapping[str, Any], surroundings: Surroundings, *, where: str, flags: Flags = NO_FLAGS
) -> Configuration:
    """A configuration from a mapping, as a file holds it. Raises ConfigError, DataError or TemplateError."""
    top = read_settings(given, TOP, where)
    if "data" not in top and "data" not in flags.run:
        message = f"{where}: data is missing: the file of model outputs"
        raise ConfigError(message)
    judges = configure_judges(given, surroundings, where=where, flags=flags)
    names = {**top.get("map", {}), **flags.run.get("map", {})}
    fallback = () if names.keys() & {"response", "responses"} else prediction_fields(judges, where)
    mapping = RowMapping(names, filter=flags.run.get("filter", top.get("filter", "")), fallback=fallback)
    run = _run_settings(top, flags, where)
    chosen = {name: run[name] for name in _CHOSEN if name in run}
    gates = read_gates(top.get("gates", {}), judges, where)
    given_data, folder = (flags.run["data"], Path()) if "data" in flags.run else (top["data"], surroundings.folder)
    source = open_data(given_data, folder, mapping, where=where, observe=surroundings.observe)
    return Configuration(
        name=source.name,
        source=source,
        judges=judges,
        run=RunSettings(**chosen, gates=gates, prices=_file("prices", top, flags, surroundings.folder)),
        output=_file("output", run, flags, surroundings.folder),
        settings={
            "given": dict(given),
            "flags": [dict(flags.run), dict(flags.judge)],
            "folder": str(surroundings.folder.resolve()),
        },
    )


def configure_judges(
    given: Mapping[str, Any], surroundings: Surroundings, *, where: str, flags: Flags = NO_FLAGS
) -> tuple[AnyJudge, ...]:
    """The judges of a configuration alone, each with the run's limits below its own and the flags above."""
    top = read_settings(given, TOP, where)
    if "judges" not in top:
        message = f"{where}: judges is missing: a list with at least one judge"
        raise ConfigError(message)
    defaults = _limits(_run_settings(top, flags, where))
    above = {**_limits(flags.run), **flags.judge}
    if "replies" in above:
        above["replies"] = str(Path(above["replies"]).absolute())
    judges: list[AnyJudge] = []
    for number, own in enumerate(top["judges"], start=1):
        if not isinstance(own, dict):
            message = f"{where}: judges[{number}] must be a mapping of settings, not {own!r}"
            raise ConfigError(message)
        judges.append(assemble({**defaults, **own, **above}, surroundings, where=f"{where}: judges[{number}]"))
    check_names([judge.name for judge in judges], where)
    return tuple(judges)


def check_names(names: Sequence[str], where: str) -> None:
    """Raises ConfigError where two judges would share a name or their variables."""
    seen: dict[str, str] = {}
    for number, name in enumerate(names):
        other = seen.setdefault(variable_part(name), name)
        if name in names[:number] or other != name:
            message = f"{where}: two judges are called {other!r} and {name!r}; give each a name of its own"
            raise ConfigError(message)


def _run_settings(top: Mapping[str, Any], flags: Flags, where: str) -> dict[str, Any]:
    own = {name: value for name, value in flags.run.items() if name not in _TOP_NAMES}
    return read_settings({**top.get("run", {}), **own}, RUN, f"{where}: run")


def _limits(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name in _LIMIT_NAMES}


def _file(name: str, settings: Mapping[str, Any], flags: Flags, folder: Path) -> Path | None:
    """A path that a setting names: relative to where the command is typed as a flag, else to the file's folder."""
    if name in flags.run:
        return Path(flags.run[name])
    return folder / settings[name] if name in settings else None
