"""A bring-your-own benchmark out of a file: the file is run as the program it is, and its benchmark is picked."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from gavelkit.core.path import did_you_mean
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_registry import Benchmark, fresh_registry, get_registered_benchmarks, package_name

_THEIRS = "nemo_evaluator"
_IMPORT = "from gavelkit.integrations.nemo_byob import ScorerInput, benchmark, judge_score, scorer"


def load_benchmark(path: str | Path, name: str = "") -> Benchmark:
    """The benchmark that a Python file declares; `name` says which where there are several.

    The file's folder is on the import path while it loads. Raises ByobError: no such file, an error in it with its
    line, no benchmark or several, or a package that it says it needs and that is not installed.
    """
    file = Path(path).resolve()
    if not file.is_file():
        message = f"{path}: there is no such file"
        raise ByobError(message)
    with fresh_registry():
        _run(file, str(path))
        declared = get_registered_benchmarks()
    found = _picked(declared, name, str(path))
    _check_packages(found, str(path))
    return found


def _run(file: Path, shown: str) -> None:
    name = f"gavelkit_byob_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        message = f"{shown}: a benchmark's file is a Python file, whose name ends in .py"
        raise ByobError(message)
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses of the file's own look themselves up
    try:
        with _importing_from(file.parent):
            spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != _THEIRS:
            raise ByobError(_told(error, file, shown)) from error
        message = f"{_place(error, file, shown)}: {_THEIRS} is not installed, and need not be; write\n  {_IMPORT}"
        raise ByobError(message) from error
    except (Exception, SystemExit) as error:
        raise ByobError(_told(error, file, shown)) from error


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with suppress(ValueError):  # the file may have put its paths in order itself
            sys.path.remove(str(folder))


def _told(error: BaseException, file: Path, shown: str) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f"{shown}:{error.lineno}: {error.msg}"
    said = str(error) if isinstance(error, ByobError) else f"{type(error).__name__}: {error}"
    return f"{_place(error, file, shown)}: {said}"


def _place(error: BaseException, file: Path, shown: str) -> str:
    """The last line of the file's own on the way to the error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f"{shown}:{lines[-1]}" if lines else shown


def _picked(found: Mapping[str, Benchmark], name: str, shown: str) -> Benchmark:
    if not found:
        message = f"{shown}: it declares no benchmark: a function with @benchmark(...) over @scorer is needed"
        raise ByobError(message)
    if name:
        chosen = [each for each in found.values() if name in {each.name, each.normalized_name}]
        if not chosen:
            message = f"{shown}: there is no benchmark {name!r}{did_you_mean(name, found)}"
            raise ByobError(message)
        return chosen[0]
    if len(found) > 1:
        message = f"{shown}: it declares {len(found)} benchmarks; --benchmark-name picks one: {', '.join(found)}"
        raise ByobError(message)
    return next(iter(found.values()))


def _check_packages(found: Benchmark, shown: str) -> None:
    for requirement in found.requirements or ():
        try:
            version(package_name(requirement))
        except (PackageNotFoundError, ValueError):
            message = f"{shown}: it requires {requirement!r}, which is not installed: pip install {requirement!r}"
            raise ByobError(message) from None
