"""What a script may say, and how it is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from gavelkit.core.errors import ConfigError
from gavelkit.simulator.script import Performance, Rule, Script, parse_script, read_script
from gavelkit.simulator.throttle import Limit

WHOLE = """
reply: "Score: 8"
choose: first
latency: [0.05, 0.2]
seed: 7
rules:
  - {match: astronomy, first: 2, status: 429, retry_after: 1.5}
  - {every: 10, body: '{"choices": ['}
  - {match: history, reply: "GRADE: C", finish_reason: length, delay: 3}
  - {match: music, fault: drip, fault_seconds: 0.1}
  - {match: dance, status: 307, headers: {location: "http://127.0.0.1:1/"}}
limit: {rate: 50, burst: 5, hint: date, skew: 3600}
"""


def test_a_script_is_read_whole() -> None:
    assert parse_script(WHOLE) == Script(
        reply="Score: 8",
        choose="first",
        latency=(0.05, 0.2),
        seed=7,
        rules=(
            Rule(match="astronomy", first=2, status=429, retry_after=1.5),
            Rule(every=10, body='{"choices": ['),
            Rule(match="history", reply="GRADE: C", finish_reason="length", delay=3),
            Rule(match="music", fault="drip", fault_seconds=0.1),
            Rule(match="dance", status=307, headers={"location": "http://127.0.0.1:1/"}),
        ),
        limit=Limit(50, 5, "date", 3600),
    )


def test_an_empty_script_answers_everything_in_its_own_form() -> None:
    assert parse_script("") == Script()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("replies: x", "replies"),
        ("rules: [{matches: x}]", "matches"),
        ("rules: [{first: 0}]", r"first"),
        ("rules: [{every: 1.5}]", r"every"),
        ("rules: [{status: 99}]", r"status"),
        ("rules: [{delay: -1}]", r"delay"),
        ("rules: [{fault: fire}]", r"fault"),
        ("rules: [{fault_seconds: -1}]", r"fault_seconds"),
        ('rules: [{headers: {"a b": x}}]', r"headers"),
        ('rules: [{headers: {a: "x\\ny"}}]', r"headers"),
        ("limit: {rate: 0}", r"rate"),
        ("limit: {rate: 1, hint: loud}", r"hint"),
        ("rules: x", "rules"),
        ("reply: 8", "reply"),
        ("choose: worst", "choose"),
        ("latency: soon", "latency"),
        ("latency: [1, 2, 3]", "latency"),
        ("latency: -1", "latency"),
        ("- reply", "object"),
        ("a: [", "not a script"),
        ("a: !!python/object/apply:os.getcwd []", "not a script"),
    ],
)
def test_what_is_wrong_in_a_script_is_named(text: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        parse_script(text)


def test_a_script_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    with pytest.raises(ConfigError, match=r"faults\.yaml: No such file"):
        read_script(path)
    path.write_text("nonsense: 1", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"faults\.yaml: .*nonsense"):
        read_script(path)
    path.write_bytes(b"reply: \xff")
    with pytest.raises(ConfigError, match=r"faults\.yaml"):
        read_script(path)
    path.write_text(WHOLE, encoding="utf-8")
    assert read_script(path).seed == 7


def test_first_and_every_count_only_what_matches() -> None:
    play = Performance(Script(rules=(Rule(match="a", first=2, status=429), Rule(match="a", every=3, status=500))))
    statuses = [rule.status if (rule := play.rule_for(text)) else 200 for text in "abaabaaa"]
    assert statuses == [429, 200, 429, 500, 200, 200, 200, 500]


def test_the_first_rule_that_applies_decides() -> None:
    play = Performance(Script(rules=(Rule(match="x", status=500), Rule(status=429))))
    rules = [play.rule_for(text) for text in "xy"]
    assert [rule and rule.status for rule in rules] == [500, 429]


def test_latency_is_fixed_or_from_a_range_by_its_seed() -> None:
    assert Performance(Script(latency=0.5)).latency() == 0.5
    one, other = (Performance(Script(latency=(0.1, 0.2), seed=3)) for _ in range(2))
    drawn = [one.latency() for _ in range(20)]
    assert drawn == [other.latency() for _ in range(20)]
    assert all(0.1 <= seconds <= 0.2 for seconds in drawn)
    assert len(set(drawn)) > 1
