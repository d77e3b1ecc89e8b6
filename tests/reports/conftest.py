"""Golden files: `GAVEL_GOLDEN=1` rewrites them, and the difference is reviewed like code."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "golden"
REWRITE = os.environ.get("GAVEL_GOLDEN") == "1"


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Compare a text with the file of this name under tests/golden, byte for byte."""

    def compare(name: str, text: str) -> None:
        path = FOLDER / name
        if REWRITE:
            FOLDER.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"no golden file {name}; GAVEL_GOLDEN=1 writes it"
        assert text == path.read_bytes().decode()

    return compare
