"""`gavel list judges|templates|criteria`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from gavelkit.catalog import criterion_fields, names, preset


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("kind", choices=("judges", "templates", "criteria"), help="what to name")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(options: argparse.Namespace) -> int:
    """Name what ships."""
    rows = _criteria() if options.kind == "criteria" else [_row(options.kind, name) for name in names(options.kind)]
    if options.json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return 0
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        about = _about(row) if options.kind == "criteria" else row.get("summary", "")
        sys.stdout.write(f"{row['name']:<{width}}  {about}".rstrip() + "\n")
    return 0


def _row(kind: str, name: str) -> dict[str, Any]:
    if kind == "templates":
        return {"name": name}
    shipped = preset(name)
    return {
        "name": name,
        "summary": shipped.summary,
        "follows": shipped.follows,
        "reads": shipped.reads,
        "scale": shipped.scale,
        "threshold": shipped.settings.get("threshold"),
    }


def _criteria() -> list[dict[str, Any]]:
    direct = [_criterion(name, pairwise=False) for name in names("criteria")]
    return direct + [_criterion(name, pairwise=True) for name in names("pairwise_criteria")]


def _criterion(name: str, *, pairwise: bool) -> dict[str, Any]:
    fields = criterion_fields(name, pairwise=pairwise)
    return {
        "name": name,
        "kind": "pairwise" if pairwise else "direct",
        "description": fields["description"],
        "reads": fields.get("context_fields", []),
        "prediction_field": fields.get("prediction_field"),
        "options": fields.get("option_map"),
        "higher_is_better": fields.get("polarity") != "lower_is_better",
    }


def _about(row: dict[str, Any]) -> str:
    options = ", ".join(f"{name} = {score:g}" for name, score in (row["options"] or {}).items())
    return f"{row['kind']:<8}  {options}{'' if row['higher_is_better'] else '; lower is better'}"
