"""Metrics for context-bench's rows under names of their own."""

from __future__ import annotations

from gavelkit.integrations.context_bench_rows import Metric

_metrics: dict[str, Metric] = {}


def register_metric(name: str, metric: Metric) -> None:
    """Keep a metric under a name for `get_metric`; the last one counts."""
    _metrics[name] = metric


def get_metric(name: str) -> Metric:
    """The metric of that name. Raises KeyError listing the names there are."""
    if name not in _metrics:
        message = f"no metric is registered as {name!r}; there are: {', '.join(sorted(_metrics)) or 'none'}"
        raise KeyError(message)
    return _metrics[name]
