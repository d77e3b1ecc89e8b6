"""How long an interval takes by the number of scores, beside SciPy's where it can; seconds, best of three."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gavelkit.stats.bootstrap import bca

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
MOST_FOR_SCIPY = 10_000
"""It holds all resamples of all scores at once: 16 GB for a million."""


def seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def scipy_seconds(values: np.ndarray) -> str:
    from scipy import stats

    if len(values) > MOST_FOR_SCIPY:
        return "-"
    return f"{seconds(lambda: stats.bootstrap((values,), np.mean, n_resamples=1000, method='BCa')):.3f}"


def main() -> None:
    generator = np.random.default_rng(0)
    print("BCa interval of a mean, 1000 resamples, seconds, best of 3")
    print(f"  {'scores':>9}  {'11 levels':>9}  {'scipy':>7}  {'distinct':>9}  {'scipy':>7}")
    for size in SIZES:
        levels, distinct = generator.integers(0, 11, size).astype(float), generator.normal(size=size)
        ours = [seconds(lambda values=values: bca(values, seed=0)) for values in (levels, distinct)]
        theirs = [scipy_seconds(values) for values in (levels, distinct)]
        print(f"  {size:9}  {ours[0]:9.3f}  {theirs[0]:>7}  {ours[1]:9.3f}  {theirs[1]:>7}")


if __name__ == "__main__":
    main()
