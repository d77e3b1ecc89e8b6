"""The contests of a run are taken in as its judgments stream by, and each system's win rate becomes a metric."""

from __future__ import annotations

from tests.makers import a_contest

from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.standings import SEED, Contesting


def test_judgments_pass_as_they_are_and_only_those_of_the_named_judges_are_taken_in() -> None:
    contesting = Contesting(["arena"])
    given = [
        a_contest("1", readings="AA"),
        Judgment(Slot("accuracy", "1", ("A",)), Status.OK, 7.0),
        a_contest("2", readings="AB"),
    ]
    assert list(contesting.through(given)) == given
    (contests,) = contesting.conclude()
    assert (contests.judge, contests.contests, contests.seed) == ("arena", 2, SEED)


def test_a_win_rate_counts_every_status_of_the_systems_contests() -> None:
    contesting = Contesting(["arena"])
    pending = Judgment(Slot("arena", "pending 0", ("A", "C")), Status.PENDING)
    given = [a_contest("1", readings="AA"), a_contest("2", readings="AA"), a_contest("3", readings=""), pending]
    list(contesting.through(given))
    rates = {metric.system: metric for metric in contesting.win_rates(contesting.conclude())}
    assert {name: (metric.value, metric.n) for name, metric in rates.items()} == {
        "A": (1.0, 2),
        "B": (0.0, 2),
        "C": (None, 0),
    }
    assert rates["A"].counts == {Status.OK: 2, Status.PARSE_ERROR: 1, Status.PENDING: 1}
    assert rates["C"].reason == "no contest of this system has a verdict"
    assert all(metric.name == "win_rate" and metric.stderr is None for metric in rates.values())


def test_the_same_contests_give_the_same_figures() -> None:
    given = [a_contest(str(at), ("a", "b"), "AA" if at % 3 else "BB") for at in range(30)]
    concluded = []
    for _ in range(2):
        contesting = Contesting(["arena"])
        list(contesting.through(given))
        concluded.append(contesting.conclude())
    assert concluded[0] == concluded[1]
