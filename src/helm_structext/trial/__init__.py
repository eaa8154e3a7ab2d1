"""Whether a model can be evaluated, found out within a minute: what `helm-structext try` does."""
