"""How transitive a game is."""
