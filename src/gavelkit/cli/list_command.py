"""`gavel list judges|templates`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from gavelkit.catalog import names, preset


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("kind", choices=("judges", "templates"), help="what to name")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(options: argparse.Namespace) -> int:
    """Name what ships."""
    rows = [_row(options.kind, name) for name in names(options.kind)]
    if options.json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return 0
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        sys.stdout.write(f"{row['name']:<{width}}  {row.get('summary', '')}".rstrip() + "\n")
    return 0


def _row(kind: str, name: str) -> dict[str, Any]:
    if kind == "templates":
        return {"name": name}
    shipped = preset(name)
    return {"name": name, "summary": shipped.summary, "reads": shipped.reads, "scale": _scale(shipped.settings)}


def _scale(settings: Any) -> Any:
    return settings.get("options") or settings.get("scale")
