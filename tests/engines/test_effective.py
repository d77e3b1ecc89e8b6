"""What was sent otherwise than asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gavelkit.core.message import Parameters
from gavelkit.engines.effective import differing, everything

ASKED = Parameters("m", {"temperature": 0.0, "max_tokens": 64}, '{"type": "json_object"}')


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (ASKED, None),
        (Parameters("m", {"max_tokens": 64, "temperature": 0.0}, '{"type": "json_object"}'), None),
        (Parameters("m", {"temperature": 0.0, "max_tokens": 64}, '{"type":"json_object"}'), None),
        (Parameters("m", {"max_tokens": 64}, ASKED.response_format), {"temperature": None}),
        (Parameters("m", ASKED.values), {"response_format": None}),
        (Parameters("m", {"temperature": 0.0, "n": 1}, '{"type": "text"}'),
         {"n": 1, "max_tokens": None, "response_format": {"type": "text"}}),
    ],
)  # fmt: skip
def test_only_what_differs_is_said_and_none_stands_for_what_was_left_out(
    sent: Parameters, said: Mapping[str, object] | None
) -> None:
    assert differing(ASKED, sent) == said


def test_a_value_of_none_is_not_the_same_as_none_at_all() -> None:
    assert differing(Parameters("m"), Parameters("m", {"stop": None})) == {"stop": None}


def test_everything_asked_holds_the_response_format_too() -> None:
    assert everything(ASKED) == {"temperature": 0.0, "max_tokens": 64, "response_format": {"type": "json_object"}}
    assert everything(Parameters("m", {"n": 1})) == {"n": 1}
