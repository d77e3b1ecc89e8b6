"""Shipped words: judge presets, prompt templates and the demo's rows, as data files, and their reader."""

from gavelkit.catalog.prices import Price, price_of, read_prices
from gavelkit.catalog.reader import Preset, demo_file, names, preset, shipped_file, template_text

__all__ = [
    "Preset",
    "Price",
    "demo_file",
    "names",
    "preset",
    "price_of",
    "read_prices",
    "shipped_file",
    "template_text",
]
