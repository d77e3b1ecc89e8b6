"""A configuration: data, mapping, judges and the run's settings, from a YAML file and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gavelkit.config.assemble import Surroundings, assemble
from gavelkit.config.environment import variable_part
from gavelkit.config.schema import LIMITS, RUN, TOP
from gavelkit.config.setting import read_settings
from gavelkit.config.yaml_file import read_yaml
from gavelkit.core.errors import ConfigError
from gavelkit.datasets import RowMapping, Source, open_source
from gavelkit.judges import Direct
from gavelkit.run import RunSettings

_LIMIT_NAMES = frozenset(setting.name for setting in LIMITS)


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line says on top of a file: `run` over `data`, `map` and `run:`; `judge` over every judge."""

    run: Mapping[str, Any]
    judge: Mapping[str, Any]


NO_FLAGS = Flags({}, {})


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything a run needs.

    `settings` is what it was made from, as the record keeps it; it holds no secret. `endpoints` are the base URLs that
    its judges call.
    """

    name: str
    source: Source
    judges: tuple[Direct, ...]
    run: RunSettings
    output: Path | None
    settings: Mapping[str, Any]
    endpoints: tuple[str, ...]


def read_configuration(path: str | Path, surroundings: Surroundings, *, flags: Flags = NO_FLAGS) -> Configuration:
    """A YAML file with flags on top. Raises ConfigError, DataError or TemplateError, naming file and setting."""
    file = Path(path)
    made = configure(read_file(file), replace(surroundings, folder=file.parent), where=str(file), flags=flags)
    return replace(made, name=file.stem, settings={**made.settings, "config": str(file.resolve())})


def read_file(file: Path) -> Mapping[str, Any]:
    """The file's settings, unchecked. Raises ConfigError where they are no mapping."""
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
    mapping = RowMapping({**top.get("map", {}), **flags.run.get("map", {})})
    data = Path(flags.run["data"]) if "data" in flags.run else surroundings.folder / top["data"]
    judges = configure_judges(given, surroundings, where=where, flags=flags)
    run = _run_settings(top, flags, where)
    source = open_source(data, mapping)
    return Configuration(
        name=source.name,
        source=source,
        judges=judges,
        run=RunSettings(**{name: run[name] for name in ("repeat", "limit", "on_failure") if name in run}),
        output=_output(run, flags, surroundings.folder),
        settings={
            "given": dict(given),
            "flags": [dict(flags.run), dict(flags.judge)],
            "folder": str(surroundings.folder.resolve()),
        },
        endpoints=tuple(surroundings.clients),
    )


def configure_judges(
    given: Mapping[str, Any], surroundings: Surroundings, *, where: str, flags: Flags = NO_FLAGS
) -> tuple[Direct, ...]:
    """The judges of a configuration alone, each with the run's limits below its own and the flags above."""
    top = read_settings(given, TOP, where)
    if "judges" not in top:
        message = f"{where}: judges is missing: a list with at least one judge"
        raise ConfigError(message)
    defaults = _limits(_run_settings(top, flags, where))
    above = {**_limits(flags.run), **flags.judge}
    if "replies" in above:
        above["replies"] = str(Path(above["replies"]).absolute())
    judges = []
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
    own = {name: value for name, value in flags.run.items() if name not in {"data", "map"}}
    return read_settings({**top.get("run", {}), **own}, RUN, f"{where}: run")


def _limits(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name in _LIMIT_NAMES}


def _output(run: Mapping[str, Any], flags: Flags, folder: Path) -> Path | None:
    if "output" not in run:
        return None
    return Path(run["output"]) if "output" in flags.run else folder / run["output"]
