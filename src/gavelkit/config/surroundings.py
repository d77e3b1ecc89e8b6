"""What judges are put together in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from gavelkit.config.environment import Environment
from gavelkit.core.clock import Clock
from gavelkit.core.event import Observe, ignore
from gavelkit.core.limits import Limits
from gavelkit.core.message import Parameters
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.engines import Gate, HttpClients, RepairMemory, SystemClock


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a judge is put together in: the environment, the folder its files are relative to, and who observes.

    One client serves every judge of one endpoint, and one gate and one memory of what it refused those that also
    share model and key; every wait goes by the `clock`. `strict` refuses what is otherwise a
    warning: a key over plain http.
    """

    environment: Environment = field(default_factory=lambda: Environment(os.environ))
    folder: Path = Path()
    observe: Observe = ignore
    clients: dict[str, HttpClients] = field(default_factory=dict)
    gates: dict[tuple[str, str], Gate] = field(default_factory=dict)
    repairs: dict[tuple[str, str], RepairMemory] = field(default_factory=dict)
    strict: bool = False
    clock: Clock = field(default_factory=SystemClock)


@dataclass(frozen=True, slots=True)
class Reached:
    """A judge's model: the engine that answers for it, how its endpoint is tried, and what every request asks."""

    engine: Engine
    probes: tuple[Probe, ...]
    parameters: Parameters


class About(TypedDict):
    """What every way of judging takes beside its question."""

    name: str
    threshold: float | None
    limits: Limits
    preset: str
    named: bool
    save_details: bool
    probes: tuple[Probe, ...]
