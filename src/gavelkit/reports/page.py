"""What the HTML report shows besides the numbers: histograms, and the rows that tell something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gavelkit.core.protocols import Entry
from gavelkit.core.report import Report


@dataclass(frozen=True, slots=True)
class Bar:
    """How many scores lie in one place. `label` is short, `told` says exactly which scores are meant."""

    label: str
    told: str
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """The scores of one judge on one system, from the lowest place to the highest."""

    judge: str
    system: str
    bars: tuple[Bar, ...]

    @property
    def total(self) -> int:
        """How many scores there are."""
        return sum(bar.count for bar in self.bars)


@dataclass(frozen=True, slots=True)
class TellingRow:
    """A judgment worth reading, and its prompt where that can still be told."""

    entry: Entry
    prompt: str | None


@dataclass(frozen=True, slots=True)
class TellingRows:
    """The rows of one judge. `failures` is how many of its judgments failed in all."""

    judge: str
    lowest: tuple[TellingRow, ...]
    highest: tuple[TellingRow, ...]
    failed: tuple[TellingRow, ...]
    failures: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge makes of a response: its mean over repeats, that on 0 to 1 (1 is best), and one such row."""

    judge: str
    score: float
    share: float
    row: TellingRow


@dataclass(frozen=True, slots=True)
class Difference:
    """One response on which judges differ, the harshest first."""

    gap: float
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All that the HTML report shows. `scales` holds the ends of every scale that is declared, by judge."""

    report: Report
    scales: Mapping[str, tuple[float, float]]
    histograms: tuple[Histogram, ...]
    telling: tuple[TellingRows, ...]
    differences: tuple[Difference, ...]
