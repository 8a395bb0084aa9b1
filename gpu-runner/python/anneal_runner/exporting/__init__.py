"""Trained decoders as folders that other programs load."""
