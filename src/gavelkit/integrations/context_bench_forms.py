"""Question files of MT-Bench and AlpacaEval as context-bench's rows, recognised by their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gavelkit.core.errors import DataError


def plain_row(row: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The row of a question file in context-bench's keys; any other row as it is.

    MT-Bench's have `question_id` and `turns`, AlpacaEval's `instruction`, `output` and `generator`; what already has
    a `question` is neither. Raises DataError, beginning with `place`, where the turns are no texts.
    """
    if "question" in row:
        return dict(row)
    if row.keys() >= {"question_id", "turns"}:
        about = {"category": row["category"]} if "category" in row else {}
        talk = conversation(row["turns"], row.get("reference"), place)
        return {"id": row.get("id", row["question_id"]), **talk, **about}
    if row.keys() >= {"instruction", "output", "generator"}:
        question = row["instruction"]
        told = {"question": question, "answer": row["output"], "context": question}
        # `dataset` names the part of AlpacaEval here, and in a row what was loaded.
        about = {"subset": row["dataset"]} if "dataset" in row else {}
        return {**({"id": row["id"]} if "id" in row else {}), **told, **about}
    return dict(row)


def conversation(turns: object, references: object, place: str) -> dict[str, Any]:
    """The row of a conversation: its turns as the user's messages, and what its last response is held against.

    A response to it is that to the last turn, so that turn is the `question`, the reference to it the `answer`, and
    the turns before it are the `context`. Raises DataError where the turns are no texts, or the references no list.
    """
    texts = _texts(turns)
    if not texts:
        message = f"{place}: the turns of a conversation are a list of one or more texts, and there is {_shown(turns)}"
        raise DataError(message)
    wanted = [] if references is None else _texts(references)
    if wanted is None:
        message = f"{place}: the references of a conversation are a list of texts, and there is {_shown(references)}"
        raise DataError(message)
    return {
        "question": texts[-1],
        "answer": wanted[len(texts) - 1] if len(wanted) >= len(texts) else "",
        "context": "\n\n".join(texts[:-1]) or texts[0],
        "multi_turn": True,
        "turns": [{"role": "user", "content": text} for text in texts],
    }


def _texts(value: object) -> list[str] | None:
    """The texts of a list; None where it is anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    texts = [each for each in value if isinstance(each, str)]
    return texts if len(texts) == len(value) else None


def _shown(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}: {str(value)[:60]!r}"
