"""`gavel simulate`: an OpenAI-compatible endpoint on loopback that is no LLM."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gavelkit.cli.ending import say
from gavelkit.core.errors import ConfigError
from gavelkit.simulator import Simulator, read_script, serve_forever

_PORT = 8010


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.description = (
        "Serve chat completions, models and Ollama's own API on loopback. What answers is no LLM: it finds the form\n"
        "that the prompt asks for and grades by the words that response and reference share. Every reply's model name\n"
        "says so."
    )
    parser.add_argument(
        "--port", type=int, default=_PORT, metavar="N", help=f"the port; 0 lets the system choose (default: {_PORT})"
    )
    parser.add_argument("--script", metavar="FILE", help="YAML with fixed replies, latency and faults")
    parser.add_argument("--log", metavar="FILE", help="write a JSON line for each request")
    parser.add_argument("--key-variable", metavar="NAME", help="demand the key that this environment variable holds")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    script = None if options.script is None else read_script(Path(options.script))
    log = None if options.log is None else Path(options.log)
    simulator = Simulator(script, api_key=_key(options.key_variable), log=log, port=options.port)
    try:
        serve_forever(simulator, announce=_announce)
    except (OSError, OverflowError) as error:
        message = f"port {options.port} cannot be used: {error}"
        raise ConfigError(message) from error
    except KeyboardInterrupt:
        say(f"{simulator.requests:,} requests answered, at most {simulator.max_in_flight} at once")
    return 0


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        message = f"--key-variable: the environment variable {variable} is not set"
        raise ConfigError(message)
    return key


def _announce(url: str) -> None:
    say(f"a simulated endpoint, no LLM: {url}   (Ctrl-C ends it)")
