"""A map from 64-bit integers to 64-bit integers in two arrays. It does not know what the numbers mean."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

# Parts neighbours. Without it a plan's keys lie in one long run, and filling or discarding them is quadratic.
_SPREAD = 0x9E3779B1


class HashIndex:
    """Signed 64-bit keys and values at 16 bytes a cell: a fraction of a dict's memory for several times its time.

    Open addressing, linear probing. An empty cell holds key 0, so the value of key 0 is kept apart.
    """

    __slots__ = ("_keys", "_limit", "_mask", "_used", "_values", "_zero")

    def __init__(self, *, expected: int = 0) -> None:
        """Make room for `expected` keys at once, so that filling a known number never grows."""
        self._zero: int | None = None
        self._allocate(max(8, 1 << (expected * 3 // 2).bit_length()))

    def _allocate(self, cells: int) -> None:
        self._keys, self._values = array("q", [0]) * cells, array("q", [0]) * cells
        self._mask, self._limit, self._used = cells - 1, cells * 2 // 3, 0

    def __len__(self) -> int:
        return self._used + (self._zero is not None)

    def get(self, key: int) -> int | None:
        """Return the value of `key`, or None."""
        keys, mask = self._keys, self._mask
        at = key * _SPREAD % mask
        while found := keys[at]:
            if found == key:
                return self._values[at]
            at = (at + 1) & mask
        return None if key else self._zero

    def put(self, key: int, value: int) -> None:
        """Set or replace the value of `key`. Raises `OverflowError`, changing nothing, beyond 64 bits."""
        if not key:
            self._zero = array("q", [value])[0]
            return
        keys, mask = self._keys, self._mask
        at = key * _SPREAD % mask
        while (found := keys[at]) and found != key:
            at = (at + 1) & mask
        self._values[at] = value  # before the key: a value that does not fit leaves the cell as it was
        if not found:
            keys[at] = key
            self._used += 1
            if self._used > self._limit:
                old = zip(keys, self._values, strict=True)
                self._allocate(2 * len(keys))
                for moved, its_value in old:
                    if moved:
                        self.put(moved, its_value)

    def items(self) -> Iterator[tuple[int, int]]:
        """Every key with its value, in no order; the map must not change meanwhile."""
        if self._zero is not None:
            yield 0, self._zero
        yield from ((key, value) for key, value in zip(self._keys, self._values, strict=True) if key)

    def discard(self, key: int) -> None:
        """Forget `key`, if it is there. Later keys move up into the gap: no marker stays to slow a search."""
        keys, values, mask = self._keys, self._values, self._mask
        hole = key * _SPREAD % mask
        while (found := keys[hole]) != key:
            if not found:
                return
            hole = (hole + 1) & mask
        if not key:
            self._zero = None
            return
        at = (hole + 1) & mask
        while found := keys[at]:
            home = found * _SPREAD % mask
            if (at - home) & mask >= (at - hole) & mask:  # its search passes the hole
                keys[hole], values[hole], hole = found, values[at], at
            at = (at + 1) & mask
        keys[hole] = 0
        self._used -= 1
