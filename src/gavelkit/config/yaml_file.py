"""YAML as data only: no tag is ever run, no duplicate keys, no alias bombs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import yaml

from gavelkit.core.errors import ConfigError

MAX_ALIASES = 100
MAX_BYTES = 10_000_000


class _Loader(yaml.SafeLoader):
    """The safe loader, which also refuses a key that stands twice and a file of many aliases.

    A tag such as `!function` is refused too, or, with `leave_out`, its value is left out.
    """

    aliases = 0

    def __init__(self, stream: Any, *, leave_out: bool = False) -> None:
        super().__init__(stream)
        self._leave_out = leave_out

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                message = f"more than {MAX_ALIASES} aliases"
                raise yaml.constructor.ConstructorError(None, None, message, self.peek_event().start_mark)  # type: ignore[no-untyped-call] # yaml's stubs leave it out
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - yaml's signature
        seen: set[Any] = set()
        for key, _value in node.value:
            name = key.value if isinstance(key.value, str) else id(key)  # a key that is no scalar is refused below
            if name in seen and key.tag != "tag:yaml.org,2002:merge":
                message = f"the key {name!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            seen.add(name)
        if self._leave_out:
            node.value = [(key, value) for key, value in node.value if value.tag in self.yaml_constructors]
        return super().construct_mapping(node, deep=deep)

    def construct_tagged(self, node: Any) -> None:
        """What a tag nobody knows stands before: nothing, or an error."""
        if not self._leave_out:
            self.construct_undefined(node)


_Loader.add_constructor(None, _Loader.construct_tagged)


def read_yaml(path: Path, *, leave_out_tags: bool = False) -> Any:
    """The file's value. Raises ConfigError naming the file and line."""
    try:
        text = path.read_bytes()
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}"
        raise ConfigError(message) from error
    if len(text) > MAX_BYTES:
        message = f"{path}: a configuration of more than {MAX_BYTES:,} bytes is not read"
        raise ConfigError(message)
    try:
        return yaml.load(text, Loader=partial(_Loader, leave_out=leave_out_tags))  # type: ignore[arg-type] # noqa: S506 - a subclass of the safe loader
    except yaml.YAMLError as error:
        raise ConfigError(_message(path, error)) from error
    except RecursionError as error:
        message = f"{path}: nested too deeply"
        raise ConfigError(message) from error
    except ValueError as error:
        message = f"{path}: holds a value that is none: {error}"
        raise ConfigError(message) from error


def _message(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"{path}:{mark.line + 1}: {problem}" if mark else f"{path}: {problem}"
