"""The benchmarks in other harnesses than HELM: what these share, and what they load."""
