"""Shipped words: judge presets, prompt templates and the demo's rows, as data files, and their reader."""

from gavelkit.catalog.reader import Preset, demo_file, names, preset, template_text

__all__ = ["Preset", "demo_file", "names", "preset", "template_text"]
