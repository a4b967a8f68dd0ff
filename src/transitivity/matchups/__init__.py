"""Games counted by pair, and filters on the counts."""
