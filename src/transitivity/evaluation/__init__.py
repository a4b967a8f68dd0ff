"""Hold-outs, scores, and models compared on the same hold-outs."""
