"""Labelled streams: the registry of data sets and the readers of CSV, ARFF and LIBSVM files."""

from abacoc.streams.generators import generate
from abacoc.streams.pieces import Pieces, read_pieces
from abacoc.streams.readers import read_file
from abacoc.streams.registry import check, fetch, get, load, locate, names, open_stream
from abacoc.streams.stream import Stream, label_codes, scaled

__all__ = [
    "Pieces",
    "Stream",
    "check",
    "fetch",
    "generate",
    "get",
    "label_codes",
    "load",
    "locate",
    "names",
    "open_stream",
    "read_file",
    "read_pieces",
    "scaled",
]
