"""From the record to the report, finished or not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.makers import Counting, a_judge, an_arena, asked_about, better, rows_of_systems, some_rows

import gavelkit
from gavelkit.core.completion import Completion, Usage
from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.errors import CallError, EndpointError, StorageError
from gavelkit.core.failure import FailureKind
from gavelkit.core.status import Status
from gavelkit.judges.pairwise import CONTEST
from gavelkit.run import Stop
from gavelkit.run.conclude import SEED, conclude, describe_scale
from gavelkit.stats.bootstrap import bca


def test_the_report_of_a_finished_run_is_the_one_it_ended_with(tmp_path: Path) -> None:
    ended = gavelkit.evaluate(some_rows(5), a_judge(Counting(), preset="score_0_10"), output=tmp_path)
    assert conclude(tmp_path) == ended
    (judge,) = ended.judges
    assert (judge.name, judge.model, judge.preset, judge.scale) == (
        "accuracy",
        "Counting (accuracy)",
        "score_0_10",
        "0 to 10",
    )


def test_an_unfinished_run_says_how_much_is_pending(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        if asked_about(prompt) > 3:
            message = "gone"
            raise CallError(FailureKind.MODEL_NOT_FOUND, message, fatal=True)
        return "Score: 5"

    with pytest.raises(EndpointError):
        gavelkit.evaluate(some_rows(50), a_judge(Counting(reply), concurrency=1), output=tmp_path)
    report = conclude(tmp_path)
    assert (report.planned, report.pending, report.finished) == (50, 46, False)
    (judge,) = report.judges
    assert judge.counts[Status.PENDING] == 46
    assert judge.failures == {"call_error (model_not_found)": 1}
    assert judge.error_rate == 0.25


def test_failures_are_counted_by_status_and_kind(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        number = asked_about(prompt)
        if number == 1:
            message = "slow"
            raise CallError(FailureKind.TIMEOUT, message)
        return {2: "no idea", 3: "", 4: "Score: 3\nScore: 4", 5: "Score: 11"}.get(number, "Score: 5")

    report = gavelkit.evaluate(some_rows(10), a_judge(Counting(reply), max_error_rate=1.0), output=tmp_path)
    assert report.judges[0].failures == {
        "call_error (timeout)": 1,
        "parse_error": 1,
        "parse_error (empty)": 1,
        "parse_error (ambiguous)": 1,
        "out_of_range": 1,
    }


def test_tokens_are_summed_and_a_call_that_counted_none_makes_the_sum_a_lower_bound(tmp_path: Path) -> None:
    replies = [Completion("Score: 5", usage=Usage(10, 2, 4)), Completion("Score: 5", usage=Usage(20, 3))]
    judge = a_judge(gavelkit.ScriptedEngine(replies), concurrency=1, model="m")
    (summary,) = gavelkit.evaluate(some_rows(2), judge, output=tmp_path).judges
    assert (summary.calls, summary.prompt_tokens, summary.completion_tokens, summary.cached_tokens) == (2, 30, 5, 4)
    assert summary.tokens_complete
    more = a_judge(gavelkit.ScriptedEngine(["Score: 5"]), concurrency=1, model="m")
    (summary,) = gavelkit.evaluate(some_rows(3), more, output=tmp_path).judges
    assert (summary.calls, summary.prompt_tokens, summary.tokens_complete) == (3, 30, False)


def test_a_run_that_is_stopped_before_it_began_is_all_pending(tmp_path: Path) -> None:
    stop = Stop()
    engine = gavelkit.ScriptedEngine([])

    def observe(_event: object) -> None:
        stop.ask("at once")

    run = gavelkit.evaluate_async(some_rows(5), a_judge(engine), output=tmp_path, stop=stop, observe=observe)
    with pytest.raises(gavelkit.Interrupted):
        asyncio.run(run)
    assert engine.requests == []
    assert conclude(tmp_path).pending == 5


def test_a_pairwise_judge_ends_in_standings_and_in_a_win_rate_for_each_system(tmp_path: Path) -> None:
    rows = rows_of_systems(4, ("good", "bad", "fine"))
    ended = gavelkit.evaluate(rows, [an_arena(better), a_judge(lambda _: "Score: 5")], output=tmp_path)
    assert conclude(tmp_path) == ended
    (contests,) = ended.contests
    assert [(each.system, each.rank, each.win_rate.value) for each in contests.standings] == [
        ("good", 1, 1.0),
        ("fine", 2, 0.5),
        ("bad", 3, 0.0),
    ]
    assert (contests.position_bias.value, contests.first_position.value) == (0.0, 0.5)
    assert ended.metric("arena", "win_rate", system="fine").value == 0.5
    assert ended.metric("arena", system="bad vs good").value == 0.0
    assert "arena[good]: win rate 1.00 [0.51, 1.00], 8 of 8 judged" in str(ended)


def test_a_judge_that_always_names_the_first_is_shown_to_be_biased(tmp_path: Path) -> None:
    report = gavelkit.evaluate(rows_of_systems(4), an_arena(lambda _: "Response A"), output=tmp_path)
    (contests,) = report.contests
    assert [each.win_rate.value for each in contests.standings] == [0.5, 0.5]
    assert (contests.consistency.value, contests.first_position.value) == (0.0, 1.0)
    bias = report.judges[0].position_bias
    assert bias is not None
    assert (bias.value, bias.n) == (1.0, 4)
    assert bias == contests.position_bias


def test_an_unfinished_run_has_standings_of_what_was_judged(tmp_path: Path) -> None:
    def reply(prompt: str) -> str:
        if "third" in prompt:
            message = "gone"
            raise CallError(FailureKind.MODEL_NOT_FOUND, message, fatal=True)
        return better(prompt)

    rows = [*rows_of_systems(2), {"id": "x", "outputs": [{"id": n, "output": f"third {n}"} for n in ("good", "bad")]}]
    with pytest.raises(EndpointError):
        gavelkit.evaluate(rows, an_arena(reply, concurrency=1), output=tmp_path)
    report = conclude(tmp_path)
    assert report.contests[0].standing("good").win_rate.n == 2 - report.pending


def test_gates_read_win_rates(tmp_path: Path) -> None:
    demands = {
        "arena[good].win_rate": "> 0.9",
        "arena.win_rate": ">= 0",
        "arena[bad vs good].mean_failures_best": "== 0",
    }
    report = gavelkit.evaluate(rows_of_systems(4), an_arena(better), output=tmp_path, gates=demands)
    assert [gate.value for gate in report.gates] == [1.0, 0.0, 0.0]


def test_a_judge_asked_in_one_order_has_no_position_bias(tmp_path: Path) -> None:
    report = gavelkit.evaluate(some_rows(2), a_judge(Counting()), output=tmp_path)
    assert (report.judges[0].position_bias, report.contests) == (None, ())


def test_numpy_is_loaded_where_there_are_contests_and_nowhere_else(tmp_path: Path) -> None:
    gavelkit.evaluate(some_rows(2), a_judge(Counting()), output=tmp_path / "means")
    gavelkit.evaluate(rows_of_systems(2), an_arena(better), output=tmp_path / "contests")
    program = "import sys; from pathlib import Path; from gavelkit.run.conclude import conclude; "
    for name, loaded in (("means", "False"), ("contests", "True")):
        script = f"{program}conclude(Path({str(tmp_path / name)!r})); print('numpy' in sys.modules)"
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603 - our own program
        assert ended.stdout.strip() == loaded


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (None, ""),
        (Range(0, 1.5), "0 to 1.5"),
        (Options({"C": 1, "I": 0}), "C 1, I 0"),
        (CONTEST, "the first system's share: win 1, tie 0.5, loss 0"),
    ],
)
def test_a_scale_in_words(scale: Range | Options | None, words: str) -> None:
    assert describe_scale(Criterion("x", scale)) == words


def test_a_folder_without_a_run_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no run here"):
        conclude(tmp_path)


def test_the_bootstrap_makes_the_intervals_where_it_is_asked_for(tmp_path: Path) -> None:
    judge = a_judge(Counting(), scale=(0, 10))
    usual = gavelkit.evaluate(some_rows(40), judge, output=tmp_path / "t").metric("accuracy")
    asked = gavelkit.evaluate(some_rows(40), judge, output=tmp_path / "b", interval="bca").metric("accuracy")
    numbers = [float(number % 11) for number in range(1, 41)]
    assert usual.interval is not None
    assert usual.interval.method == "student t"
    assert (asked.value, asked.stderr, asked.n) == (usual.value, usual.stderr, 40)
    assert asked.interval == bca(numbers, seed=SEED).interval
