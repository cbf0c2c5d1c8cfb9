"""Streams x methods x rates x seeds, as jobs that can be interrupted and resumed."""
