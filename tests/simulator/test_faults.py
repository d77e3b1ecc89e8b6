"""Each fault on the wire, as a plain socket sees it."""

from __future__ import annotations

import json
import re
import socket
import time
import zlib
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

import pytest

from gavelkit.simulator import Rule, Script, running_simulator
from gavelkit.simulator.faults import End, steps
from gavelkit.simulator.wire import Fault, HttpAnswer

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello"}]}).encode()
REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)


def connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5)


def received(line: socket.socket, *, most: int = 10**9) -> tuple[bytes, str]:
    """What came, and how it ended: closed, reset, or silent for a moment."""
    found = bytearray()
    try:
        while len(found) < most and (piece := line.recv(1 << 20)):
            found += piece
    except ConnectionResetError:
        return bytes(found), "reset"
    except TimeoutError:
        return bytes(found), "silent"
    return bytes(found), "closed"


def suffer(fault: Fault, *, patience: float = 5.0, most: int = 10**9, seconds: float = 0.3) -> tuple[bytes, str]:
    script = Script(reply="Score: 8", rules=(Rule(fault=fault, fault_seconds=seconds),))
    with running_simulator(script) as simulator, connected(simulator.url) as line:
        line.settimeout(patience)
        line.sendall(REQUEST)
        return received(line, most=most)


def parts(reply: bytes) -> tuple[bytes, bytes]:
    head, _, body = reply.partition(b"\r\n\r\n")
    return head, body


def length(head: bytes) -> int:
    return int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])


@pytest.mark.parametrize(("fault", "ending"), [("close", "closed"), ("reset", "reset")])
def test_a_connection_ends_without_a_byte(fault: Fault, ending: str) -> None:
    assert suffer(fault) == (b"", ending)


def test_silence_is_a_connection_that_stays_open_and_says_nothing() -> None:
    assert suffer("silence", patience=0.1) == (b"", "silent")


def test_a_reset_midway_comes_after_most_of_the_body() -> None:
    reply, ending = suffer("reset_midway")
    head, body = parts(reply)
    assert ending == "reset"
    assert 0.8 * length(head) < len(body) < length(head)


def test_a_short_body_lacks_twenty_bytes() -> None:
    reply, ending = suffer("short")
    head, body = parts(reply)
    assert (ending, length(head) - len(body)) == ("closed", 20)


def test_a_truncated_chunk_holds_thirty_of_sixty_four_bytes() -> None:
    head, body = parts(suffer("truncated_chunk")[0])
    assert b"transfer-encoding: chunked" in head
    assert body.startswith(b"40\r\n")
    assert len(body) == 34


def test_a_dripping_body_comes_byte_by_byte_and_the_connection_stays() -> None:
    began = time.monotonic()
    reply, ending = suffer("drip", patience=0.2, seconds=0.001)
    assert ending == "silent"
    assert json.loads(parts(reply)[1])["choices"][0]["message"]["content"] == "Score: 8"
    assert time.monotonic() - began > 0.2


def test_a_stale_connection_is_announced_as_kept_and_closed_all_the_same() -> None:
    reply, ending = suffer("stale")
    head, body = parts(reply)
    assert (ending, length(head)) == ("closed", len(body))
    assert b"connection: close" not in head


def test_garbage_is_no_http() -> None:
    assert not suffer("garbage")[0].startswith(b"HTTP/")


def test_a_huge_header_has_a_megabyte() -> None:
    head, body = parts(suffer("huge_header")[0])
    assert len(head) > 1024 * 1024
    assert json.loads(body)


def test_a_gzip_bomb_is_small_on_the_wire_and_hundreds_of_megabytes_unpacked() -> None:
    head, body = parts(suffer("gzip_bomb")[0])
    assert b"content-encoding: gzip" in head
    assert len(body) < 1_000_000
    unpacker, unpacked = zlib.decompressobj(31), 0
    for start in range(0, len(body), 4096):
        unpacked += len(unpacker.decompress(body[start : start + 4096]))
    assert unpacked > 300_000_000


def test_an_endless_body_does_not_end_while_it_is_read() -> None:
    reply, _ = suffer("endless", most=5_000_000)
    assert len(reply) >= 5_000_000


def test_a_brotli_body_is_none() -> None:
    assert b"content-encoding: br" in suffer("brotli")[0]


def test_a_server_that_refuses_listens_again_on_the_same_port() -> None:
    script = Script(reply="Score: 8", rules=(Rule(first=1, fault="refuse", fault_seconds=0.05),))
    with running_simulator(script) as simulator:
        with connected(simulator.url) as line, connected(simulator.url) as other:
            line.sendall(REQUEST)
            assert received(line) == (b"", "reset")
            assert received(other)[1] in {"closed", "reset"}
            with pytest.raises(ConnectionRefusedError):
                connected(simulator.url)
        _until_listening(simulator.url)
        with connected(simulator.url) as line:
            line.sendall(REQUEST)
            assert line.recv(15) == b"HTTP/1.1 200 OK"


def _until_listening(url: str) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            connected(url).close()
        except ConnectionRefusedError:
            continue
        return
    pytest.fail("it never came back")


def test_a_server_that_is_away_can_be_stopped() -> None:
    script = Script(rules=(Rule(fault="refuse", fault_seconds=60),))
    with running_simulator(script) as simulator, connected(simulator.url) as line:
        line.sendall(REQUEST)
        assert received(line) == (b"", "reset")


def test_a_request_behind_one_that_goes_wrong_waits_for_it() -> None:
    script = Script(reply="Score: 8", rules=(Rule(first=1, fault="drip", fault_seconds=0.0005),))
    with running_simulator(script) as simulator, connected(simulator.url) as line:
        line.settimeout(0.3)
        line.sendall(REQUEST * 2)
        reply, _ = received(line)
    assert reply.count(b"HTTP/1.1 200 OK") == 2
    assert reply.index(b"HTTP/1.1", 10) == len(parts(reply)[0]) + 4 + length(parts(reply)[0])


def test_the_log_names_connection_and_fault(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    script = Script(reply="x", rules=(Rule(first=1, fault="stale"),))
    with running_simulator(script, log=log) as simulator:
        for _ in range(2):
            with connected(simulator.url) as line:
                line.sendall(REQUEST)
                line.recv(15)
        told = [json.loads(each) for each in log.read_text().splitlines()]
    assert [(each["connection"], each["fault"]) for each in told] == [(1, "stale"), (2, None)]


@pytest.mark.parametrize("fault", get_args(Fault))
def test_every_fault_has_its_steps(fault: Fault) -> None:
    first = next(steps(HttpAnswer(body=b"x" * 100, fault=fault), None))
    assert first != b""
    assert isinstance(first, bytes | End)


def test_every_fault_stands_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    table = page.partition("| fault | on the wire |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == sorted(get_args(Fault))


def test_without_a_fault_the_answer_is_sent_and_the_connection_kept() -> None:
    sent, end = steps(HttpAnswer(body=b"ok"), None)
    assert isinstance(sent, bytes)
    assert sent.endswith(b"\r\n\r\nok")
    assert end is End.KEEP
