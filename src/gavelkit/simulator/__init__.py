"""An OpenAI-compatible endpoint on loopback that answers judge prompts without a model."""

from __future__ import annotations

from gavelkit.simulator.answers import reply_to
from gavelkit.simulator.running import Simulator, running_simulator, serve_forever
from gavelkit.simulator.script import Rule, Script, parse_script, read_script

__all__ = [
    "Rule",
    "Script",
    "Simulator",
    "parse_script",
    "read_script",
    "reply_to",
    "running_simulator",
    "serve_forever",
]
