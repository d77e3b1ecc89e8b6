"""A request's key: what is asked, and nothing of who asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.message import Labels, Message, Parameters, Request

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
conversations = st.lists(st.builds(Message, st.sampled_from(["system", "user"]), texts), max_size=3).map(tuple)


def asked(
    *messages: Message, model: str = "m", repeat: int = 0, labels: Labels | None = None, **values: object
) -> Request:
    return Request(messages, Parameters(model, values), repeat, labels or Labels())


@given(conversations, conversations)
def test_two_keys_are_equal_only_for_equal_messages(one: tuple[Message, ...], other: tuple[Message, ...]) -> None:
    assert (asked(*one).key == asked(*other).key) is (one == other)


def test_model_parameters_and_repeat_are_in_the_key() -> None:
    user = Message("user", "hi")
    keys = {asked(user).key, asked(user, model="n").key, asked(user, repeat=1).key, asked(user, temperature=0).key}
    assert len(keys) == 4


@given(conversations, conversations)
def test_words_sent_plain_are_never_the_question_of_a_chat(
    one: tuple[Message, ...], other: tuple[Message, ...]
) -> None:
    assert Request(one, Parameters("m", plain=True)).key != Request(other, Parameters("m")).key


def test_labels_are_not_in_the_key() -> None:
    user = Message("user", "hi")
    assert asked(user, labels=Labels("7", "judge", ("a",), "step")).key == asked(user).key


def test_the_order_of_parameters_is_not_in_the_key() -> None:
    user = Message("user", "hi")
    assert asked(user, seed=1, top_p=0.5).key == asked(user, top_p=0.5, seed=1).key


def test_the_order_of_a_response_format_is_sent_and_is_in_the_key() -> None:
    one, other = (Parameters("m", {"seed": 1}, form) for form in ('{"b":1,"a":2}', '{"a":2,"b":1}'))
    assert one.text == '{"model":"m","seed":1,"response_format":{"b":1,"a":2}}'
    keys = {Request((Message("user", "hi"),), parameters).key for parameters in (one, other)}
    assert len(keys) == 2


def test_the_key_of_a_request_is_the_same_on_every_machine() -> None:
    # Written down once: a change here orphans every stored reply there is.
    assert asked(Message("user", "hi"), temperature=0.0).key.hex() == "7e9c78d202044975d8eed2892eb38b90"


@pytest.mark.parametrize("content", ["a\ud800b", "\udfff"])
def test_a_lone_surrogate_makes_no_request(content: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        asked(Message("user", content))


def test_a_nul_byte_is_text_like_any_other() -> None:
    assert asked(Message("user", "a\0b")).key != asked(Message("user", "a")).key
