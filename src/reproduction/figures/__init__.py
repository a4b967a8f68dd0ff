"""The figures, one module each, and what they share."""
