"""Encoders: four heads (entities, classes, structures, relations) on the vectors of a text encoder."""
