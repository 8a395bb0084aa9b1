"""The tensor half of Anneal's torch engine: trains and runs language models for a runner that drives it over pipes."""

__version__ = "1.0.0"
