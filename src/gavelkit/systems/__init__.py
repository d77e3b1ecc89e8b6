"""Models under test: an example without a response and an engine become the example with it."""

__all__: list[str] = []
