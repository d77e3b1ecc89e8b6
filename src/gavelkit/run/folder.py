"""Where a run lies: the same command finds the same folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gavelkit.core.errors import StorageError
from gavelkit.core.event import Event, Observe, Planned
from gavelkit.core.identity import canonical
from gavelkit.core.names import safe_name
from gavelkit.core.protocols import Judge
from gavelkit.storage import schema

ROOT = Path("runs")
LATEST = "latest"


def default_folder(
    name: str, judges: Sequence[Judge], mapping: Mapping[str, Any], data: str, *, root: Path = ROOT
) -> Path:
    """`runs/<name>-<8 hex>` of every judge's question, the mapping and the data's path."""
    material = canonical([[judge.asks.hash for judge in judges], dict(mapping), data])
    digest = hashlib.blake2b(material.encode(), digest_size=4).hexdigest()
    return root / f"{safe_name(name)}-{digest}"


def holds_run(folder: Path) -> bool:
    """Whether a run was begun here."""
    return (folder / schema.FILE_NAME).exists()


def next_free(folder: Path) -> Path:
    """The folder itself where it holds no run, else the first of `-2`, `-3`, ... that holds none."""
    number, candidate = 1, folder
    while holds_run(candidate):
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate


def point_latest(folder: Path, *, root: Path = ROOT) -> None:
    """Let `runs/latest` lead to a run, wherever it lies. A file system without links goes without."""
    link, temporary = root / LATEST, root / f".{LATEST}-{os.getpid()}"
    with suppress(OSError):
        root.mkdir(exist_ok=True)
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(os.path.relpath(folder, root), target_is_directory=True)
        if link.is_symlink() or not link.exists():
            temporary.replace(link)
        temporary.unlink(missing_ok=True)


def pointing(observe: Observe, folder: Path) -> Observe:
    """An observer that also lets `runs/latest` lead to the folder, once the run is open there."""

    def pointed(event: Event) -> None:
        if isinstance(event, Planned):
            point_latest(folder)
        observe(event)

    return pointed


def find_run(given: str | None, *, root: Path = ROOT) -> Path:
    """The folder a command means: the one given, or the last run's. Raises StorageError."""
    folder = Path(given) if given else root / LATEST
    if (folder / schema.FILE_NAME).exists():
        return Path(os.path.normpath(folder.parent / folder.readlink())) if folder.is_symlink() else folder
    if given:
        message = f"{folder}: there is no run here ({schema.FILE_NAME} is missing)"
        raise StorageError(message)
    message = f"{folder}: there is no run yet; name a run's folder"
    raise StorageError(message)
