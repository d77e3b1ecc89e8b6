"""The house rules that a program can check. An exception stands on a list, with its reason."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "gavelkit"
TESTS = ROOT / "tests"

MOST_LINES = 300
MANY_LINES = 20
MOST_FUNCTION_LINES = 40
LONG_FUNCTIONS = {
    "run/evaluate.py:evaluate_async": "a run from its first to its last step, to be read in one go",
}
"""Functions that are longer, as `room/file.py:function`."""

SLEEPERS = {
    "engines/clock.py": "the one clock that really waits",
}
YAML_LOADERS = {
    "config/yaml_file.py": "a subclass of the safe loader, which refuses more",
}
NOT_ROOMS = {
    "faults": "what a run makes of an endpoint, a disk or data that fails: most rooms keep these promises together",
    "golden": "the files that reports are compared with",
    "security": "what an attacker tries on readers, prompts, keys and the network: most rooms hold it off together",
    "promises": "what other systems' pages promise, driven through the command line: no room keeps a promise alone",
}
OTHER_TESTS = {
    "catalog/test_presets.py": "the shipped judges and templates themselves",
    "catalog/test_shipped_criteria.py": "the shipped criteria themselves",
    "cli/test_processes.py": "what only a real process shows: signals, pipes, terminals, full disks",
    "cli/test_real_replies.py": "the command on replies of real judges",
    "cli/test_structured.py": "answers in JSON, from the example in a configuration to the export",
    "judges/test_llmbar.py": "the pairwise judge on contests that real judges decided in both orders",
    "parsing/test_injection.py": "every reader at once, on responses that want to be the verdict",
    "parsing/test_linear.py": "every reader at once, on hostile replies",
    "parsing/test_nasty.py": "every reader at once, on awkward replies of real judges",
    "parsing/test_parser_for.py": "what the room's __init__ holds",
    "engines/test_official_peers.py": "the wire against clients and servers that others wrote",
    "run/test_stepwise.py": "judges in two steps through a whole run, from the first call to reading again",
    "run/test_kill.py": "the promise of the record, by processes that are killed",
    "reports/test_html_browser.py": "the HTML report in a real browser",
    "reports/test_exports.py": "export_jsonl.py and export_csv.py, which share their rows",
}
"""Tests that bear the name of no module: `test_http_pool.py` is about `http.py`, `test_list_and_show.py` about two."""

HEAVY = {"certifi", "jinja2", "msgspec", "numpy", "pyarrow", "pycurl", "regex", "tqdm", "yaml"}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_IMPORTS = {"pickle", "marshal", "shelve", "dill", "joblib"}

MODULES = sorted(SOURCE.rglob("*.py"))
TEST_MODULES = sorted(TESTS.rglob("*.py"))
ROOMS = sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__")


def inside(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def everywhere(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its decorators and its docstring."""
    last = function.end_lineno or function.lineno
    first = function.body[0]
    told = ast.get_docstring(function) is not None
    return last - function.lineno + 1 - ((first.end_lineno or 0) - first.lineno + 1 if told else 0)


def imported(path: Path) -> Iterator[str]:
    """The whole names of the modules that a file imports at run time."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{everywhere(path)}:{node.lineno}: an import names its module in full"
            yield node.module or ""


def called(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call by its dotted name."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def comments(path: Path) -> Iterator[tuple[int, str]]:
    with io.BytesIO(path.read_bytes()) as lines:
        for token in tokenize.tokenize(lines.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


@pytest.mark.parametrize("path", MODULES, ids=inside)
def test_a_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < MOST_LINES


def test_functions_are_short() -> None:
    long = {
        f"{inside(path)}:{function.name}"
        for path in MODULES
        for function in functions(path)
        if length(function) > MOST_FUNCTION_LINES
    }
    assert long == LONG_FUNCTIONS.keys()


def test_most_functions_are_very_short() -> None:
    lengths = [length(function) for path in MODULES for function in functions(path)]
    assert sum(each > MANY_LINES for each in lengths) < len(lengths) / 20


def test_each_exception_is_needed_and_says_why() -> None:
    files = {inside(path) for path in MODULES}
    assert SLEEPERS.keys() | YAML_LOADERS.keys() <= files
    assert OTHER_TESTS.keys() <= {path.relative_to(TESTS).as_posix() for path in TEST_MODULES}
    for reasons in (LONG_FUNCTIONS, SLEEPERS, YAML_LOADERS, NOT_ROOMS, OTHER_TESTS):
        assert all(reasons.values())


def test_folders_are_one_deep() -> None:
    assert [inside(path) for path in MODULES if len(path.relative_to(SOURCE).parts) > 2] == []


def test_a_file_is_named_for_what_it_holds() -> None:
    assert [everywhere(path) for path in (*MODULES, *TEST_MODULES) if path.stem in FORBIDDEN_NAMES] == []


@pytest.mark.parametrize("path", [*MODULES, *TEST_MODULES], ids=everywhere)
def test_a_module_says_what_it_is(path: Path) -> None:
    told = ast.get_docstring(tree(path)) or ""
    first = told.partition("\n")[0]
    assert first.endswith((".", "?", "!", ":"))


def test_tests_mirror_the_rooms() -> None:
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - NOT_ROOMS.keys() <= set(ROOMS)
    strange = []
    for path in TEST_MODULES:
        name = path.relative_to(TESTS).as_posix()
        if path.parent == TESTS or path.parent.name in NOT_ROOMS:
            continue
        if not path.name.startswith("test_") or name in OTHER_TESTS:
            continue
        modules = {each.stem.removesuffix("_command") for each in (SOURCE / path.parent.name).glob("*.py")}
        tested = path.stem.removeprefix("test_").split("_and_")
        if not all(any(each == module or each.startswith(f"{module}_") for module in modules) for each in tested):
            strange.append(name)
    assert strange == []


def test_every_room_with_code_is_tested() -> None:
    filled = {room for room in ROOMS if len(list((SOURCE / room).glob("*.py"))) > 1}
    assert [room for room in sorted(filled) if not list((TESTS / room).glob("test_*.py"))] == []


@pytest.mark.parametrize("path", MODULES, ids=inside)
def test_nothing_runs_data_as_code(path: Path) -> None:
    assert {name.partition(".")[0] for name in imported(path)} & FORBIDDEN_IMPORTS == set()
    for name, call in called(path):
        assert name not in FORBIDDEN_CALLS, f"line {call.lineno}: {name}"


def test_yaml_is_read_by_the_safe_loader() -> None:
    unsafe = {"yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load", "yaml.unsafe_load_all"}
    users = {inside(path) for path in MODULES for name, _ in called(path) if name in unsafe}
    assert users == set(YAML_LOADERS)
    for name in users:
        loaders = [node for node in ast.walk(tree(SOURCE / name)) if isinstance(node, ast.ClassDef)]
        assert [ast.unparse(loader.bases[0]) for loader in loaders] == ["yaml.SafeLoader"]


def test_only_the_clock_sleeps() -> None:
    sleepers = {inside(path) for path in MODULES for name, call in called(path) if _sleeps(name, call)}
    assert sleepers == SLEEPERS.keys()
    named = [inside(path) for path in MODULES for node in ast.walk(tree(path)) if _imports_sleep(node)]
    assert named == []


def _sleeps(name: str, call: ast.Call) -> bool:
    """`asyncio.sleep(0)` waits for nothing: it lets others go first."""
    return name == "time.sleep" or (name == "asyncio.sleep" and ast.unparse(call.args[0]) != "0")


def _imports_sleep(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "sleep" for alias in node.names)


def test_core_imports_the_standard_library_alone() -> None:
    for path in sorted((SOURCE / "core").glob("*.py")):
        for name in imported(path):
            if not name.startswith("gavelkit.core"):
                assert name.partition(".")[0] in sys.stdlib_module_names, f"{inside(path)} imports {name}"


WATCHED = f"""
import socket, sys
opened = []
socket.socket = lambda *arguments, **named: opened.append(arguments)
before = set(sys.modules)
import gavelkit
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(sorted(loaded & {HEAVY!r}), opened, sorted(name for name in sys.modules if name.startswith("gavelkit.")))
"""


def test_importing_the_package_opens_no_socket_and_loads_nothing_heavy() -> None:
    ended = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, timeout=30, check=True
    )
    assert ended.stdout.strip() == "[] [] []"


def test_importing_the_package_reads_no_environment_and_prints_nothing() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import gavelkit"], capture_output=True, text=True, timeout=30, check=True, env={}
    )
    assert (ended.stdout, ended.stderr) == ("", "")


_SILENCED = re.compile(r"#\s*(noqa|type: ignore|pragma: no cover)\b")
_REASONED = re.compile(
    r"# noqa: [A-Z]+\d+(?:, [A-Z]+\d+)* - \S"
    r"|# type: ignore\[[a-z-]+(?:, ?[a-z-]+)*\] # \S"
    r"|# pragma: no cover - \S"
)


@pytest.mark.parametrize("path", [*MODULES, *TEST_MODULES], ids=everywhere)
def test_whoever_silences_a_check_says_why(path: Path) -> None:
    bare = [(line, text) for line, text in comments(path) if _SILENCED.search(text) and not _REASONED.search(text)]
    assert bare == []


def exported(path: Path) -> list[str] | None:
    """The names of a literal `__all__`; None where there is none, or where it is made from a table."""
    for node in tree(path).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "__all__"
            and isinstance(node.value, ast.List)
        ):
            return [
                each.value for each in node.value.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
    return None


@pytest.mark.parametrize("path", [path for path in MODULES if exported(path) is not None], ids=inside)
def test_public_names_are_sorted(path: Path) -> None:
    names = exported(path)
    assert names is not None
    assert names == sorted(set(names))


def test_the_project_speaks_of_itself_alone() -> None:
    texts = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *MODULES,
        *TEST_MODULES,
    ]
    foreign = re.compile(r"/(?:home|root|Users)/\w|\bsee (?:issue|page) \d|\bpage-?\s?00\d\b", re.IGNORECASE)
    found = [everywhere(path) for path in texts if foreign.search(path.read_text(encoding="utf-8"))]
    assert found == []
