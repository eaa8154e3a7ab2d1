"""From which numbers on an audit says something."""

UNSEEN = 0.98
"""A measure above which an answer passes for right: a mistake that leaves it is not seen."""
RIGHT = 0.99
"""What the right answer has at least, of a measure that is 1 where nothing is wrong."""
LITTLE = 0.01
"""A loss that nobody minds."""
MOSTLY = 0.5
"""Share from which on something is said to be so: frauds that pass, mistakes that are seen, scenes that have a score."""
FEWEST = 5
"""Scenes from which on a default may be changed."""
