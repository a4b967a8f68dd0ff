"""The normal decomposition (Theorems 1 and 2) and the disc component (Propositions 1 and 2)."""
