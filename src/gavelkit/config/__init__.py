"""YAML, environment and flags become judges ready to run."""

from gavelkit.config.assemble import JudgeSettings, judge
from gavelkit.config.file import Configuration, Flags, configure, configure_judges, read_configuration, read_file
from gavelkit.config.surroundings import Surroundings

__all__ = [
    "Configuration",
    "Flags",
    "JudgeSettings",
    "Surroundings",
    "configure",
    "configure_judges",
    "judge",
    "read_configuration",
    "read_file",
]
