"""Models under test: an example without a response and an engine become the example with it."""

from gavelkit.systems.system import System

__all__ = ["System"]
