"""The configuration: what it means and what is wrong with it."""
