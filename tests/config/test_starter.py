"""The configuration to start from holds every setting with its help and default, and can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gavelkit.catalog import shipped_file
from gavelkit.config import Surroundings, read_configuration
from gavelkit.config.environment import Environment
from gavelkit.config.schema import JUDGE, LIMITS, RUN, TOP
from gavelkit.config.setting import Setting
from gavelkit.config.starter import DATA, starter_text

NESTED = {"judges", "run"}
_LIMITS = {setting.name for setting in LIMITS}
PLACES = [("", [setting for setting in TOP if setting.name not in NESTED])]
PLACES += [("    ", [setting for setting in JUDGE if setting.name not in _LIMITS]), ("  ", list(RUN))]


def written(folder: Path, text: str) -> Path:
    (folder / DATA).write_bytes(shipped_file(f"init/{DATA}").read_bytes())
    path = folder / "judge.yaml"
    path.write_text(text)
    return path


def words(text: str) -> str:
    """The text of the comments, on one line."""
    return " ".join(line.strip().removeprefix("## ") for line in text.splitlines() if line.strip().startswith("## "))


@pytest.mark.parametrize(
    ("indent", "setting"),
    [(indent, setting) for indent, table in PLACES for setting in table],
    ids=lambda each: each.name if isinstance(each, Setting) else str(len(each)),
)
def test_every_setting_stands_in_its_place_with_its_help_and_its_default(indent: str, setting: Setting) -> None:
    text = starter_text("judge.yaml")
    found = re.search(rf"^{indent}(# )?{setting.name}:(.*)$", text, re.MULTILINE)
    assert found
    if found[1]:
        assert yaml.safe_load(found[2]) == setting.default
    assert f"{setting.help} Takes {setting.kind.expects}." in words(text)


def test_no_setting_stands_in_it_that_there_is_not() -> None:
    named = re.findall(r"^ *(?:# )?(\w+):(?: |$)", starter_text("judge.yaml"), re.MULTILINE)
    assert set(named) == {setting.name for setting in (*TOP, *JUDGE, *RUN)}


def test_it_can_be_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, starter_text("judge.yaml"))
    configuration = read_configuration(path, Surroundings(Environment({})))
    (judge,) = configuration.judges
    assert (judge.name, judge.parameters.model) == ("quality", "simulated")
    assert [probe.api_base for probe in judge.probes] == ["http://127.0.0.1:8010/v1"]
    assert len(list(configuration.source.examples())) == 3


def test_it_can_be_read_with_every_default_in_force(tmp_path: Path) -> None:
    text = re.sub(r"^( *)# (\w+:.*)$", r"\1\2", starter_text("judge.yaml"), flags=re.MULTILINE)
    text = re.sub(r"^    (?:parser): .*\n", "", text, flags=re.MULTILINE)  # the preset's own stands
    configuration = read_configuration(written(tmp_path, text), Surroundings(Environment({})))
    assert configuration.judges[0].limits.concurrency == 8


@pytest.mark.parametrize("name", ["a b.yaml", "x\ny: 1.yaml", "{x}.yaml"])
def test_a_files_name_stays_in_its_comment(tmp_path: Path, name: str) -> None:
    assert "y" not in yaml.safe_load(starter_text(name))
