"""How many connections the process may hold open: every system limits open files, some to very few."""

from __future__ import annotations

import resource

_OURS = 40
"""Kept for the data, the record, its reports, and whatever the host process has open."""


def most_connections(wanted: int) -> int:
    """So many connections, or as many as the limit on open files leaves; the soft limit is raised where it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OURS
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):
        allowed = soft  # a system may refuse what its hard limit promises, as macOS does
    return max(1, min(wanted, allowed - _OURS))
