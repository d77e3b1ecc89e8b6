"""Documentation pages as their readers use them: files to write, commands to type, programs to run."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gavelkit.cli.main import main

ROOT = Path(__file__).parents[1]
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
"""A proxy where nobody listens: libcurl and urllib then reach this machine and nothing else."""

_FENCE = re.compile(r"^```(?P<language>[a-z ]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`(?P<name>[\w.-]+\.(?:jsonl|yaml|csv|py))`")
_ANY_SPEED = re.compile(r"[\d,]+/s")
_ANY_RUN = re.compile(r"(runs/[\w.-]+)-[0-9a-f]{8}")
_SIMULATED = re.compile(r"gavel simulate --port (\d+)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, the line it begins in, and the file its paragraph names."""

    language: str
    text: str
    line: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command of a console block and the output that the page shows."""

    command: str
    shown: str


def pages() -> list[Path]:
    """The README and every page below docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for match in _FENCE.finditer(page):
        paragraph = page[: match.start()].rstrip("\n").rpartition("\n\n")[2]
        named = _FILE.match(paragraph)
        language = match["language"]
        name = named["name"] if named and language in {"json", "python", "yaml"} else ""
        yield Block(language, match["text"], page.count("\n", 0, match.start()) + 1, name)


def typed(block: Block) -> Iterator[Typed]:
    """The commands of a console block, each with what stands below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield Typed(command, shown)


def assert_shown(shown: str, came: str) -> None:
    """What came is what the page shows; `...` stands for anything, and spacing, speeds and hashes do not count."""
    pattern = ".*?".join(re.escape(part) for part in _plain(shown).split("..."))
    assert re.fullmatch(pattern, _plain(came), re.DOTALL), f"the page shows\n{shown}\nand there came\n{came}"


def _plain(text: str) -> str:
    text = _ANY_RUN.sub(r"\1-00000000", _ANY_SPEED.sub("0/s", text))
    return " ".join(text.split())


@dataclass
class Reader(contextlib.ExitStack):
    """Does in the current folder what a page says, from top to bottom."""

    _names: dict[str, Any] = field(default_factory=dict)
    _ports: dict[str, str] = field(default_factory=dict)
    _printed: str = ""
    _code: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def read(self, page: str) -> int:
        """Follow the page; how many blocks were written, run or compared."""
        done = 0
        for block in blocks(page):
            try:
                done += self._follow(block)
            except AssertionError as error:
                message = f"in the block of line {block.line}: {error}"
                raise AssertionError(message) from error
        return done

    def _follow(self, block: Block) -> bool:
        if block.file:
            Path(block.file).write_text(self._here(block.text), encoding="utf-8")
        elif block.language == "python":
            self._run_python(block)
        elif block.language == "text output":
            assert_shown(block.text, self._printed)
        elif block.language == "console":
            for each in typed(block):
                self._type(each)
        elif block.language == "sh" and _SIMULATED.search(block.text):
            self._simulate(block.text)
        else:
            return False
        return True

    def _run_python(self, block: Block) -> None:
        program = Path(f"block_of_line_{block.line}.py")
        program.write_text(block.text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self._names = runpy.run_path(str(program), init_globals=self._names)
        program.unlink()
        self._printed = printed.getvalue()

    def _type(self, each: Typed) -> None:
        words = shlex.split(self._here(each.command))
        if words[0] == "gavel":
            assert_shown(each.shown, self._there(self._gavel(words[1:])))
        elif words[0] == "export":
            name, _, value = words[1].partition("=")
            os.environ[name] = value
        else:
            assert words == ["echo", "$?"], f"the test does not know how to type {each.command!r}"
            assert_shown(each.shown, str(self._code))

    def _gavel(self, arguments: list[str]) -> str:
        """Both streams as a terminal would show them."""
        screen = io.StringIO()
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            try:
                self._code = main(arguments)
            except SystemExit as end:
                self._code = end.code if isinstance(end.code, int) else 1
        return screen.getvalue()

    def _simulate(self, text: str) -> None:
        """Start the simulator on a free port, in place of the one that the page names."""
        command = next(line for line in text.splitlines() if line.startswith("$ gavel simulate"))
        port = _SIMULATED.findall(command)[0]
        arguments = shlex.split(command.replace(f"--port {port}", "--port 0"))[2:]
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "gavelkit", *arguments], stderr=subprocess.PIPE, text=True
        )
        self.callback(_end, process)
        assert process.stderr is not None
        announced = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert announced, "the simulator announces no port"
        self._ports[port] = announced[1]

    def _here(self, text: str) -> str:
        for page, real in self._ports.items():
            text = text.replace(f"127.0.0.1:{page}", f"127.0.0.1:{real}")
        return text

    def _there(self, text: str) -> str:
        for page, real in self._ports.items():
            text = text.replace(f"127.0.0.1:{real}", f"127.0.0.1:{page}")
        return text


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.communicate(timeout=10)
