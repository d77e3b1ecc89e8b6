"""Ways of judging: an example becomes judgments. A judge holds no words and opens no connection."""

from gavelkit.judges.choice import Choice
from gavelkit.judges.direct import Direct
from gavelkit.judges.function import Asking, FunctionJudge, Scored
from gavelkit.judges.pairwise import Pairwise
from gavelkit.judges.turns import Turns
from gavelkit.judges.two_step import RowCriterion, TwoStep

AnyJudge = Direct | TwoStep | Pairwise
"""A judge made by this package, in whatever way it judges."""

__all__ = [
    "AnyJudge",
    "Asking",
    "Choice",
    "Direct",
    "FunctionJudge",
    "Pairwise",
    "RowCriterion",
    "Scored",
    "Turns",
    "TwoStep",
]
