"""The version, where the command line finds it without importing the rest."""

__version__ = "0.1.0"
