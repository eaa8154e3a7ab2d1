"""MMR: eleven tasks of reading text-rich images."""
