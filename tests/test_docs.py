"""The README and the docs: what they show runs, and what there is stands in them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gavelkit.catalog import names
from gavelkit.cli import main as command_line
from gavelkit.config.schema import JUDGE, LIMITS, RUN, TOP
from gavelkit.config.setting import Setting
from gavelkit.core import errors
from gavelkit.core.failure import RETRYABLE, FailureKind
from gavelkit.core.status import RETRIED_ON_REQUEST, RETRIED_ON_RESUME, Status

from .pages import NO_NETWORK, ROOT, Reader, blocks, pages

DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "gavelkit"
SIGNALS = (129, 130, 143)
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\b(?:GAVEL|OPENAI|NO|no)_[A-Za-z_]+\b")


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


def page_text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def section(text: str, heading: str) -> str:
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"there is no section {heading!r}"
    return match[1]


def rows(text: str) -> dict[str, list[str]]:
    """The rows of a page's tables, each by the names that stand in backticks in its first cell."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            for name in re.findall(r"`([^`]+)`", cells[0]):
                found.setdefault(name, cells)
    return found


@pytest.fixture
def shut_for_libcurl(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)


WAITS = {"docs/commands.md"}
"""Pages that show a retry, which waits for a second."""


def runnable() -> Iterator[Any]:
    for page in pages():
        if any(block.language in {"python", "console"} for block in blocks(page.read_text(encoding="utf-8"))):
            marks = [pytest.mark.real_time] if relative(page) in WAITS else []
            yield pytest.param(page, marks=marks, id=relative(page))


@pytest.mark.parametrize("page", list(runnable()))
@pytest.mark.usefixtures("shut_for_libcurl")
def test_what_a_page_shows_is_what_comes(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    with Reader() as reader:
        assert reader.read(page.read_text(encoding="utf-8"))


def test_every_block_has_a_language_that_the_test_knows() -> None:
    known = {"console", "json", "jinja", "python", "sh", "text", "text output", "yaml"}
    for page in pages():
        for block in blocks(page.read_text(encoding="utf-8")):
            assert block.language in known, f"{relative(page)}:{block.line}"


def test_a_console_block_holds_commands_only_and_a_shown_command_stands_in_one() -> None:
    for page in pages():
        for block in blocks(page.read_text(encoding="utf-8")):
            place = f"{relative(page)}:{block.line}"
            if block.language == "console":
                assert block.text.startswith("$ "), place
            elif block.language == "sh":
                assert "$ gavel" not in block.text.replace("$ gavel simulate", ""), place


def flags_of(command: str) -> Iterator[str]:
    module = import_module(f"gavelkit.cli.{command_line._module(command)}")
    parser = argparse.ArgumentParser(add_help=False)
    module.configure(parser)
    for action in parser._actions:
        yield from action.option_strings


@pytest.mark.parametrize("command", command_line.COMMANDS)
def test_every_command_has_its_section_with_each_flag_an_example_and_its_exit_codes(command: str) -> None:
    text = page_text("commands.md")
    own = section(text, f"gavel {command}")
    shared = section(text, "Shared flags") if "(#shared-flags)" in own else ""
    missing = [flag for flag in flags_of(command) if not re.search(rf"`{flag}[` ]", own + shared)]
    assert not missing
    assert "Exit codes: " in own
    if command != "demo":
        assert f"$ gavel {command}" in own


def test_no_section_names_a_flag_that_its_command_does_not_take() -> None:
    text = page_text("commands.md")
    for command in command_line.COMMANDS:
        own = rows(section(text, f"gavel {command}"))
        named = {name.split()[0] for name in own if name.startswith("-")}
        assert named <= set(flags_of(command)), command


def test_every_command_that_shares_flags_takes_all_of_them() -> None:
    text = page_text("commands.md")
    shared = {name.split()[0] for name in rows(section(text, "Shared flags"))}
    for command in ("run", "score", "pairwise", "check"):
        assert shared - {"--data"} <= set(flags_of(command)), command


def test_every_exit_code_is_explained() -> None:
    codes = {0, *SIGNALS}
    codes |= {each.exit_code for each in vars(errors).values() if hasattr(each, "exit_code")}
    table = section(page_text("commands.md"), "Exit codes")
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert told == codes
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(str(code) in section(readme, "Statuses and exit codes") for code in codes)


def shown_default(setting: Setting) -> str:
    if setting.default is None:
        return ""
    if isinstance(setting.default, bool):
        return f"`{str(setting.default).lower()}`"
    return f"`{setting.default:g}`" if isinstance(setting.default, float) else f"`{setting.default}`"


_LIMIT_NAMES = {setting.name for setting in LIMITS}


@pytest.mark.parametrize(
    ("heading", "table"),
    [
        ("The file", TOP),
        ("A judge", tuple(each for each in JUDGE if each.name not in _LIMIT_NAMES)),
        ("Limits", LIMITS),
        ("The run", tuple(each for each in RUN if each.name not in _LIMIT_NAMES)),
    ],
)
def test_every_setting_stands_in_its_table_with_what_it_takes_its_default_and_its_flag(
    heading: str, table: tuple[Setting, ...]
) -> None:
    found = rows(section(page_text("configuration.md"), heading))
    assert list(found) == [setting.name for setting in table]
    for setting in table:
        _name, takes, default, flag, meaning = found[setting.name]
        assert (takes, default) == (setting.kind.expects, shown_default(setting)), setting.name
        assert (setting.flag in flag) if setting.flag else not flag, setting.name
        assert meaning, setting.name


def test_every_environment_variable_that_is_read_is_explained() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    tests = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    read = {name for name in _VARIABLE.findall(source + tests) if f'"{name}"' in source + tests}
    for what in re.findall(r'_first\(judge, "([A-Z_]+)"\)', source):
        read |= {f"LLM_JUDGE_{what}", f"LLM_JUDGE_<NAME>_{what}"}
    assert len(read) > 6
    told = rows(section(page_text("environment.md"), "Variables"))
    assert read - told.keys() == set()


def test_every_status_is_explained_with_what_it_costs() -> None:
    found = rows(section(page_text("reading-verdicts.md"), "Statuses"))
    assert list(found) == [status.value for status in Status]
    for status in Status:
        _name, meaning, failed, again = found[status.value]
        assert meaning
        assert failed == ("yes" if status.failed else "no"), status
        expected = "yes" if status in RETRIED_ON_RESUME else "no"
        assert again == ("with `--retry-errors`" if status in RETRIED_ON_REQUEST else expected), status


def test_every_kind_of_failure_is_explained_with_whether_it_is_retried() -> None:
    found = rows(section(page_text("reading-verdicts.md"), "Kinds of failure"))
    assert list(found) == [kind.value for kind in FailureKind]
    for kind in FailureKind:
        assert found[kind.value][2] == ("yes" if kind in RETRYABLE else "no"), kind


def test_the_readme_names_every_status() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [status for status in Status if f"`{status}`" not in readme] == []


def test_every_shipped_judge_is_named() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shipped = rows(section(page_text("configuration.md"), "Shipped judges"))
    assert set(shipped) >= set(names("judges"))
    assert [name for name in names("judges") if f"`{name}`" not in readme] == []


def test_every_reader_is_explained() -> None:
    (parser,) = (setting for setting in JUDGE if setting.name == "parser")
    found = rows(section(page_text("reading-verdicts.md"), "The readers"))
    assert [reader for reader in parser.kind.expects.removeprefix("one of ").split(", ") if reader not in found] == []


def test_every_room_stands_in_the_readme_and_in_the_architecture() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert rooms == set(rows(section(readme, "The flow")))
    assert rooms == set(rows(section(page_text("architecture.md"), "The rooms")))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def anchors(text: str) -> set[str]:
    plain = (heading.replace("`", "").lower() for heading in _HEADING.findall(without_blocks(text)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", [*pages(), ROOT / "CONTRIBUTING.md"], ids=relative)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = without_blocks(page.read_text(encoding="utf-8"))
    for target, anchor in _LINK.findall(text):
        if "://" in target:
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{target}#{anchor} is not there"


def test_every_page_of_the_docs_is_reached_from_an_index() -> None:
    for index in (DOCS / "index.md", DOCS / "decisions" / "index.md"):
        linked = {target for target, _anchor in _LINK.findall(index.read_text(encoding="utf-8"))}
        assert {page.name for page in index.parent.glob("*.md")} - {"index.md"} - linked == set()


def test_every_file_that_contributing_names_is_there_or_named_by_its_kind() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for named in re.findall(r"`((?:[a-z_]+)/[a-z_./]*)`", told):
        if "<" not in named:
            assert any((base / named).exists() for base in (SOURCE, ROOT)), named


def test_every_make_target_stands_in_contributing() -> None:
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    told = rows(section((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), "Make"))
    assert {f"make {target}" for target in targets if target != "help"} <= told.keys()


@pytest.mark.parametrize("fragment", sorted((ROOT / "changelog.d").glob("*")), ids=lambda path: path.name)
def test_a_changelog_fragment_is_one_sentence_for_users(fragment: Path) -> None:
    assert re.fullmatch(r"[a-z0-9-]+\.(added|changed|fixed|removed)\.md", fragment.name)
    (line,) = fragment.read_text(encoding="utf-8").splitlines()
    assert line.endswith(".")
    assert ". " not in line
