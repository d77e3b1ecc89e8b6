"""`gavel demo`: the whole flow offline, interrupted half-way and resumed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gavelkit.cli import demo

from .conftest import Gavel


@pytest.mark.real_time
def test_the_demo_is_interrupted_resumed_and_told(gavel: Gavel, here: Path) -> None:
    ended = gavel("demo")
    assert ended.code == 0
    assert "first start, which stops itself half-way:" in ended.err
    assert "judgments on disk. The same command again:" in ended.err
    assert "It is no LLM." in ended.err
    for judge in ("quality", "correct", "recorded"):
        assert f"\n  {judge}" in ended.out
    assert "agreement with the gold labels" in ended.out
    connection = sqlite3.connect(here / "gavel-demo" / "run" / "run.db")
    assert connection.execute("SELECT COUNT(*) FROM judgment").fetchone() == (600,)
    connection.close()


@pytest.mark.real_time
def test_a_demo_too_quick_to_be_interrupted_is_a_demo_too(
    gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_HALF", 10**9)
    ended = gavel("demo", "-o", "mine")
    assert ended.code == 0
    assert "interrupted with" not in ended.err
    assert "mine/config.yaml" in ended.out
