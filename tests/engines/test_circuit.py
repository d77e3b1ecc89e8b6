"""A dead endpoint is told from one that fails now and then."""

from __future__ import annotations

import math

from gavelkit.engines.circuit import Circuit


def broken(circuit: Circuit, *, now: float = 0.0) -> Circuit:
    while not circuit.failed(now):
        pass
    return circuit


def test_it_opens_after_so_many_troubles_in_a_row() -> None:
    circuit = Circuit(failures=3)
    assert [circuit.failed(0) for _ in range(4)] == [False, False, True, False]
    assert circuit.opened == 0


def test_a_reply_between_begins_the_count_anew() -> None:
    circuit = Circuit(failures=2)
    circuit.failed(0)
    circuit.succeeded()
    assert not circuit.failed(0)
    assert circuit.opened is None


def test_one_probe_goes_each_ten_seconds_and_never_two_at_once() -> None:
    circuit = broken(Circuit(), now=5)
    assert circuit.next_probe == 15
    circuit.probe(15)
    assert circuit.next_probe == math.inf
    circuit.probing = False
    circuit.failed(16)
    assert circuit.next_probe == 25


def test_a_servers_hint_sets_the_time_of_the_probe() -> None:
    circuit = Circuit(failures=1)
    circuit.failed(0, wait=2)
    assert circuit.next_probe == 2
    circuit.probe(2)
    circuit.probing = False
    circuit.failed(3, wait=60)
    assert circuit.next_probe == 63


def test_a_reply_closes_it() -> None:
    circuit = broken(Circuit())
    circuit.probe(10)
    circuit.succeeded()
    assert (circuit.opened, circuit.probing, circuit.in_a_row) == (None, False, 0)


def test_it_ends_after_the_outage_limit_and_an_old_outage_is_forgotten() -> None:
    circuit = Circuit(outage_limit=600)
    assert circuit.end == math.inf
    broken(circuit, now=10)
    assert circuit.end == 610
    circuit.resume(609)
    assert circuit.end == 610
    circuit.resume(611)
    assert circuit.end == 1211
