"""Exact regrets: spaces, comparators, adversaries and bounds, for experiments of one's own."""
