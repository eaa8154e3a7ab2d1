"""Rewards over HTTP: a server, and a client that needs nothing but Python's standard library.

Nothing is imported here, for `helm_structext.serving.client` is for environments that have none of
this package's requirements.
"""
