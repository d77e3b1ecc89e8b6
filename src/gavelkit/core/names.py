"""File names that are safe on every system and never collide."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

_SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_HASH_DIGITS = 8


def safe_name(name: str, *, taken: Collection[str] = ()) -> str:
    """A file name for any text.

    A safe name is used as it is and `/` becomes `__`; a hash of the original is added only where the name had to
    change otherwise, or where it would meet one already taken on a file system that ignores case.
    """
    slashed = name.replace("/", "__")
    candidate = slashed if _is_safe(slashed) else _marked(slashed, name)
    lowered = {each.lower() for each in taken}
    return _marked(candidate, name) if candidate.lower() in lowered else candidate


def _is_safe(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and not name.endswith(".") and _RESERVED.fullmatch(name) is None


def _marked(name: str, original: str) -> str:
    mark = hashlib.blake2b(original.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "name"
    return f"{cleaned[: 80 - _HASH_DIGITS - 1]}-{mark}"
