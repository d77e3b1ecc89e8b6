"""A template and an example become the messages of a request. Templates are code in a sandbox; data never is."""

from gavelkit.prompts.context import Context
from gavelkit.prompts.prompt import Prompt
from gavelkit.prompts.template import Template

__all__ = ["Context", "Prompt", "Template"]
