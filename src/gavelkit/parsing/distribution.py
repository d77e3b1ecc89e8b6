"""From a reply's token probabilities to how likely each option is. It does not know how they were asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from gavelkit.core.completion import Token
from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.parsing.closest_option import OptionParser
from gavelkit.parsing.thinking import place_of_spoken, spoken

LEAST_MASS = 0.5
"""The share of all probability that the labels must have: below it the model meant to say something else."""

MOST = 1 + 1e-3
"""No more can be probable than this; the thousandth is rounding."""

_BLOCK = "\u2581"  # some tokenizers write a space as this


@dataclass(frozen=True, slots=True)
class Distribution:
    """How likely each option is, by the token that gave the verdict.

    `shares` add up to 1 over the options; `mass` is the probability that the listed labels had before that, of all
    that the model could have said; `value` is the most likely option, the first of them where several are.
    """

    shares: Mapping[str, float]
    mass: float
    value: str


def read_distribution(tokens: Sequence[Token], labels: Mapping[str, str]) -> Distribution:
    """The options' probabilities, by `labels`: the option each label stands for.

    The label is found in the text that the tokens spell, as `option` reads it: never in the thinking, and where the
    last line gives it first. All listed ways to write a label (` A`, `a`, a fullwidth one) are added up, and of all
    options none is left out, however unlikely.

    Raises:
        ParseError: no log probabilities; no label, or several, in the verdict's place; one that is not a token of its
            own, as `10` spelled `1` and `0`; probabilities that are not finite or add up to more than 1; less than
            half of all probability on the labels.
        ConfigError: no labels, one that is not of plain letters and digits, or two that differ in case alone.

    """
    parser = _reader(labels)
    if not any(token.top for token in tokens):
        message = "the endpoint sent no log probabilities"
        raise ParseError(message)
    chosen, token = _verdict(tokens, parser)
    if _same(token.text) != _same(chosen):
        message = f"the label {chosen!r} is not a token of its own: it stands in {token.text!r}"
        raise ParseError(message)
    known = {_same(label): label for label in labels}
    found: dict[str, list[float]] = {label: [] for label in labels}
    for text, logarithm in _listed(token).items():
        if _same(text) in known:
            found[known[_same(text)]].append(math.exp(logarithm))
    _refuse_beginnings(found)
    return _shared({label: math.fsum(each) for label, each in found.items()}, labels)


def expectation(distribution: Distribution, scores: Mapping[str, float]) -> float:
    """The mean of the options' scores, each weighted by its share: the sum of p(k) s(k), as in G-Eval.

    Raises ValueError where an option has no score.
    """
    without = [option for option in distribution.shares if option not in scores]
    if without:
        message = f"no score for the options {', '.join(without)}"
        raise ValueError(message)
    return math.fsum(share * scores[option] for option, share in distribution.shares.items())


def _reader(labels: Mapping[str, str]) -> OptionParser:
    strange = [label for label in labels if not (label.isascii() and label.isalnum())]
    if strange:
        message = f"a label is plain letters or digits, such as A or 1, not {strange[0]!r}"
        raise ConfigError(message)
    return OptionParser(tuple(labels))


def _verdict(tokens: Sequence[Token], parser: OptionParser) -> tuple[str, Token]:
    """The label, and the token that covers its beginning. Raises ParseError."""
    text = "".join(token.text for token in tokens)
    chosen = parser.choose(_narrow(spoken(text)))
    place = place_of_spoken(text, chosen.start)
    for token in tokens:
        if place < len(token.text):
            return chosen.option, token
        place -= len(token.text)
    message = "the place of the label was not found"  # pragma: no cover - the text is these tokens
    raise ParseError(message)  # pragma: no cover - see above


def _listed(token: Token) -> Mapping[str, float]:
    if not token.top:
        message = f"the endpoint listed no log probabilities for the label's token {token.text!r}"
        raise ParseError(message)
    for text, logarithm in token.top.items():
        if not math.isfinite(logarithm):
            message = f"the log probability of {text!r} is not finite: {logarithm}"
            raise ParseError(message)
    # A logarithm above 0 is refused here, before its exponential could overflow.
    total = math.fsum(math.exp(min(each, 1.0)) for each in token.top.values())
    if total > MOST:
        message = f"the listed probabilities add up to {total:.4f}, which is more than 1"
        raise ParseError(message)
    return token.top


def _refuse_beginnings(found: Mapping[str, Sequence[float]]) -> None:
    """Raise ParseError where a label may be the beginning of another that is spelled in several tokens."""
    for label, each in found.items():
        for longer, its in found.items():
            if each and not its and label != longer and _same(longer).startswith(_same(label)):
                message = f"{label!r} may be the beginning of {longer!r}, which is not listed as one token"
                raise ParseError(message)


def _shared(likely: Mapping[str, float], labels: Mapping[str, str]) -> Distribution:
    mass = math.fsum(likely.values())
    if mass < LEAST_MASS:
        message = f"the labels have {mass:.3f} of all probability, which is less than {LEAST_MASS:g}"
        raise ParseError(message)
    shares = dict.fromkeys(labels.values(), 0.0)
    for label, probability in likely.items():
        shares[labels[label]] += probability / mass
    return Distribution(shares, mass, max(shares, key=shares.__getitem__))


def _same(text: str) -> str:
    """One writing of all the tokens that are the same label."""
    return normalize("NFKC", text).strip(f"{_BLOCK} \t\r\n").casefold()


def _narrow(text: str) -> str:
    """The text with fullwidth and similar characters as plain ones, each still in its place."""
    if text.isascii():
        return text
    plain = (normalize("NFKC", character) for character in text)
    return "".join(new if len(new) == 1 else old for new, old in zip(plain, text, strict=True))
