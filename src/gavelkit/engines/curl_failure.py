"""Says why a libcurl transfer failed, in our words; it knows no retry and no secret.

Nothing here ever quotes a header, a path, a query or the user part of an address: libcurl's own
words are passed on only for the causes where they cannot hold one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import pycurl

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind

_KINDS: Final = {
    pycurl.E_COULDNT_CONNECT: FailureKind.CONNECT,
    pycurl.E_COULDNT_RESOLVE_HOST: FailureKind.DNS,
    pycurl.E_COULDNT_RESOLVE_PROXY: FailureKind.DNS,
    pycurl.E_SSL_CONNECT_ERROR: FailureKind.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FailureKind.TLS,
    pycurl.E_SSL_CERTPROBLEM: FailureKind.TLS,
    pycurl.E_SSL_CIPHER: FailureKind.TLS,
    pycurl.E_SSL_CACERT_BADFILE: FailureKind.TLS,
    pycurl.E_SSL_CRL_BADFILE: FailureKind.TLS,
    pycurl.E_SSL_ISSUER_ERROR: FailureKind.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: FailureKind.TLS,
    pycurl.E_SEND_ERROR: FailureKind.RESET,
    pycurl.E_RECV_ERROR: FailureKind.RESET,
    pycurl.E_GOT_NOTHING: FailureKind.RESET,
    pycurl.E_OPERATION_TIMEDOUT: FailureKind.TIMEOUT,
    pycurl.E_BAD_CONTENT_ENCODING: FailureKind.DECODE,
    pycurl.E_FILESIZE_EXCEEDED: FailureKind.TOO_LARGE,
}
"""Every other code means that what came is no HTTP/1.1 we can use: PROTOCOL."""
_BROKEN_OFF: Final = frozenset({*_KINDS, pycurl.E_PARTIAL_FILE})
"""Of what is PROTOCOL: the beginning of an honest reply. What begins otherwise is tried once more, and no further."""
_HOPELESS: Final = frozenset({pycurl.E_URL_MALFORMAT, pycurl.E_SSL_CACERT_BADFILE})
_CAUSES: Final = {
    FailureKind.DNS: "the name does not resolve",
    FailureKind.RESET: "the connection was lost before the whole reply came",
    FailureKind.DECODE: "the reply's content encoding cannot be decoded",
}
_PLAIN_PORT: Final = ("wrong version number", "packet length too long", "http request")
_PROXY_REFUSED: Final = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """What a transfer may take, in seconds and in bytes of the decoded body."""

    connect_timeout: float
    idle_timeout: float
    body_cap: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How a transfer failed: libcurl's code and words, and what we know besides."""

    code: int
    text: str
    url: str
    timeout: float
    overflowed: bool


def call_error(curl: pycurl.Curl, ending: Ending, *, limits: Limits) -> CallError:
    """Return the failure of a transfer that has ended and was not used again."""
    kind, cause = _explain(curl, ending, limits)
    foreign = kind is FailureKind.PROTOCOL and ending.code not in _BROKEN_OFF
    return CallError(
        kind,
        f"{_host(ending.url)}: {cause}",
        fatal=ending.code in _HOPELESS,
        most_retries=1 if foreign else None,
    )


def _explain(curl: pycurl.Curl, ending: Ending, limits: Limits) -> tuple[FailureKind, str]:
    kind = _KINDS.get(ending.code, FailureKind.PROTOCOL)
    if ending.overflowed or kind is FailureKind.TOO_LARGE:
        return FailureKind.TOO_LARGE, f"the reply is larger than {limits.body_cap} bytes"
    if kind is FailureKind.TIMEOUT:
        return _explain_timeout(curl, ending, limits)
    proxy_status = curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if proxy_status >= _PROXY_REFUSED:
        return FailureKind.CONNECT, f"the proxy answered {proxy_status}"
    if kind is FailureKind.CONNECT:
        number = curl.getinfo(pycurl.OS_ERRNO)
        return kind, os.strerror(number).lower() if number else "no connection"
    if kind is FailureKind.TLS:
        return kind, _explain_tls(ending.text)
    if kind is FailureKind.RESET and "chunk" in ending.text:
        kind = FailureKind.PROTOCOL
    return kind, _CAUSES.get(kind) or _explain_protocol(ending.text)


def _explain_timeout(curl: pycurl.Curl, ending: Ending, limits: Limits) -> tuple[FailureKind, str]:
    if ending.text.startswith("Operation too slow"):
        return FailureKind.TIMEOUT, f"nothing came for {limits.idle_timeout:g} s"
    if ending.text.startswith("Resolving timed out"):
        return FailureKind.DNS, "the name did not resolve in time"
    unsent = curl.getinfo(pycurl.REQUEST_SIZE) == 0
    if unsent and curl.getinfo(pycurl.TOTAL_TIME) < ending.timeout:
        # The one timeout after which the server has certainly not begun to work.
        return FailureKind.CONNECT, f"no connection within {limits.connect_timeout:g} s"
    return FailureKind.TIMEOUT, f"no whole reply within {ending.timeout:g} s"


def _explain_tls(text: str) -> str:
    hint = " (is this http?)" if any(sign in text for sign in _PLAIN_PORT) else ""
    return f"no trusted TLS connection: {text or 'handshake failed'}{hint}"


def _explain_protocol(text: str) -> str:
    if "HTTP/0.9" in text:
        return "what answered is not HTTP/1.1 (is this https?)"
    # A proxy's address may hold a password, and libcurl quotes it.
    if not text or "proxy" in text.lower():
        return "no usable HTTP/1.1 reply"
    return f"no usable HTTP/1.1 reply: {text}"


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        return "the endpoint"
    if not name:
        return "the endpoint"
    return f"{name}:{port}" if port else name
