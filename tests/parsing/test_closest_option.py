"""What the reader `option` takes for a choice."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing import OptionParser

GRADES = OptionParser(("Excellent", "Very Good", "Good", "Could be Improved", "Bad"))
CONTEST = OptionParser(("Response A", "Response B", "Tie"), {"A": "Response A", "B": "Response B"})
YES_NO = OptionParser(("Yes", "No"))
RELEVANT = OptionParser(("Relevant", "Not relevant"))
SAFE = OptionParser(("Safe", "Harmful"))
ONE_TO_FIVE = OptionParser(("1", "2", "3", "4", "5"))

READ = [
    (GRADES, "Good", "Good"),
    (GRADES, "  GOOD \n", "Good"),
    (GRADES, '**"Very Good".**', "Very Good"),
    (GRADES, "- `Bad`", "Bad"),
    (GRADES, "## Bad", "Bad"),
    (GRADES, "\u201ccould be  improved\u201d", "Could be Improved"),
    (GRADES, "```\nBad\n```", "Bad"),
    (GRADES, "<think>Good?</think>Bad", "Bad"),
    (GRADES, "It is very good at first.\n\nOn the whole: Bad.", "Bad"),
    (GRADES, "I choose **Very Good** here.", "Very Good"),
    (GRADES, "I choose Very **Good** here.", "Very Good"),
    (GRADES, "Good, and I mean good.", "Good"),
    (GRADES, "Nothing else to say.\nBad\n---\n", "Bad"),
    (GRADES, "It has no fault that I could find, so: Excellent", "Excellent"),
    (GRADES, "Excelent", "Excellent"),
    (GRADES, "could be improoved", "Could be Improved"),
    (GRADES, "Very-Good", "Very Good"),
    (CONTEST, "A", "Response A"),
    (CONTEST, '"b".', "Response B"),
    (CONTEST, "Response B is the better one.", "Response B"),
    (CONTEST, "Responce B", "Response B"),
    (CONTEST, "Respons A", "Response A"),
    (YES_NO, "No", "No"),
    (YES_NO, "**No**, it is wrong.", "No"),
    (YES_NO, "The answer is no.", "No"),
    (YES_NO, "Yes", "Yes"),
    (RELEVANT, "It is not relevant.", "Not relevant"),
    (RELEVANT, "relevant", "Relevant"),
    (RELEVANT, "Relevent", "Relevant"),
    (ONE_TO_FIVE, "4.", "4"),
    (ONE_TO_FIVE, "Right.\nI give it 4/5.", "4"),
]


@pytest.mark.parametrize(("parser", "reply", "option"), READ)
def test_the_option_is_read(parser: OptionParser, reply: str, option: str) -> None:
    assert parser.parse(reply).value == option


NONE = [
    (GRADES, "I cannot say."),
    (GRADES, "Good\n\nTell me if you need more."),
    (GRADES, "> Good"),
    (GRADES, "It is not good."),
    (GRADES, "It is not a very good answer."),
    (GRADES, "It isn\u2019t excellent"),
    (GRADES, "Neither is good"),
    (GRADES, "This could never be excellent"),
    (GRADES, "Not exelent"),
    (GRADES, "Badly"),
    (GRADES, "Good-ish"),
    (GRADES, "Unexcellent"),
    (GRADES, f"Excelent{' indeed' * 20}"),
    (GRADES, "Excellent at first\nBda"),
    (CONTEST, "Respons"),
    (CONTEST, "Right.\n\nA"),
    (CONTEST, "C"),
    (YES_NO, "There is no doubt that it is right."),
    (YES_NO, "It has no errors"),
    (YES_NO, "Ne"),
    (YES_NO, "Now"),
    (RELEVANT, "Irrelevant"),
    (RELEVANT, "non-relevant"),
    (RELEVANT, "It is not at all relevant"),
    (OptionParser(("Not relevant", "Partly")), "Relevent"),
    (SAFE, "Unsafe"),
    (SAFE, "Harmless"),
    (ONE_TO_FIVE, "10"),
    (ONE_TO_FIVE, "45"),
    (ONE_TO_FIVE, "4.5"),
]


@pytest.mark.parametrize(("parser", "reply"), NONE)
def test_what_names_no_option_is_never_guessed(parser: OptionParser, reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(reply)
    assert caught.value.kind is None


@pytest.mark.parametrize(
    ("parser", "reply"),
    [
        (GRADES, "Good or Bad"),
        (GRADES, "Not Good but Bad"),
        (GRADES, "Bad, not good"),
        (GRADES, "It says Very Good. I say Good."),
        (CONTEST, "Response A is better than Response B"),
        (CONTEST, "Response A's code is longer, so Response B"),
        (YES_NO, "Is it right? No. Yes"),
        (ONE_TO_FIVE, "4 or 5"),
        (OptionParser(("Mostly correct", "correct but incomplete")), "Mostly correct but incomplete"),
        (OptionParser(("x", "y"), (("one", "x"), ("one", "y"))), "One"),
    ],
)
def test_several_options_named_on_the_last_line_are_ambiguous(parser: OptionParser, reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(reply)
    assert caught.value.kind is FailureKind.AMBIGUOUS


@pytest.mark.parametrize("reply", ["", " \n", "<think>Good</think>", "<think>Good"])
def test_an_empty_reply_is_told_apart(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        GRADES.parse(reply)
    assert caught.value.kind is FailureKind.EMPTY


@pytest.mark.parametrize(
    ("options", "reply", "option"),
    [
        (("\u00c9lev\u00e9", "Bas"), "C'est e\u0301leve\u0301.", "\u00c9lev\u00e9"),
        (("Stra\u00dfe", "Weg"), "STRASSE", "Stra\u00dfe"),
        (("\u597d", "\u4e0d\u597d"), "\u7b54\u6848\uff1a\u4e0d\u597d\u3002", "\u4e0d\u597d"),
        (("C", "C++", "C#"), "I choose C++.", "C++"),
        (("C", "C++", "C#"), "C#", "C#"),
        (("A", "A+", "B"), "It deserves an A+.", "A+"),
        (("N.A.", "Bad"), "n.a.", "N.A."),
        ((">50%", "<50%"), "So:\n\n>50%", ">50%"),
        (("Output (a)", "Output (b)"), "Therefore, **Output (b)** is better.", "Output (b)"),
        (("5 - Excellent", "1 - Bad"), "I choose 5 - excellent.", "5 - Excellent"),
        (("-1", "0", "1"), "It gets -1.", "-1"),
    ],
)
def test_names_with_accents_and_signs_are_read(options: tuple[str, ...], reply: str, option: str) -> None:
    assert OptionParser(options).parse(reply).value == option


@pytest.mark.parametrize(
    ("reply", "explanation"),
    [
        ("Good", ""),
        ("It is fine.\n\n**Good**\n", "It is fine."),
        ("It is fine.\nSo I say Good.", "It is fine.\nSo I say Good."),
        ("Excelent", ""),
    ],
)
def test_the_explanation_is_what_is_more_than_the_option(reply: str, explanation: str) -> None:
    assert GRADES.parse(reply).explanation == explanation


@pytest.mark.parametrize("reply", ["Good.", "Good\n", "**Good**", "It is fine.\nGood\n", "So I say Good.\n"])
def test_of_a_cut_reply_an_option_read_whole_counts(reply: str) -> None:
    grade = GRADES.parse(reply, cut=True)
    assert (grade.value, grade.cut) == ("Good", True)


@pytest.mark.parametrize(
    "reply", ["Good", "Excelent", "So I say Good", "It says Good. I disa", "Good. It", "Good would be too much; so "]
)
def test_of_a_cut_reply_the_last_line_is_not_trusted(reply: str) -> None:
    with pytest.raises(ParseError):
        GRADES.parse(reply, cut=True)


def test_of_a_cut_reply_an_option_that_begins_a_longer_one_is_not_trusted() -> None:
    parser = OptionParser(("Yes.", "Yes. Mostly", "No"))
    assert parser.parse("Yes.").value == "Yes."
    with pytest.raises(ParseError, match="was cut"):
        parser.parse("Yes.", cut=True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "needs options"),
        (("Good", " "), "some words on one line"),
        (("Good", "a\nb"), "some words on one line"),
        (("Good", "GOOD"), "read the same: 'Good' and 'GOOD'"),
        (("Good", "Good"), "read the same"),
        (("Good", "**good**."), "read the same"),
    ],
)
def test_options_that_cannot_be_told_apart_are_refused(options: tuple[str, ...], told: str) -> None:
    with pytest.raises(ConfigError, match=told.replace("*", r"\*")):
        OptionParser(options)


def test_aliases_may_be_a_mapping_or_pairs() -> None:
    assert OptionParser(("x",), {"one": "x"}) == OptionParser(("x",), [("one", "x")])


def test_the_writer_puts_the_option_on_a_line_of_its_own() -> None:
    assert GRADES.write(Grade("Good", "It is fine.")) == "It is fine.\n\nGood"


@settings(max_examples=60)
@given(
    option=st.sampled_from([*GRADES.options, *YES_NO.options, *ONE_TO_FIVE.options]),
    reply=st.text(alphabet="Good badNnot.\n*>145/-\u0301\u00e9 ") | st.text(),
)
def test_any_text_is_read_or_refused(option: str, reply: str) -> None:
    for parser in (GRADES, YES_NO, ONE_TO_FIVE, CONTEST):
        for text in (reply, f"{reply}{option}"):
            for cut in (False, True):
                try:
                    value = parser.parse(text, cut=cut).value
                except ParseError:
                    continue
                assert value in parser.options


def test_real_verdicts_between_two_answers_are_read_as_recorded_or_refused(shared_data: Path) -> None:
    """A figure to watch: the recorded winner is the first of two sentences found anywhere, and half of the replies end
    with a paragraph that names both. Where the two differ, a last paragraph names one answer and chooses the other.
    """
    parser = OptionParser(("Output (a)", "Output (b)"))
    counts: Counter[str] = Counter()
    with gzip.open(shared_data / "llmbar_results.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if '/CoT"' in line]
    for row in rows:
        for order, recorded in row["results"][-1].items():
            text, reason = recorded["completion"]
            first, second = ("2", "1") if order == "swap = True" else ("1", "2")
            try:
                grade = parser.parse(text, cut=reason == "length")
            except ParseError as error:
                counts[str(error.kind or "none")] += 1
            else:
                winner = first if grade.value == "Output (a)" else second
                counts["agrees" if winner == recorded["winner"] else "differs"] += 1
    assert sum(counts.values()) == 1872
    assert counts == {"agrees": 821, "differs": 12, "ambiguous": 1032, "empty": 3, "none": 4}
