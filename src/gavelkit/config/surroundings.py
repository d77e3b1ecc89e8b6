"""What judges are put together in."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict
from weakref import WeakValueDictionary

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
    clients: MutableMapping[str, HttpClients] = field(default_factory=dict)
    gates: MutableMapping[tuple[str, str], Gate] = field(default_factory=dict)
    repairs: MutableMapping[tuple[str, str], RepairMemory] = field(default_factory=dict)
    strict: bool = False
    clock: Clock = field(default_factory=SystemClock)


_CLIENTS: WeakValueDictionary[str, HttpClients] = WeakValueDictionary()
_GATES: WeakValueDictionary[tuple[str, str], Gate] = WeakValueDictionary()
_REPAIRS: WeakValueDictionary[tuple[str, str], RepairMemory] = WeakValueDictionary()


def of_process(observe: Observe) -> Surroundings:
    """For judges that are made one by one: those that live at the same time share what they know of an endpoint."""
    return Surroundings(observe=observe, clients=_CLIENTS, gates=_GATES, repairs=_REPAIRS)


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
