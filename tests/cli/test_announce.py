"""What is told of the calls before the first one."""

from __future__ import annotations

import pytest

from gavelkit.cli.announce import tell_calls


def test_each_endpoint_is_named_with_the_proxy_on_the_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://user:secret@proxy.example:8080")
    tell_calls({"https://judge.example/v1": 4, "http://127.0.0.1:8000/v1": 1})
    assert capsys.readouterr().err == (
        "calls go to https://judge.example/v1 through the proxy proxy.example:8080, at most 4 at once\n"
        "calls go to http://127.0.0.1:8000/v1, at most 1 at once\n"
    )
