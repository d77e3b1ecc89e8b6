"""YAML as data only."""

from __future__ import annotations

from pathlib import Path

import pytest

from gavelkit.config.yaml_file import MAX_ALIASES, MAX_BYTES, read_yaml
from gavelkit.core.errors import ConfigError


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "conf.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_yaml(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def test_plain_data_is_read(tmp_path: Path) -> None:
    text = "data: a.jsonl\njudges:\n  - {name: x, scale: [0, 10]}\nother: &a {b: 1}\nmore:\n  <<: *a\n  c: 2\n"
    assert read_yaml(written(tmp_path, text)) == {
        "data": "a.jsonl",
        "judges": [{"name": "x", "scale": [0, 10]}],
        "other": {"b": 1},
        "more": {"b": 1, "c": 2},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3: the key 'a' stands twice"),
        ("judges:\n  - name: x\n    name: y\n", ":3: the key 'name' stands twice"),
        ("a: [1\n", ":2: expected ',' or ']'"),
        ("a: !!python/object/apply:os.system [ls]\n", ":1: could not determine a constructor for the tag"),
        ("a: !function utils.run\n", ":1: could not determine a constructor for the tag '!function'"),
        ("a: !!python/name:os.system\n", ":1: could not determine a constructor"),
        ("? [a, b]\n: 1\n", ":1: found unhashable key"),
        ("? {a: 1}\n: 1\n", ":1: found unhashable key"),
        ("a: 2026-13-45\n", ": holds a value that is none: month must be in 1..12"),
        (f"a: {'9' * 5000}\n", ": holds a value that is none: Exceeds the limit"),
        ("[" * 1000, ": nested too deeply"),
        (b"a: \xff\xfe\n", ": invalid start byte"),
        ("a: \x07\n", ": special characters are not allowed"),
        ("--- 1\n--- 2\n", "but found another document"),
    ],
)
def test_anything_else_is_refused_with_its_line(tmp_path: Path, text: str | bytes, words: str) -> None:
    assert words in refusal(written(tmp_path, text))


def test_many_aliases_are_a_bomb(tmp_path: Path) -> None:
    few = "a: &a [x]\nb: [" + ", ".join(["*a"] * MAX_ALIASES) + "]\n"
    assert len(read_yaml(written(tmp_path, few))["b"]) == MAX_ALIASES
    assert "more than 100 aliases" in refusal(written(tmp_path, few.replace("*a]", "*a, *a]")))
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 14))
    assert "more than 100 aliases" in refusal(written(tmp_path, bomb))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == ": cannot be read: No such file or directory"
    assert refusal(tmp_path) == ": cannot be read: Is a directory"


def test_a_file_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    assert "more than 10,000,000 bytes" in refusal(written(tmp_path, b"#" * (MAX_BYTES + 1)))


def test_where_tags_may_stand_their_values_are_left_out_and_nothing_else_changes(tmp_path: Path) -> None:
    text = (
        "a: !function x.y\nb: !!python/object/apply:os.system [ls]\n"
        "c: {d: !other {e: 1}, f: 2}\ng: &g {h: 1}\ni: {<<: *g, j: 2026-01-02}\nk: [!x 1, 2]\n"
    )
    found = read_yaml(written(tmp_path, text), leave_out_tags=True)
    assert str(found.pop("i")["j"]) == "2026-01-02"
    assert found == {"c": {"f": 2}, "g": {"h": 1}, "k": [None, 2]}
    for twice in ("a: !x 1\na: 2\n", "a: 1\na: !x 2\n"):
        with pytest.raises(ConfigError, match="the key 'a' stands twice"):
            read_yaml(written(tmp_path, twice), leave_out_tags=True)
