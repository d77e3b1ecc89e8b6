"""Other systems' call shapes over the same core, one file a system."""

__all__: list[str] = []
