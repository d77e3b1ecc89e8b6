"""File names for any text: safe, stable and never two alike."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.names import safe_name

HOSTILE = [
    "../../x",
    "/etc/passwd",
    "a/b",
    "nul\0byte",
    "n" * 300,
    "CON",
    "trailing.",
    "A",
    "a",
    "e\u0301",  # NFD
    "\u00e9",  # NFC
    "a:b",
]
SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}")


def named(names: list[str]) -> list[str]:
    """The names as a run gives them, each knowing those before it."""
    taken: list[str] = []
    for name in names:
        taken.append(safe_name(name, taken=taken))
    return taken


def test_twelve_hostile_names_become_twelve_files() -> None:
    assert len({name.lower() for name in named(HOSTILE)}) == 12


@given(st.text())
def test_every_name_is_safe(name: str) -> None:
    safe = safe_name(name)
    assert SAFE.fullmatch(safe)
    assert not safe.endswith(".")
    assert safe_name(safe) == safe


@given(st.lists(st.text() | st.sampled_from([*HOSTILE, "a__b", "..", "com1.txt", "", "a-b", "a b"]), unique=True))
def test_different_names_never_meet_even_where_case_is_ignored(names: list[str]) -> None:
    assert len({name.lower() for name in named(names)}) == len(names)


@pytest.mark.parametrize("name", ["accuracy", "gpt-4o-mini", "v1.2_final", "n" * 80, "-rf", "console"])
def test_a_safe_name_stays(name: str) -> None:
    assert safe_name(name) == name


def test_a_slash_becomes_two_underscores_without_a_hash() -> None:
    assert safe_name("meta-llama/Llama-3") == "meta-llama__Llama-3"


@pytest.mark.parametrize("name", ["CON", "con.txt", "NUL", "com1", "Lpt9.log", "aux", "prn"])
def test_a_device_name_gets_a_hash(name: str) -> None:
    assert re.fullmatch(r".+-[0-9a-f]{8}", safe_name(name))


@pytest.mark.parametrize("name", ["", ".", "..", "解", "\ud800", "   "])
def test_a_name_without_a_safe_letter_is_called_name(name: str) -> None:
    assert re.fullmatch(r"name-[0-9a-f]{8}", safe_name(name))


def test_a_hidden_file_is_never_made() -> None:
    assert not safe_name(".bashrc").startswith(".")


def test_a_taken_name_gets_the_hash_of_its_original() -> None:
    first = safe_name("a__b")
    second = safe_name("a/b", taken=[first])
    assert first == "a__b"
    assert re.fullmatch(r"a__b-[0-9a-f]{8}", second)


def test_a_long_name_keeps_its_beginning_and_80_characters() -> None:
    safe = safe_name("x" * 300)
    assert len(safe) == 80
    assert safe.startswith("x" * 71 + "-")
