"""Models, endpoints and keys from environment variables, and where a key may go."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gavelkit.core.errors import ConfigError

DEFAULT_API_BASE = "https://api.openai.com/v1"
_CA_VARIABLES = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
_ODD = re.compile(r"[\x00-\x20\x7f\\]")
_METADATA = {"metadata", "metadata.google.internal", "fd00:ec2::254", "100.100.100.200"}
"""Where clouds hand out credentials, besides link-local addresses."""
PLACEHOLDERS = frozenset({"dummy", "EMPTY", "none", "ollama", "not-needed", ""})


def variable_part(name: str) -> str:
    """A judge's name as variables have it: upper case, every run of other characters one underscore."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper())


@dataclass(frozen=True, slots=True)
class Environment:
    """Looks settings up, most particular first: `LLM_JUDGE_<NAME>_*`, `LLM_JUDGE_*`, `OPENAI_*`."""

    variables: Mapping[str, str] = field(repr=False)

    def model(self, judge: str) -> str | None:
        """The model of a judge, None where no variable names one."""
        return self._first(judge, "MODEL")

    def api_base(self, judge: str, *, openai: bool = True) -> str | None:
        """The base URL of a judge's endpoint, None where no variable names one. OpenAI's counts where `openai`."""
        own = self.variables.get("OPENAI_BASE_URL") if openai else None
        return self._first(judge, "API_BASE") or own or None

    def api_key(self, judge: str, api_base: str) -> str | None:
        """The key for an endpoint, None where there is none.

        Raises ConfigError where the only key is OpenAI's and the endpoint is somebody else's, or where the key
        cannot stand in a header.
        """
        key = self._first(judge, "API_KEY")
        if key is None and (key := self.variables.get("OPENAI_API_KEY") or None) is not None:
            self._check_destination(api_base)
        return None if key is None else usable_key(key, judge)

    @property
    def ca_file(self) -> str | None:
        """The file of certificates to trust instead of certifi's, by the variables that other tools read too."""
        return next((self.variables[name] for name in _CA_VARIABLES if self.variables.get(name)), None)

    def key_variables(self, judge: str) -> tuple[str, ...]:
        """The variables that a judge's key is looked for in, the first that is set wins."""
        return (f"LLM_JUDGE_{variable_part(judge)}_API_KEY", "LLM_JUDGE_API_KEY", "OPENAI_API_KEY")

    def key_variable(self, judge: str) -> str:
        """The name of the variable that holds a judge's key, empty where none is set."""
        return next((name for name in self.key_variables(judge) if self.variables.get(name, "").strip("\r\n")), "")

    def _first(self, judge: str, what: str) -> str | None:
        for name in (f"LLM_JUDGE_{variable_part(judge)}_{what}", f"LLM_JUDGE_{what}"):
            if value := self.variables.get(name):
                return value
        return None

    def _check_destination(self, api_base: str) -> None:
        host = urlsplit(api_base).hostname or ""
        own = _host(self.variables.get("OPENAI_BASE_URL", ""))
        if host in {"api.openai.com", own} or is_loopback(host):
            return
        message = (
            f"OPENAI_API_KEY is not sent to {host}: a key goes only where it belongs. "
            f"export LLM_JUDGE_API_KEY=... with the key meant for this judge"
        )
        raise ConfigError(message)


def usable_key(key: str, judge: str) -> str | None:
    """A key as it is sent, None where it is empty. Raises ConfigError where it cannot stand in a header."""
    key = key.strip("\r\n")
    if not key.isascii() or not key.isprintable():
        message = f"the API key of judge {judge!r} holds a line break or another character no header can carry"
        raise ConfigError(message)
    return key or None


def sends_key_in_clear(api_base: str) -> bool:
    """Whether a key would cross a network unencrypted."""
    parts = urlsplit(api_base)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_api_base(api_base: str, where: str) -> str:
    """The base URL itself. Raises ConfigError: no http(s) URL, a secret in it, or a metadata service's address."""
    try:
        parts = urlsplit(api_base)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        usable = usable and not _ODD.search(api_base)
    except ValueError:
        usable = False
    if not usable:
        message = f"{where}: api_base must be a URL such as http://localhost:8000/v1, not {api_base!r}"
        raise ConfigError(message)
    if parts.username or parts.password or parts.query:
        message = f"{where}: api_base must hold no user, password or query; keys come from the environment"
        raise ConfigError(message)
    if _is_nowhere(parts.hostname or ""):
        message = f"{where}: api_base names {parts.hostname}, an address where no judge lives"
        raise ConfigError(message)
    return api_base


def _is_nowhere(host: str) -> bool:
    """Whether a metadata service or nobody can answer there. No name is resolved."""
    plain = unicodedata.normalize("NFKC", host).rstrip(".").lower()
    address = _address(plain)
    if address is None:
        return plain in _METADATA
    inner = getattr(address, "ipv4_mapped", None) or address
    return inner.is_link_local or inner.is_multicast or inner.is_unspecified or str(inner) in _METADATA


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host is, in any of the forms that C libraries read: `2852039166` is 169.254.169.254."""
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    with suppress(OSError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def check_file_key(value: str, judge: str) -> None:
    """Accepts the placeholders that local servers ask for. Raises ConfigError for anything else, without showing it."""
    if value not in PLACEHOLDERS:
        message = (
            f"judge {judge!r}: api_key stands in the file, where it is never used; remove it and "
            f"export LLM_JUDGE_{variable_part(judge)}_API_KEY or LLM_JUDGE_API_KEY"
        )
        raise ConfigError(message)
