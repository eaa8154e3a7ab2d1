"""Questions, scores, and why there is none: what every benchmark and every door shares."""
