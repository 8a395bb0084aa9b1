"""Measures how fast this engine trains and generates on this machine: `python -m anneal_runner.bench`."""
