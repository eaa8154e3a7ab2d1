"""Endless new questions in the manner of MMR, with exact answers and no annotators."""
