"""Files of completions and logs of other harnesses, read and scored."""
