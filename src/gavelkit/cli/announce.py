"""Where a command's calls go, told before the first one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gavelkit.cli.ending import say
from gavelkit.config.proxy import proxy_for


def tell_calls(most: Mapping[str, int]) -> None:
    """A line for each endpoint, with how many calls there are at once at the most, and the proxy where there is one."""
    for endpoint, at_once in most.items():
        proxy = proxy_for(endpoint, os.environ)
        through = f" through the proxy {proxy}" if proxy else ""
        say(f"calls go to {endpoint}{through}, at most {at_once} at once")
