"""A benchmark's file: what is loaded from it, and what is said of one that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.integrations.byob_files import a_file

from gavelkit.integrations.nemo_byob import ByobError, benchmark, clear_registry, get_registered_benchmarks, scorer
from gavelkit.integrations.nemo_byob_load import load_benchmark

HEAD = "from gavelkit.integrations.nemo_byob import benchmark, scorer\n"
ONE = "\n@benchmark('{name}', 'qa.jsonl', 'Q: {{q}}')\n@scorer\ndef score_{name}(sample):\n    return {{'x': 1}}\n"


def a_program(folder: Path, text: str) -> Path:
    file = folder / "bench.py"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_one_benchmark_of_a_file_is_loaded_again_and_again(tmp_path: Path) -> None:
    file = a_file(tmp_path, "return {'x': 1}")
    assert [load_benchmark(file).normalized_name for _ in range(2)] == ["qa", "qa"]


def test_what_was_declared_before_is_neither_in_the_way_nor_forgotten(tmp_path: Path) -> None:
    clear_registry()
    benchmark("qa", "mine.jsonl", "Q")(scorer(lambda _sample: {}))
    assert load_benchmark(a_file(tmp_path, "return {'x': 1}")).dataset == "qa.jsonl"
    assert [each.dataset for each in get_registered_benchmarks().values()] == ["mine.jsonl"]
    clear_registry()


def test_one_of_several_is_picked_by_either_name(tmp_path: Path) -> None:
    file = a_program(tmp_path, HEAD + ONE.format(name="One") + ONE.format(name="Two"))
    assert load_benchmark(file, "Two").normalized_name == load_benchmark(file, "two").normalized_name == "two"


def test_a_file_that_puts_its_own_paths_in_order_is_loaded_all_the_same(tmp_path: Path) -> None:
    head = "import sys\nsys.path = sys.path[1:]\n"
    assert load_benchmark(a_program(tmp_path, head + HEAD + ONE.format(name="one"))).normalized_name == "one"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('hello')\n", "bench.py: it declares no benchmark"),
        (HEAD + ONE.format(name="one") + ONE.format(name="two"), "--benchmark-name picks one: one, two"),
        ("import json\n\nraise KeyError('x')\n", "bench.py:3: KeyError: 'x'"),
        ("import json\n\ndef broken(:\n", "bench.py:3: "),
        ("import no_such_package\n", "bench.py:1: ModuleNotFoundError: No module named 'no_such_package'"),
        ("raise SystemExit(3)\n", "bench.py:1: SystemExit: 3"),
        (HEAD + ONE.format(name="one").replace("'Q:", "''.bad,'"), "bench.py:3: AttributeError"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_where(tmp_path: Path, text: str, said: str) -> None:
    file = a_program(tmp_path, text)
    with pytest.raises(ByobError) as error:
        load_benchmark(file)
    assert said in str(error.value)


def test_whoever_still_imports_nemo_evaluator_is_told_the_line_to_write(tmp_path: Path) -> None:
    file = a_program(tmp_path, "\nfrom nemo_evaluator.contrib.byob import benchmark\n")
    with pytest.raises(ByobError, match=r"bench.py:2: nemo_evaluator is not installed(.|\n)*from gavelkit.integration"):
        load_benchmark(file)


def test_a_name_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ByobError, match=r"no benchmark 'qaa'; did you mean qa\?"):
        load_benchmark(a_file(tmp_path, "return {'x': 1}"), "qaa")


def test_a_file_that_is_not_there_and_one_that_is_no_python_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ByobError, match=r"nope.py: there is no such file"):
        load_benchmark(tmp_path / "nope.py")
    (tmp_path / "bench.txt").write_text("x")
    with pytest.raises(ByobError, match=r"whose name ends in \.py"):
        load_benchmark(tmp_path / "bench.txt")


def test_what_stands_beside_the_file_can_be_imported_while_it_loads_and_no_longer(tmp_path: Path) -> None:
    (tmp_path / "wording_of_mine.py").write_text("PROMPT = 'Say: {question}'\n")
    text = "from wording_of_mine import PROMPT\n" + HEAD + ONE.format(name="one").replace("'Q: {q}'", "PROMPT")
    assert load_benchmark(a_program(tmp_path, text)).prompt == "Say: {question}"
    assert str(tmp_path) not in sys.path


def test_a_package_that_the_benchmark_requires_must_be_installed(tmp_path: Path) -> None:
    load_benchmark(a_file(tmp_path, "return {}", requirements=["pytest>=1"]))
    with pytest.raises(ByobError, match=r"pip install 'no-such-package>=2'"):
        load_benchmark(a_file(tmp_path, "return {}", requirements=["no-such-package>=2"]))
