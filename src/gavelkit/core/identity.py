"""Names for things by their content: canonical text, keys of calls, and the two hashes of a judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff

KEY_BYTES = 16


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, no NaN. Raises ValueError or TypeError for others."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(parts: Sequence[str], *, repeat: int = 0) -> bytes:
    """A 16-byte BLAKE2b over the parts, each with its length, so that no two lists of parts read alike.

    Raises UnicodeEncodeError where a part cannot be written as UTF-8.
    """
    encoded = [part.encode() for part in parts]
    head = f"{repeat}:{','.join(map(str, map(len, encoded)))};".encode()
    return hashlib.blake2b(head + b"".join(encoded), digest_size=KEY_BYTES).digest()


def short_hash(text: str | bytes) -> int:
    """A signed 8-byte hash of a text, for tables in memory. Never zero."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True) or 1


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a thing itself: the material, and a hash of its canonical text."""

    material: Mapping[str, object]
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        text = canonical(self.material)
        object.__setattr__(self, "hash", hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest())


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """What changed between two materials, a line at a time, texts as a unified diff."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
            yield f"{name}:"
            lines = unified_diff(old.splitlines(), new.splitlines(), "recorded", "now", lineterm="", n=1)
            yield from (f"  {line}" for line in lines)
        else:
            yield f"{name}: recorded {canonical(old)}, now {canonical(new)}"
