"""Ways of judging: an example becomes judgments. A judge holds no words and opens no connection."""

from gavelkit.judges.direct import Direct

__all__ = ["Direct"]
