"""Where the rows come from: one file, or several side by side, each a system of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed, Observe
from gavelkit.core.protocols import Judge
from gavelkit.datasets import JoinedSource, RowMapping, Source, joined_source, open_source

Data = str | Sequence[str] | Mapping[str, str]
"""A file, a list of files, or the file of each system by its name."""


def open_data(data: Data, folder: Path, mapping: RowMapping, *, where: str, observe: Observe) -> Source:
    """The rows. Paths are relative to the folder. Raises ConfigError or DataError."""
    if isinstance(data, str):
        source = open_source(folder / data, mapping)
        if source.rows.mixed:
            message = (
                f"{folder / data}: the samples come from several filters, and all are judged; --filter NAME picks one"
            )
            observe(Noticed(message))
        return source
    named = dict(data) if isinstance(data, Mapping) else _by_stem(data, where)
    if len(named) == 1:
        return open_data(next(iter(named.values())), folder, mapping, where=where, observe=observe)
    joined = joined_source({name: folder / file for name, file in named.items()}, mapping)
    _tell_lonely(joined, observe)
    return joined


def prediction_fields(judges: Sequence[Judge], where: str) -> tuple[str, ...]:
    """The column in which the judges' criteria look for the response, where a row has none by its usual names.

    Raises ConfigError where two criteria name two columns.
    """
    wanted = {judge.criterion.prediction_field: judge.name for judge in judges if judge.criterion.prediction_field}
    named = {field: name for field, name in wanted.items() if field != "response"}
    if len(named) > 1:
        told = ", ".join(f"{name} {field!r}" for field, name in named.items())
        message = (
            f"{where}: the criteria read the response from different fields ({told}); name one: map: {{response: ...}}"
        )
        raise ConfigError(message)
    return tuple(named)


def _by_stem(files: Sequence[str], where: str) -> dict[str, str]:
    """Each file under its name without the endings, or the name before `=`."""
    named: dict[str, str] = {}
    for file in files:
        name, sign, path = file.partition("=")
        if not sign or "/" in name:
            name, path = Path(file).name.split(".")[0], file
        if name in named:
            message = f"{where}: two files would be the system {name!r}; name them, as in NAME={path}"
            raise ConfigError(message)
        named[name] = path
    return named


def _tell_lonely(source: JoinedSource, observe: Observe) -> None:
    for system, count in source.lonely.items():
        if count:
            observe(Noticed(f"{count:,} rows stand in the file of {system!r} alone, so nothing is compared with them"))
