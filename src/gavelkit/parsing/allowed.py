"""The grades a reader may give."""

from __future__ import annotations

from gavelkit.core.errors import ConfigError


def check_grades(grades: tuple[str, ...]) -> None:
    """Raise ConfigError where a grade is blank, or where two differ in case alone and so could be mistaken."""
    if any(not grade or grade != grade.strip() for grade in grades):
        message = f"a grade must be a word without space around it: {list(grades)}"
        raise ConfigError(message)
    if len({grade.casefold() for grade in grades}) != len(grades):
        message = f"two grades are alike but for their case: {list(grades)}"
        raise ConfigError(message)


def canonical(words: str, grades: tuple[str, ...]) -> str:
    """The grade as it is spelled in the list; the words themselves where they are in none."""
    folded = words.casefold()
    return next((grade for grade in grades if grade.casefold() == folded), words)


def choice(grades: tuple[str, ...]) -> str:
    """The grades, for a message."""
    return f"one of {', '.join(grades)}" if grades else "a grade"
