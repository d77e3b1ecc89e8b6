"""Benchmarks: ratios against a named rival in one run, medians."""
