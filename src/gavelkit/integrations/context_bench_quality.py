"""context-bench's evaluator without a model: how many words a response shares with the answer."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


class AnswerQuality:
    """Holds a response against the answer: `f1`, `exact_match`, `recall` and `contains`, each from 0 to 1.

    Words are compared as SQuAD compares them (Rajpurkar et al. 2016): in lower case, without articles and ASCII
    punctuation. `contains` looks for the answer as it is written, but for case.
    """

    @property
    def name(self) -> str:
        """`answer_quality`."""
        return "answer_quality"

    def score(self, original: Mapping[str, Any], processed: Mapping[str, Any]) -> dict[str, float]:
        """Scores of `processed["response"]` against `original["answer"]`; all 1.0 where there is no answer."""
        answer, response = str(original.get("answer", "")), str(processed.get("response", ""))
        if not answer or not response:
            return dict.fromkeys(("f1", "exact_match", "recall", "contains"), 0.0 if answer else 1.0)
        wanted, given = _words(answer), _words(response)
        shared = sum((Counter(wanted) & Counter(given)).values())
        return {
            "f1": 2 * shared / (len(wanted) + len(given)) if shared else 0.0,
            "exact_match": float(wanted == given),
            "recall": shared / len(wanted) if wanted else 0.0,
            "contains": float(answer.lower() in response.lower()),
        }


def _words(text: str) -> list[str]:
    """Articles go before punctuation does, so that the `a` of `a-b` goes and that of `a_b` stays."""
    return _ARTICLE.sub(" ", text.lower()).translate(_NO_PUNCTUATION).split()
