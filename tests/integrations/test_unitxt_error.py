"""The error of unitxt's classes: the host's where it is installed, else one of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gavelkit.core.errors import UsageError
from gavelkit.integrations import unitxt
from gavelkit.integrations.unitxt_error import perhaps, unitxt_error


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package called unitxt, with room for its errors."""
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "unitxt"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    yield folder
    for name in [each for each in sys.modules if each.partition(".")[0] == "unitxt"]:
        del sys.modules[name]


def test_without_unitxt_it_is_an_error_of_ours() -> None:
    assert issubclass(unitxt.UnitxtError, UsageError)
    assert "unitxt" not in sys.modules


def test_with_unitxt_it_is_unitxts_own(host: Path) -> None:
    (host / "error_utils.py").write_text("class UnitxtError(Exception):\n    pass\n", encoding="utf-8")
    made = unitxt_error("why")
    assert type(made).__module__ == "unitxt.error_utils"
    assert unitxt.UnitxtError is type(made)
    with pytest.raises(unitxt.UnitxtError, match="criteria"):
        unitxt.LLMJudgeDirect(inference_engine=str).compute([], ["a"], [{}])


@pytest.mark.parametrize("text", ["raise OSError\n", "UnitxtError = None\n"])
def test_a_broken_unitxt_hides_no_message(host: Path, text: str) -> None:
    (host / "error_utils.py").write_text(text, encoding="utf-8")
    assert isinstance(unitxt_error("why"), UsageError)


def test_a_hint_names_the_nearest_or_what_there_is() -> None:
    assert perhaps("criterion", ["criteria", "x"]) == " Perhaps you meant 'criteria'?"
    assert perhaps("zzz", ["a", "b"]) == " There are 'a', 'b'."
    assert perhaps("zzz", []) == ""


def test_another_name_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'LLMJudgeDirekt'"):
        getattr(unitxt, "LLMJudgeDirekt")  # noqa: B009 - a type checker refuses it as well
