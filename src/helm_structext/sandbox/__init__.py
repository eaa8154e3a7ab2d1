"""The one place that starts programs on what a model wrote."""
