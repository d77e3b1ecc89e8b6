"""What a run's folder may cost in its whole life, and that a cap is never passed and always says how to go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.makers import (
    PREFLIGHT,
    TEMPLATE,
    Counting,
    a_judge,
    chat_answer,
    chat_body,
    direct,
    endpoint,
    prompt_of,
    scoring,
    some_rows,
)

import gavelkit
from gavelkit.core.errors import ConfigError, EndpointError, Interrupted
from gavelkit.core.report import Report
from gavelkit.judges import Direct
from gavelkit.simulator.server import HttpAnswer, HttpRequest
from gavelkit.storage import open_reader

ONE_CALL = 7 * 0.1 + 3 * 0.2
"""What `scoring` costs in USD by the prices below: 7 tokens in at 0.1 USD each, 3 out at 0.2."""


class Asked:
    """An endpoint that keeps what it was asked: the pre-flight in `tried`, all else in `bodies`."""

    def __init__(self, answer: Callable[[HttpRequest], HttpAnswer] = scoring) -> None:
        self._answer = answer
        self.tried = 0
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        if prompt_of(request) == PREFLIGHT:
            self.tried += 1
            return scoring(request)
        self.bodies.append(json.loads(request.body))
        return self._answer(request)

    @property
    def requests(self) -> int:
        return self.tried + len(self.bodies)


def asking(base: str, **settings: Any) -> Direct:
    given: dict[str, Any] = {"model": "m", "scale": (0, 10), "retry_attempts": 0, "concurrency": 2}
    return direct(prompt_template=TEMPLATE, name="accuracy", api_base=base, **{**given, **settings})


def capped(judge: Direct, folder: Path, **options: Any) -> Interrupted:
    """How a run ended that a cap stopped."""
    with pytest.raises(Interrupted) as caught:
        gavelkit.evaluate(some_rows(10), judge, output=folder, **options)
    return caught.value


def judged(report: Report) -> int:
    return sum(n for status, n in report.judges[0].counts.items() if status != "pending")


def spent(folder: Path) -> Any:
    reader = open_reader(folder)
    try:
        return reader.meta["spent"]
    finally:
        reader.close()


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """A file of prices, in USD per million tokens."""
    path = tmp_path / "prices.yaml"
    path.write_text("prices:\n  - {models: [m], input: 100000, output: 200000}\n")
    return path


def test_the_cap_of_requests_counts_the_pre_flight_ends_with_three_and_is_never_passed(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base:
        ended = capped(asking(base), tmp_path / "out", max_requests=5)
    assert ended.exit_code == 3
    assert str(ended).startswith("the cap of 5 requests is reached: 5 were made")
    assert (asked.tried, len(asked.bodies)) == (1, 4)
    assert judged(ended.report) == 4
    assert ended.report.pending == 6
    assert spent(tmp_path / "out") == {"cost": 0.0, "requests": 5, "unknown": 0}


def test_the_same_call_with_a_higher_cap_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base:
        capped(asking(base), tmp_path / "out", max_requests=5)
        report = gavelkit.evaluate(some_rows(10), asking(base), output=tmp_path / "out", max_requests=12)
    assert report.finished
    assert (asked.tried, len(asked.bodies)) == (2, 10)
    assert spent(tmp_path / "out")["requests"] == 12


def test_what_an_earlier_start_spent_counts_and_at_the_cap_not_even_the_pre_flight_is_made(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base:
        capped(asking(base), tmp_path / "out", max_requests=5)
        again = capped(asking(base), tmp_path / "out", max_requests=5)
        assert str(again).startswith("the cap of 5 requests is reached: 5 were made")
        assert asked.requests == 5
        capped(asking(base), tmp_path / "out", max_requests=8)
        assert asked.requests == 8


def test_a_run_that_spent_its_cap_on_the_pre_flight_judges_nothing(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base:
        ended = capped(asking(base), tmp_path / "out", max_requests=1)
    assert (asked.requests, judged(ended.report)) == (1, 0)


def test_a_finished_run_is_no_matter_of_caps(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base:
        gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path / "out")
        assert gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path / "out", max_requests=1).finished
    assert asked.requests == 4


def test_retries_count_too(tmp_path: Path) -> None:
    def failing(request: HttpRequest) -> HttpAnswer:
        return chat_answer({"error": {"message": "down"}}, status=500)

    with endpoint(asked := Asked(failing)) as base:
        judge = asking(base, retry_attempts=2, retry_min_wait=0, retry_max_wait=0, concurrency=1, max_error_rate=1)
        assert capped(judge, tmp_path / "out", max_requests=4).exit_code == 3
    assert spent(tmp_path / "out")["requests"] == asked.requests == 4


def test_the_cap_in_usd_is_never_passed_and_what_may_be_spent_is_spent(tmp_path: Path, prices: Path) -> None:
    with endpoint(asked := Asked()) as base:
        judge = asking(base, max_tokens=4)
        worst = 0.1 * -(-len("Rate this.\nQ: What is 1?\nA: It is 1.") // 4) + 0.2 * 4
        ended = capped(judge, tmp_path / "out", max_cost=5.0, prices=prices)
        spends = spent(tmp_path / "out")["cost"]
        assert spends == pytest.approx(len(asked.bodies) * ONE_CALL)
        assert 5.0 - worst < spends <= 5.0
        assert ended.exit_code == 3
        assert "the cost cap of 5.00 USD is reached: " in str(ended)
        report = gavelkit.evaluate(some_rows(10), judge, output=tmp_path / "out", max_cost=50.0, prices=prices)
    assert report.finished
    assert len(asked.bodies) == 10
    assert spent(tmp_path / "out")["cost"] == pytest.approx(10 * ONE_CALL)


def test_a_cap_in_usd_needs_a_price_and_names_the_file_to_list_it_in(tmp_path: Path) -> None:
    with endpoint(asked := Asked()) as base, pytest.raises(ConfigError) as caught:
        gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path / "out", max_cost=5)
    message = "max_cost: the price of judge 'accuracy''s model is not known, so its cost cannot be capped; list it in"
    assert str(caught.value).startswith(message)
    assert "prices: FILE" in str(caught.value)
    assert caught.value.exit_code == 2
    assert asked.requests == 0
    assert not (tmp_path / "out").exists()


def test_without_a_cap_in_usd_no_price_is_needed(tmp_path: Path) -> None:
    with endpoint(Asked()) as base:
        assert gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path / "out", max_requests=50).finished


def test_the_prices_in_force_are_kept_with_what_was_spent(tmp_path: Path, prices: Path) -> None:
    with endpoint(Asked()) as base:
        judge = asking(base, max_tokens=4)
        gavelkit.evaluate(some_rows(3), judge, output=tmp_path / "out", max_cost=90, prices=prices)
    reader = open_reader(tmp_path / "out")
    kept = reader.meta["prices"]["accuracy"]
    reader.close()
    assert (kept["input"], kept["output"], kept["source"]) == (100000.0, 200000.0, str(prices))


def test_a_reply_whose_tokens_nobody_counted_is_billed_with_all_that_was_set_aside(
    tmp_path: Path, prices: Path
) -> None:
    def uncounted(_request: HttpRequest) -> HttpAnswer:
        return chat_answer({**chat_body("Score: 7"), "usage": None})

    with endpoint(Asked(uncounted)) as base:
        judge = asking(base, max_tokens=4)
        gavelkit.evaluate(some_rows(3), judge, output=tmp_path / "out", max_cost=90, prices=prices)
    assert spent(tmp_path / "out")["unknown"] == 3
    assert spent(tmp_path / "out")["cost"] > 3 * 0.2 * 4


def test_a_function_costs_nothing_and_is_capped_by_nobody(tmp_path: Path) -> None:
    counting = Counting()
    gavelkit.evaluate(some_rows(5), a_judge(counting), output=tmp_path / "out", max_requests=1, max_cost=0.01)
    assert len(counting.prompts) == 5


def test_an_endpoint_that_ends_the_run_leaves_what_was_spent_in_the_record(tmp_path: Path) -> None:
    refused = Asked(lambda _request: chat_answer({"error": {"message": "who?"}}, status=401))
    with endpoint(refused) as base, pytest.raises(EndpointError):
        gavelkit.evaluate(some_rows(5), asking(base, concurrency=1), output=tmp_path / "out")
    assert spent(tmp_path / "out")["requests"] == refused.requests == 2


def cut_below(tokens: int) -> Callable[[HttpRequest], HttpAnswer]:
    """An endpoint whose replies are cut where their limit is below so many tokens."""

    def answer(request: HttpRequest) -> HttpAnswer:
        body = chat_body("Score: 7\n")
        if json.loads(request.body)["max_tokens"] < tokens:
            body["choices"][0].update(finish_reason="length", message={"role": "assistant", "content": "Let me"})
        return chat_answer(body)

    return answer


def test_a_cut_reply_is_asked_for_once_more_with_twice_the_tokens_and_both_are_counted(tmp_path: Path) -> None:
    with endpoint(asked := Asked(cut_below(20))) as base:
        report = gavelkit.evaluate(some_rows(1), asking(base, max_tokens=16), output=tmp_path / "out")
    assert [body["max_tokens"] for body in asked.bodies] == [16, 32]
    assert report.metric("accuracy").value == 7
    (judge,) = report.judges
    assert (judge.calls, judge.prompt_tokens, judge.completion_tokens) == (1, 14, 6)
    assert spent(tmp_path / "out")["requests"] == 3
    reader = open_reader(tmp_path / "out")
    assert reader.totals()["accuracy"].requests == 2
    (entry,) = reader.entries()
    reader.close()
    assert entry.judgment.steps[0].completion.effective == {"max_tokens": 32}


def test_a_reply_that_is_cut_twice_is_truncated_and_not_asked_for_a_third_time(tmp_path: Path) -> None:
    with endpoint(asked := Asked(cut_below(100))) as base:
        judge = asking(base, max_tokens=16, max_error_rate=1)
        report = gavelkit.evaluate(some_rows(1), judge, output=tmp_path / "out")
        assert report.judges[0].failures == {"truncated": 1}
        assert gavelkit.evaluate(some_rows(1), judge, output=tmp_path / "out").finished
    assert [body["max_tokens"] for body in asked.bodies] == [16, 32]


def test_a_call_that_was_begun_below_the_cap_may_pass_it_by_its_second_try_which_counts(tmp_path: Path) -> None:
    with endpoint(asked := Asked(cut_below(20))) as base:
        ended = capped(asking(base, max_tokens=16, concurrency=1), tmp_path / "out", max_requests=2)
    assert "3 were made" in str(ended)
    assert spent(tmp_path / "out")["requests"] == asked.requests == 3
