"""Which proxy an endpoint's calls go through."""

from __future__ import annotations

import pytest

from gavelkit.config.proxy import proxy_for

HTTPS, HTTP = "https://judge.example/v1", "http://judge.example/v1"


@pytest.mark.parametrize(
    ("api_base", "variables", "proxy"),
    [
        (HTTPS, {}, ""),
        (HTTPS, {"https_proxy": "http://proxy.example:3128"}, "proxy.example:3128"),
        (HTTPS, {"HTTPS_PROXY": "proxy.example"}, "proxy.example"),
        (HTTPS, {"http_proxy": "http://proxy.example"}, ""),
        (HTTP, {"http_proxy": "http://proxy.example"}, "proxy.example"),
        (HTTP, {"HTTP_PROXY": "http://proxy.example"}, ""),
        (HTTP, {"ALL_PROXY": "socks5://proxy.example:1080"}, "proxy.example:1080"),
        (HTTPS, {"https_proxy": "http://user:secret@proxy.example:80"}, "proxy.example:80"),
        (HTTPS, {"https_proxy": "http://proxy.example:x"}, "proxy.example"),
        (HTTPS, {"https_proxy": "http://"}, "a proxy"),
        (HTTPS, {"https_proxy": "p:1", "no_proxy": "example"}, ""),
        (HTTPS, {"https_proxy": "p:1", "NO_PROXY": "*"}, ""),
        (HTTPS, {"https_proxy": "p:1", "no_proxy": "other.example"}, "p:1"),
        ("http://127.0.0.1:8000/v1", {"http_proxy": "p:1"}, ""),
        ("http://localhost:8000/v1", {"all_proxy": "p:1"}, ""),
    ],
)
def test_the_header_names_the_proxy_and_no_secret_of_it(api_base: str, variables: dict[str, str], proxy: str) -> None:
    assert proxy_for(api_base, variables) == proxy
