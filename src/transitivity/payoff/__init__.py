"""Payoffs: `core.Payoff`, the files they are read from, and the graph of their observed pairs."""
