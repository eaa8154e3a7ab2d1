"""Models that answer without a network: floors, an upper bound, and completions made elsewhere."""
