"""Readers of game files, one module a format, and `streams`, which opens what they are packed in."""
