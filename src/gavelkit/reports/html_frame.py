"""What every HTML page begins and ends with: its policy stands before anything that holds data."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from gavelkit.reports.html_text import plain

HTML_END = "<footer><p>Made by gavelkit. This file loads nothing and runs no script.</p></footer>\n</body>\n</html>\n"


def html_head(title: str) -> str:
    """Everything up to the beginning of the body; the title stays text, whatever it holds.

    The page's own policy forbids scripts, forms and loading anything; of styles it allows ours alone.
    """
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{plain(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
