"""Rows become HELM instances: one file for each benchmark."""
