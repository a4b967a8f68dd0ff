"""Losses, objectives and solvers (Equations 15 to 21, Algorithms 1 and 2)."""
