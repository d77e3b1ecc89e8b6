"""The flags of judges with a criterion, for the commands that make one judge."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from gavelkit.cli.flags import value_of
from gavelkit.judges.choice import ChooseBy
from gavelkit.judges.pairwise import OnInconsistent as OfContest
from gavelkit.judges.two_step import OnInconsistent as OfChoice

_NAMES = ("criterion", "context_fields", "baseline", "on_inconsistent", "choose_by", "check_positional_bias")


def add_stepwise(parser: argparse.ArgumentParser, *, pairwise: bool) -> None:
    """What is asked, and what two orders are worth."""
    told = "what is asked, in two steps: a shipped criterion (`gavel list criteria`), or a question in quotes"
    parser.add_argument("--criterion", metavar="NAME", help=told)
    shown = "what is shown beside the response: a field, [several], or {shown name: path}"
    parser.add_argument("--context-fields", type=value_of, metavar="FIELDS", help=shown)
    if pairwise:
        parser.add_argument("--baseline", metavar="SYSTEM", help="compare every other system with this one only")
    rules, default = (get_args(OfContest), "tie") if pairwise else (get_args(OfChoice), "first")
    worth = f"what two orders that disagree are worth (default: {default})"
    parser.add_argument("--on-inconsistent", choices=rules, help=worth)
    parser.add_argument("--choose-by", choices=get_args(ChooseBy), help="how the choice is given (default: text)")
    orders = "whether the other order is asked too (default: true)"
    parser.add_argument("--check-positional-bias", type=value_of, metavar="true|false", help=orders)


def read_stepwise(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given."""
    found = {name: getattr(options, name, None) for name in _NAMES}
    return {name: value for name, value in found.items() if value is not None}
