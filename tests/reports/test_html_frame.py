"""How every page begins and ends: the policy first, and a title that stays text."""

from __future__ import annotations

from gavelkit.reports.html_frame import HTML_END, html_head


def test_a_title_stays_text() -> None:
    head = html_head("</title><script>alert(1)</script>")
    assert "<script>" not in head
    assert "<title>&lt;/title&gt;&lt;script&gt;" in head


def test_the_policy_stands_before_the_title_and_the_body_is_open() -> None:
    head = html_head("mine")
    assert head.index("Content-Security-Policy") < head.index("<title>mine</title>")
    assert head.endswith("<body>\n")
    assert HTML_END.endswith("</body>\n</html>\n")
