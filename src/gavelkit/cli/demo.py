"""`gavel demo`: the whole flow offline, interrupted half-way and resumed."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from gavelkit.catalog import demo_file
from gavelkit.cli.ending import say
from gavelkit.cli.judging import judge_configuration, show
from gavelkit.cli.progress import Progress
from gavelkit.config import Flags, Surroundings, read_configuration
from gavelkit.core.errors import Interrupted, StorageError
from gavelkit.core.event import Committed, Event
from gavelkit.core.report import Report
from gavelkit.run import Stop
from gavelkit.simulator import running_simulator
from gavelkit.storage import open_reader

_FILES = ("answers.jsonl", "recorded.jsonl", "config.yaml", "README.md")
_HALF = 300
_OWN_REASON = "the demo stopped itself"
_RUN = "run"  # as config.yaml says


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument(
        "-o", "--output", default="gavel-demo", metavar="DIR", help="the demo's folder (default: gavel-demo)"
    )


def run(options: argparse.Namespace) -> int:
    """Judge, be interrupted, go on, and show what came of it."""
    folder = Path(options.output)
    _lay_out(folder)
    say("100 questions, each answered by two systems that do not exist, harbor and lantern; all of it invented.")
    say("What is simulated: the judges 'quality' and 'correct' are answered by a program that counts shared words.")
    say("It is no LLM. The judge 'recorded' reads replies from a file, written for this demo.\n")
    with running_simulator() as simulator:
        report = _interrupted_and_resumed(folder, simulator.url)
    show(report, as_json=False)
    _compare_with_gold(folder)
    _show_paths(folder)
    return 0


def _lay_out(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / _RUN, ignore_errors=True)
        for name in _FILES:
            shutil.copyfile(demo_file(name), folder / name)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror or error}"
        raise StorageError(message) from error


def _interrupted_and_resumed(folder: Path, url: str) -> Report:
    stop = _StopHalfWay()
    first = _Watching(stop)
    say("first start, which stops itself half-way:")
    try:
        return _judge(folder, url, first, stop)
    except Interrupted as error:
        if stop.reason != _OWN_REASON:
            raise
        done = error.report.planned - error.report.pending
        say(f"interrupted with {done} of {error.report.planned} judgments on disk. The same command again:")
    second = Progress()
    return _judge(folder, url, second, Stop())


def _judge(folder: Path, url: str, progress: Progress, stop: Stop) -> Report:
    surroundings = Surroundings(observe=progress.observe)
    flags = Flags({}, {"api_base": url})
    configuration = read_configuration(folder / "config.yaml", surroundings, flags=flags)
    return judge_configuration(configuration, progress, folder=folder / _RUN, settings=configuration.run, stop=stop)


class _StopHalfWay(Stop):
    """Asked for by the demo itself, as Ctrl-C would."""

    def count(self, done: int) -> None:
        if done >= _HALF:
            self.ask(_OWN_REASON)


class _Watching(Progress):
    """Progress that tells how much is on disk."""

    def __init__(self, stop: _StopHalfWay) -> None:
        super().__init__()
        self._stop = stop
        self._committed = 0

    def observe(self, event: Event) -> None:
        super().observe(event)
        if isinstance(event, Committed):
            self._committed += len(event.judgments)
            self._stop.count(self._committed)


def _compare_with_gold(folder: Path) -> None:
    """How often passing agrees with the labels that the invented answers carry."""
    gold = _gold(folder)
    judged: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    reader = open_reader(folder / _RUN)
    for judgment in reader.outcomes():
        if judgment.passed is not None:
            slot = judgment.slot
            judged[slot.judge] += 1
            agreed[slot.judge] += judgment.passed == gold[slot.example_id, slot.systems[0]]
    reader.close()
    sys.stdout.write("\nagreement with the gold labels (passed where the label is correct):\n")
    for name, count in judged.items():
        sys.stdout.write(f"  {name:<9} {agreed[name]} of {count} judged, {agreed[name] / count:.1%}\n")


def _gold(folder: Path) -> Mapping[tuple[str, str], bool]:
    labels = {}
    for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for system, label in row["gold"].items():
            labels[row["id"], system] = label == "correct"
    return labels


def _show_paths(folder: Path) -> None:
    sys.stdout.write(
        f"\n{folder}/config.yaml   the configuration\n"
        f"{folder}/run/run.db    every judgment, with the reply it was read from\n\n"
        f"see them:   gavel export {folder}/run -o judgments.jsonl\n"
        f"run it:     gavel simulate --port 8010    and, beside it,    gavel run {folder}/config.yaml\n"
    )
