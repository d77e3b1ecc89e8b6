"""Judges in two steps from their settings: which preset stands below them, and which settings belong to which."""

from __future__ import annotations

from typing import Any

import pytest
from tests.config.assembled import assembled, refusal
from tests.judges.steps import Steps, a_row, judged, of_systems

import gavelkit
from gavelkit.catalog import names, template_text
from gavelkit.config.stepwise import base_preset, stepwise
from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.errors import ConfigError, TemplateError
from gavelkit.core.status import Status
from gavelkit.judges import AnyJudge, Direct, Pairwise, TwoStep
from gavelkit.judges.pairwise import Answers

FENCED = "{{ response }}"


def two_step(**settings: Any) -> TwoStep:
    judge = assembled(**settings)
    assert isinstance(judge, TwoStep)
    return judge


def pairwise(**settings: Any) -> Pairwise:
    judge = assembled(mode="pairwise", **settings)
    assert isinstance(judge, Pairwise)
    return judge


def of(engine: Steps, **settings: Any) -> Any:
    """A judge of two steps that asks this engine."""
    return gavelkit.judge(function=engine, retry_attempts=0, **settings)


def refused(**settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        assembled(**settings)
    return str(caught.value)


def prompts(judge: AnyJudge) -> Any:
    return judge.asks.material["prompts"]


# which judge it is


@pytest.mark.parametrize(
    ("settings", "way"),
    [
        ({"criterion": "toxicity"}, TwoStep),
        ({"criterion": "Is it so?"}, TwoStep),
        ({"criteria_field": "criterion"}, TwoStep),
        ({"preset": "criteria", "criterion": "toxicity"}, TwoStep),
        ({"criterion": "Is it so?", "prompt_template": FENCED}, TwoStep),
        ({"mode": "pairwise", "criterion": "funny_joke"}, Pairwise),
        ({"preset": "pairwise", "criterion": "Which is shorter?"}, Pairwise),
        ({"preset": "geval"}, TwoStep),
        ({"preset": "mt_bench_pair"}, Pairwise),
        ({"preset": "score_0_10"}, Direct),
        ({"prompt_template": FENCED, "mode": "pointwise"}, Direct),
    ],
)
def test_a_criterion_or_the_mode_makes_the_judge(settings: dict[str, Any], way: type) -> None:
    assert type(assembled(**settings)) is way


def test_below_a_criterion_stands_the_preset_of_its_mode_unless_the_judge_brings_its_prompts() -> None:
    assert base_preset({"criterion": "x"}) == "criteria"
    assert base_preset({"criterion": "x", "mode": "pairwise"}) == "pairwise"
    assert base_preset({"mode": "pairwise"}) == "pairwise"
    assert base_preset({"criterion": "x", "prompt_template": "x"}) == ""
    assert base_preset({"preset": "mine", "criterion": "x"}) == "mine"
    assert not stepwise({"prompt_template": "x"})


@pytest.mark.parametrize("name", names("criteria"))
def test_every_shipped_criterion_makes_a_judge(name: str) -> None:
    judge = two_step(criterion=name)
    assert isinstance(judge.criterion.scale, Options)
    assert judge.name == name


@pytest.mark.parametrize("name", names("pairwise_criteria"))
def test_every_shipped_pairwise_criterion_makes_a_judge(name: str) -> None:
    assert pairwise(criterion=name).criterion.name == name


def test_without_further_settings_it_is_as_documented() -> None:
    judge = two_step(criterion="Is it so?")
    assert (judge.both_orders, judge.on_inconsistent, judge.turns.choice.by) == (True, "first", "text")
    assert judge.criterion.scale == Options({"Yes": 1.0, "No": 0.0})
    assert prompts(judge).keys() == {"assessment", "option_selection"}
    contest = pairwise(criterion="Which?")
    assert (contest.both_orders, contest.on_inconsistent, contest.baseline) == (True, "tie", "")
    assert contest.answers == Answers("Response A", "Response B", "Tie")


# what the settings do


def test_a_plain_question_may_have_options_of_ones_own() -> None:
    judge = two_step(criterion="How good?", options={"Good": 1, "Very Good": 2})
    assert judge.criterion.scale == Options({"Good": 1.0, "Very Good": 2.0})


def test_which_end_is_the_better_one_can_be_said() -> None:
    assert two_step(criterion="Is it rude?", higher_is_better=False).criterion.higher_is_better is False
    assert two_step(criterion="toxicity").criterion.higher_is_better is False


def test_the_criterion_of_each_row_has_the_judges_scale() -> None:
    judge = two_step(criteria_field="criterion", scale=[0, 1], name="mine")
    assert judge.criterion == Criterion("mine", Range(0.0, 1.0))
    assert judge.of_row is not None
    assert judge.of_row.field == "criterion"


def test_a_criterion_of_ones_own_stands_in_for_that_of_the_preset() -> None:
    levels = two_step(preset="geval").criterion.scale
    assert isinstance(levels, Options)
    assert levels.scores == {"5": 5, "4": 4, "3": 3, "2": 2, "1": 1}
    assert two_step(preset="geval", criterion="Is it so?").criterion.scale == Options({"Yes": 1.0, "No": 0.0})
    assert two_step(preset="geval", criteria_field="criterion").of_row is not None


def test_every_setting_reaches_the_judge() -> None:
    judge = two_step(
        criterion="Is it so?",
        check_positional_bias=False,
        on_inconsistent="mean",
        choose_by="json_schema",
        generate_summaries=True,
        context_fields=["question"],
        threshold=1,
    )
    assert (judge.both_orders, judge.on_inconsistent, judge.turns.choice.by) == (False, "mean", "json_schema")
    assert prompts(judge).keys() == {"assessment", "option_selection", "summarization"}
    assert judge.asks.material["context_fields"] == [["question", "question"]]
    assert judge.threshold == 1.0
    contest = pairwise(
        criterion="Which?", baseline="a", answers=["1", "2"], on_inconsistent="drop", choose_by="logprobs"
    )
    assert (contest.baseline, contest.on_inconsistent, contest.turns.choice.by) == ("a", "drop", "logprobs")
    assert contest.answers == Answers("1", "2", "")


def test_context_fields_that_are_an_empty_list_show_nothing() -> None:
    shown, hidden = two_step(criterion="answer_relevance"), two_step(criterion="answer_relevance", context_fields=[])
    assert shown.asks.material["context_fields"]
    assert hidden.asks.material["context_fields"] == []


def test_templates_of_ones_own_stand_in_for_the_shipped_ones() -> None:
    judge = two_step(criterion="Is it so?", preset="criteria", selection_template="Now? {{ options[0].label }}")
    assert prompts(judge)["option_selection"] == {"prompt_template": "Now? {{ options[0].label }}"}
    assert prompts(judge)["assessment"]["prompt_template"] == template_text("criteria_assess").rstrip("\n")


def test_one_prompt_of_ones_own_is_the_choice_alone() -> None:
    engine = Steps("Yes")
    judge = of(engine, criterion="Is it so?", prompt_template="{{ criterion.description }} {{ response }}")
    assert judged(judge, a_row()).score == 1.0
    assert engine.asked == ["option_selection", "positional_bias_option_selection"]


def test_two_prompts_of_ones_own_are_summarised_by_the_shipped_template() -> None:
    judge = two_step(criterion="Is it so?", prompt_template=FENCED, selection_template="Now?", generate_summaries=True)
    assert prompts(judge)["summarization"]["prompt_template"] == template_text("summarise").rstrip("\n")


def test_a_system_prompt_opens_the_conversation() -> None:
    judge = two_step(criterion="Is it so?", system_prompt="You judge.")
    first, *_rest = judge.first_prompt(a_row())
    assert (first.role, first.content) == ("system", "You judge.")


@pytest.mark.parametrize(("reply", "score"), [("A", 1.0), ("response b", 0.0), ("tie", 0.5)])
def test_a_winner_may_be_named_by_its_letter(reply: str, score: float) -> None:
    judge = of(Steps(reply), mode="pairwise", criterion="Which?", check_positional_bias=False)
    assert judged(judge, of_systems()).score == score


def test_a_contest_may_end_with_a_grade_line() -> None:
    judge = of(
        Steps("So.\nGRADE: Response B"),
        mode="pairwise",
        parser="grade",
        criterion="Which?",
        check_positional_bias=False,
    )
    assert (judged(judge, of_systems()).score, judge.reader) == (0.0, "grade")


@pytest.mark.parametrize("mode", ["pointwise", "pairwise"])
def test_the_shipped_prompts_are_rendered_and_read_in_every_way_of_choosing(mode: str) -> None:
    for by, reply in [("text", "{}"), ("json_schema", '{{"choice": "{}"}}'), ("logprobs", "{}")]:
        word = ("Response A" if mode == "pairwise" else "Yes") if by != "logprobs" else "A"
        engine = Steps(reply.format(word))
        judge = of(engine, mode=mode, criterion="Is it so?", choose_by=by, generate_summaries=True)
        example = of_systems({"a": "x", "b": "y"}) if mode == "pairwise" else a_row()
        judgment = judged(judge, example)
        assert (judgment.status, judgment.score) == (Status.OK, 0.5 if mode == "pairwise" else 1.0)
        asked = engine.request("option_selection").messages
        assert ("JSON object" in asked[-1].content) is (by == "json_schema")
        assert ("single character" in asked[-1].content) is (by == "logprobs")


# what is refused


ONE: dict[str, Any] = {"prompt_template": FENCED}
TWO: dict[str, Any] = {"criterion": "Is it so?"}
CONTEST: dict[str, Any] = {"mode": "pairwise", "criterion": "Which?"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"preset": "criteria"},
            "criterion is missing: a shipped one (`gavel list criteria`), a question, or a mapping",
        ),
        (
            {"preset": "criteria", "criterion": "toxicty"},
            "criterion: there is no shipped criterion 'toxicty'; did you mean",
        ),
        ({"criterion": "funny_joke"}, "is for contests"),
        ({**TWO, "preset": "score_0_10"}, "the preset 'score_0_10' judges in one step and takes no criterion"),
        ({**CONTEST, "preset": "criteria"}, "the preset 'criteria' is not for mode: pairwise"),
        ({**TWO, "preset": "pairwise", "mode": "pointwise"}, "the preset 'pairwise' is not for mode: pointwise"),
        ({**TWO, "scale": [0, 1]}, "the scale of a criterion is its options"),
        ({"criterion": "toxicity", "options": {"a": 1}}, "a shipped criterion has options of its own"),
        ({**TWO, "options": {"Good": 1, "good.": 0}}, "two options read the same: 'Good' and 'good.'"),
        (
            {**TWO, "choose_by": "logprobs", "options": {f"option {n}": n for n in range(27)}},
            "choose_by: logprobs takes at most 26 options",
        ),
        (
            {**TWO, "on_inconsistent": "tie"},
            "on_inconsistent of a pointwise judge is one of first, mean, abstain, not 'tie'",
        ),
        (
            {**CONTEST, "on_inconsistent": "mean"},
            "on_inconsistent of a pairwise judge is one of tie, first, drop, not 'mean'",
        ),
        ({**TWO, "baseline": "a"}, "baseline belongs to judges between systems (mode: pairwise)"),
        ({**TWO, "answers": ["a", "b"]}, "answers belongs to judges between systems"),
        ({**TWO, "parser": "grade"}, "parser belongs to judges between systems"),
        ({**CONTEST, "parser": "rating"}, "between systems the reader is the option's own, or parser: grade"),
        ({**CONTEST, "options": {"a": 1}}, "options has no meaning between systems: a contest is won, lost or a tie"),
        ({**CONTEST, "scale": [0, 1]}, "scale has no meaning between systems"),
        ({"mode": "pairwise", "criteria_field": "c"}, "criteria_field has no meaning between systems"),
        ({"mode": "pairwise"}, "criterion is missing: what makes one response the better one"),
        ({**TWO, "grade_pattern": "(.)"}, "grade_pattern belongs to judges of one step"),
        ({**TWO, "clamp": True}, "clamp belongs to judges of one step"),
        ({**TWO, "response_format": {"a": 1}}, "response_format belongs to judges of one step"),
        ({**ONE, "choose_by": "logprobs"}, "choose_by belongs to judges with a criterion, or between systems"),
        ({**ONE, "baseline": "a"}, "baseline belongs to judges with a criterion, or between systems"),
        (
            {**ONE, **TWO, "generate_summaries": True},
            "without a selection_template there is no assessment to summarise",
        ),
        ({"criteria_field": "a.."}, "criteria_field: 'a..' is not a path"),
        ({**TWO, "context_fields": "a.."}, "context_fields: 'a..' is not a path"),
        ({**TWO, "context_fields": {"": "a"}}, "context_fields must be a field's name"),
        ({"criterion": "Is it so?", "criteria_field": "c"}, "criterion and criteria_field"),
    ],
)
def test_settings_that_belong_to_other_judges_or_contradict_each_other_are_refused(
    settings: dict[str, Any], words: str
) -> None:
    message = refused(**settings)
    assert message.startswith("conf.yaml: judges[1]")
    assert words in message


def test_a_setting_at_its_default_belongs_to_every_judge() -> None:
    defaults: dict[str, Any] = {
        "mode": "pointwise",
        "check_positional_bias": True,
        "choose_by": "text",
        "generate_summaries": False,
    }
    assert isinstance(assembled(**ONE, **defaults), Direct)
    assert isinstance(assembled(**TWO, parser="score", clamp=False, score_field="score"), TwoStep)


def test_a_template_that_is_none_is_refused_with_its_name_and_line() -> None:
    with pytest.raises(TemplateError, match=r"judges\[1\]: selection_template line 1"):
        assembled(**TWO, selection_template="{% if %}")


def test_a_judge_that_asks_nothing_is_refused() -> None:
    assert "a judge needs a preset, a criterion or a prompt_template" in refusal(prompt_template=None)
