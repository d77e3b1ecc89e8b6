"""Which proxy the calls to an endpoint go through, as the environment sets it; whoever runs a judge wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # typeshed leaves it out

from gavelkit.config.environment import is_loopback

_NAMES = {"http": ("http_proxy",), "https": ("https_proxy", "HTTPS_PROXY")}
"""As libcurl reads them: HTTP_PROXY in capitals can be set by a request to a CGI program, so it does not count."""


def proxy_for(api_base: str, variables: Mapping[str, str]) -> str:
    """The proxy's host and port, without what an address may hold besides; empty where none is used."""
    parts = urlsplit(api_base)
    host = parts.hostname or ""
    given = (variables.get(name, "") for name in (*_NAMES.get(parts.scheme, ()), "all_proxy", "ALL_PROXY"))
    proxy = next((each for each in given if each), "")
    exceptions = variables.get("no_proxy") or variables.get("NO_PROXY") or ""
    if not proxy or is_loopback(host) or proxy_bypass_environment(host, {"no": exceptions}):
        return ""
    found = urlsplit(proxy if "://" in proxy else f"//{proxy}")
    try:
        port = found.port
    except ValueError:
        port = None
    return f"{found.hostname}:{port}" if port else found.hostname or "a proxy"
