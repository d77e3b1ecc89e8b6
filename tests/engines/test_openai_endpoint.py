"""Where an OpenAI-compatible endpoint is asked, how it is told apart from others, and what becomes of the key."""

from __future__ import annotations

import asyncio

import pytest
from tests.makers import chat_answer

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines import HttpClient
from gavelkit.engines.openai_endpoint import OpenAIEndpoint, posted_to
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

KEY = "sk-0123456789abcdef"


def posted(answer: HttpAnswer, *, hints: dict[FailureKind, str] | None = None) -> bytes:
    """The body that comes back for a post to an endpoint of a way of its own."""

    def handle(request: HttpRequest) -> HttpAnswer:
        assert (request.path, request.headers["authorization"]) == ("/v1/way", f"Bearer {KEY}")
        return answer

    async def post() -> bytes:
        client = HttpClient(connections=1)
        try:
            async with serving(handle) as port:
                url = posted_to(f"http://127.0.0.1:{port}", "/way")
                endpoint = OpenAIEndpoint(client, url, ending="/way", api_key=KEY, timeout=5, hints=hints or {})
                return (await endpoint.post(b"{}")).body
        finally:
            await client.aclose()

    return asyncio.run(asyncio.wait_for(post(), 20))


@pytest.mark.parametrize("ending", ["/chat/completions", "/completions"])
@pytest.mark.parametrize(
    ("base", "root"),
    [
        ("http://h:8000", "http://h:8000/v1"),
        ("http://h:8000/", "http://h:8000/v1"),
        ("https://h/v1/", "https://h/v1"),
        ("https://h/openai/deployments/x", "https://h/openai/deployments/x"),
    ],
)
def test_an_empty_path_becomes_v1_and_the_ending_is_appended_once(base: str, root: str, ending: str) -> None:
    assert posted_to(base, ending) == f"{root}{ending}"
    assert posted_to(f"{root}{ending}/", ending) == f"{root}{ending}"


def test_what_comes_back_comes_without_the_key() -> None:
    assert posted(chat_answer({"said": KEY})) == b'{"said": "(key)"}'


def test_any_other_status_is_an_error_in_the_endpoints_own_words() -> None:
    with pytest.raises(CallError, match=r"^HTTP 404: nothing here: Not Found$") as caught:
        posted(
            chat_answer({"error": {"message": "Not Found"}}, status=404),
            hints={FailureKind.MODEL_NOT_FOUND: "nothing here"},
        )
    assert caught.value.kind is FailureKind.MODEL_NOT_FOUND


def test_an_account_is_another_where_the_url_or_the_key_is() -> None:
    client = HttpClient(connections=1)
    ways = [("http://h/v1/a", None), ("http://h/v1/b", None), ("http://h/v1/a", KEY), ("http://h/v1/a", "other")]
    accounts = [OpenAIEndpoint(client, url, ending="", api_key=key).account for url, key in ways]
    assert len(set(accounts)) == 4
    assert accounts[0] == OpenAIEndpoint(client, "http://h/v1/a", ending="").account
    assert not any(KEY in account or "h/v1" in account for account in accounts)
