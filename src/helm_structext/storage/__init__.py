"""The cache, and files that are written whole or checked when read."""
