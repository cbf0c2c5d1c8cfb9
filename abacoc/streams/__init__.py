"""Labelled streams: the registry of data sets and the readers of CSV, ARFF and LIBSVM files."""

from abacoc.streams.readers import read_file
from abacoc.streams.registry import open_stream
from abacoc.streams.stream import Stream, label_codes, scaled

__all__ = ["Stream", "label_codes", "open_stream", "read_file", "scaled"]
