"""Shipped words: judge presets, prompt templates, criteria and the demo's rows, as data files, and their reader."""

from gavelkit.catalog.criteria import context_paths, criterion_of_row, is_name, read_criterion
from gavelkit.catalog.prices import Price, price_of, read_prices
from gavelkit.catalog.reader import Preset, criterion_fields, demo_file, names, preset, shipped_file, template_text

__all__ = [
    "Preset",
    "Price",
    "context_paths",
    "criterion_fields",
    "criterion_of_row",
    "demo_file",
    "is_name",
    "names",
    "preset",
    "price_of",
    "read_criterion",
    "read_prices",
    "shipped_file",
    "template_text",
]
