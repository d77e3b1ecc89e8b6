"""The error of unitxt's classes: unitxt's own where it is installed, so that a caller's `except` goes on to work."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

from gavelkit.core.errors import UsageError


class UnitxtError(UsageError):
    """Something given to one of unitxt's classes cannot be used; nothing was asked."""


def error_class() -> type[Exception]:
    """What these classes raise."""
    if find_spec("unitxt") is None:
        return UnitxtError
    try:
        found = import_module("unitxt.error_utils").UnitxtError
    except Exception:  # noqa: BLE001 - a broken unitxt, whatever breaks it, must not hide our message
        return UnitxtError
    return found if isinstance(found, type) and issubclass(found, Exception) else UnitxtError


def unitxt_error(message: str) -> Exception:
    """The error, to be raised."""
    return error_class()(message)


def perhaps(name: str, known: Iterable[str]) -> str:
    """` Perhaps you meant ...?` with the nearest known name, or the names there are, or nothing."""
    names = [str(each) for each in known]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    if near:
        return f" Perhaps you meant {near[0]!r}?"
    return f" There are {', '.join(map(repr, names[:12]))}." if names else ""
