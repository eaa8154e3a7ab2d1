"""HELM as a door: all that imports HELM, or is loaded by it."""
